import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { GlesLayer } from "../../egl/layers/gles_layer.ts";
import { setProcessLayers } from "../../loader/api/options.ts";
import type { VulkanOptions } from "../../loader/mod.ts";
import { Unusable, WrongUse } from "../../workbench/process/exit_code.ts";
import type { Process, Request } from "../command.ts";
import { endLayers, glesHookOf, openLayer, type ScriptLayer, tellFailures } from "../layers/script_layer.ts";
import process from "node:process";

// Loaded when it is needed: cli/commands.ts says why "as string".
type InstallModule = typeof import("../../egl/layers/install.ts");

/** A run of a script by a command. */
export interface LayeredRun {
  /** The parsed command line: the script, and the options for the script's loaders. */
  readonly request: Request;
  /** The command's own layers, above those of `--layer`. */
  readonly own?: readonly ScriptLayer[];
  /** Whether modules are loaded again when they are saved. */
  readonly watch?: boolean;
  readonly print: (text: string) => void;
  readonly process: Process;
}

/** Runs a script with layers above all its loaders, prints the layers' reports and returns the exit code. */
export async function runLayered({ request, own = [], watch = false, print, process }: LayeredRun): Promise<number> {
  const { operand, options, scriptArguments: args } = request, layers = [...own], script = operand!;
  const end = once(() => endLayers(layers, print, process.warn, request.values));
  const ending = () => {
    if (!end() && Deno.exitCode === 0) Deno.exitCode = 1;
  };
  addEventListener("unload", ending); // a script may end the process itself
  try {
    for (const name of options.layers as string[]) layers.push(await openLayer(name, print));
    if (watch) layers.forEach(refuseWatched);
    tellMain(script, process);
    await runScript(script, { args, layers, options, watch, idle: process.idle });
    return end() ? 0 : 1;
  } catch (error) {
    if (error instanceof WrongUse || error instanceof Unusable) throw error;
    process.warn(`${script}: ${Deno.inspect(error)}`);
    tellFailures(layers, process.warn);
    return 1;
  } finally {
    removeEventListener("unload", ending);
    end();
  }
}

/** Refuses to watch a layer of OpenGL ES: a script's loader of EGL keeps the layer that it got. */
function refuseWatched({ current, file }: ScriptLayer): void {
  const layer = current(), hook = file && glesHookOf(layer);
  if (hook === undefined) return;
  const name = typeof layer === "string" ? layer : layer.name;
  throw new WrongUse(`run: ${name} hooks ${hook}, which is of OpenGL ES: leave "--watch" out, or use exec --gles`);
}

function once<T>(call: () => T): () => T {
  let done: { readonly result: T } | undefined;
  return () => (done ??= { result: call() }).result;
}

/** The main module is the command line: what a script does for itself alone it would leave out without a word. */
function tellMain(script: string, { warn }: Process): void {
  if (!/\bimport\.meta\.main\b/.test(Deno.readTextFileSync(script))) return;
  warn(`${script}: import.meta.main is false here; what depends on import.meta.main is not run`);
}

/** Settings of {@linkcode runScript}. */
interface ScriptOptions {
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
async function runScript(script: string, { args, layers, options, watch, idle }: ScriptOptions): Promise<void> {
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
  const { setProcessGlesLayers } = await import("../../egl/layers/install.ts" as string) as InstallModule;
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
