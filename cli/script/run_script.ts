/**
 * Runs a script whose loaders all get layers and options that it does not know of.
 *
 * @module
 */
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { GlesLayer } from "../../egl/layers/gles_layer.ts";
import { setProcessLayers } from "../../loader/api/options.ts";
import type { VulkanOptions } from "../../loader/mod.ts";
import type { Process } from "../command.ts";
import { glesHookOf, type ScriptLayer } from "../layers/script_layer.ts";

/** Settings of {@linkcode runScript}. */
export interface ScriptOptions {
  /** The script's arguments, its `Deno.args`. */
  readonly args: readonly string[];
  /** The layers, top to bottom. */
  readonly layers: readonly ScriptLayer[];
  /** Options for the script's loaders, where the script gives none. */
  readonly options: VulkanOptions;
  /** Whether modules are loaded again when they are saved: until the script's own statements are through. */
  readonly watch: boolean;
  /** Waits for the script's operations that were started and not awaited. */
  readonly idle?: Process["idle"];
}

/** Runs a script to its end, and throws its error. */
export async function runScript(script: string, { args, layers, options, watch, idle }: ScriptOptions): Promise<void> {
  const path = resolve(script), files = layers.flatMap(({ file }) => file ?? []);
  const vulkan = layers.filter(({ current }) => glesHookOf(current()) === undefined);
  const restore = giveArguments(path, args);
  setProcessLayers({
    layers: () => vulkan.map(({ current }) => current()),
    options: named(options),
    made: (loader) => vulkan.forEach(({ file }) => file?.follow(loader)),
  });
  const takeGlesLayers = await giveGlesLayers(layers.flatMap(({ gles }) => gles ?? []));
  try {
    if (!watch) files.forEach((file) => file.close());
    await import(pathToFileURL(path).href);
    if (!watch) await idle?.();
  } finally {
    setProcessLayers(undefined);
    takeGlesLayers();
    restore();
  }
}

/** Gives every loader of EGL these layers; the result takes the layers back. EGL is loaded only for this. */
async function giveGlesLayers(layers: readonly GlesLayer[]): Promise<() => void> {
  if (layers.length === 0) return () => {};
  const { setProcessGlesLayers } = await import("../../egl/layers/install.ts");
  setProcessGlesLayers(layers);
  return () => setProcessGlesLayers([]);
}

/** The options that the command line gave. */
function named(options: VulkanOptions): VulkanOptions {
  const given = Object.entries({ ...options, layers: undefined });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== "auto"));
}

/** The arguments of a script as Deno and as Node name them; the result puts back those of the command line. */
function giveArguments(path: string, args: readonly string[]): () => void {
  const given = [...args], before = Object.getOwnPropertyDescriptor(Deno, "args")!, [program, ...rest] = process.argv;
  Object.defineProperty(Deno, "args", { configurable: true, enumerable: true, get: () => given });
  process.argv.splice(0, Infinity, program, path, ...args);
  return () => {
    Object.defineProperty(Deno, "args", before);
    process.argv.splice(0, Infinity, program, ...rest);
  };
}
