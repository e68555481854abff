import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { watchLayer } from "../../loader/layers/define/layer_file.ts";
import type { LayerFile } from "../../loader/layers/define/layer_file.ts";
import type { Layer } from "../../loader/layer.ts";
import type { GlesLayer } from "../../egl/layers/gles_layer.ts";
import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { existing } from "../../workbench/process/files.ts";
import { isModule, openPreset } from "./presets.ts";

/** A layer of `--layer`. */
export interface ScriptLayer {
  /** The layer in use; a native layer by name. */
  current(): string | Layer;
  /** The layer for the script's loaders of EGL and OpenGL ES. */
  readonly gles?: GlesLayer;
  /** The file of a module. */
  readonly file?: LayerFile;
  /** Returns the layer's findings as text, once the script has ended: all of them, or what fits a few lines. */
  readonly report?: (isFull?: boolean) => string;
  /** Returns, for a program that ended with an error, the reasons that the layer knows and has not told; `""` for none. */
  readonly failure?: () => string;
  /** Whether the layer's file has all that it must have; a full disk, for instance, ends the file. */
  readonly isWhole?: () => boolean;
  /** Notes, before the end, how many calls of the program no layer saw. */
  lost?(count: number): void;
  /** Ends the layer's work, such as its file. A second call does nothing. */
  close?(): void;
}

/**
 * Opens the layer that `--layer` names: a layer of `@pumice/gfx/layers`, a module (`.ts`, `.js`, `.mjs`) that exports a
 * layer, or a native layer. Throws {@linkcode WrongUse} for a missing file, and for a module that cannot be loaded.
 */
export async function openLayer(name: string, say: (message: string) => void): Promise<ScriptLayer> {
  if (isModule(name)) return await openModule(name, say);
  return await openPreset(name, say) ?? { current: () => name };
}

/** The value of `--frames` without one: the layers' reports have everything. */
export const ALL_FRAMES = "all";

/**
 * Closes layers and prints their reports, with everything if `--frames` was given alone; `warn` gets those of layers
 * whose file is not whole. Returns whether all files are whole.
 */
export function endLayers(
  layers: readonly ScriptLayer[],
  print: (text: string) => void,
  warn: (text: string) => void,
  { frames }: Request["values"] = {},
): boolean {
  let areWhole = true;
  for (const layer of layers) {
    layer.close?.();
    const text = layer.report?.(frames === ALL_FRAMES || frames === true), isWhole = layer.isWhole?.() ?? true;
    areWhole &&= isWhole;
    if (text) (isWhole ? print : warn)(text);
  }
  return areWhole;
}

/** Tells why a program may have ended with an error, as far as layers know. */
export function tellFailures(layers: readonly ScriptLayer[], warn: (text: string) => void): void {
  for (const { failure } of layers) {
    const text = failure?.();
    if (text) warn(text);
  }
}

/** An error of a module, with the place in the module where it was thrown. */
function placed(error: unknown, path: string): string {
  const { href } = pathToFileURL(resolve(path)), stack = `${(error as Error | undefined)?.stack}`.split("\n");
  const place = stack.find((line) => /^ +at /.test(line) && line.includes(href));
  return place === undefined || `${error}`.includes(href) ? `${error}` : `${error}\n${place}`;
}

async function openModule(path: string, say: (message: string) => void): Promise<ScriptLayer> {
  existing("--layer", path);
  const file = await watchLayer(path, {
    onReload: ({ name }) => say(`${path}: ${name} is in use as saved`),
    onError: (error) => say(`${path}: not used as saved: ${error}`),
  }).catch((error) => {
    throw new WrongUse(`--layer: "${path}" cannot be loaded: ${placed(error, path)}`);
  });
  const ofGles = glesHookOf(file.layer) !== undefined ? { gles: file.layer as unknown as GlesLayer } : {};
  return { current: () => file.layer, file, ...ofGles, close: () => file.close() };
}

/** The first command of EGL or OpenGL ES that a layer hooks; `undefined` for a layer of Vulkan and a native one. */
export function glesHookOf(layer: string | Layer): string | undefined {
  if (typeof layer === "string") return undefined;
  return Object.keys(layer.commands ?? {}).find((name) => /^e?gl[A-Z]/.test(name));
}
