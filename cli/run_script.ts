/**
 * Runs a script whose loaders all get layers that it does not know of.
 *
 * @module
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Layer } from "../loader/layer.ts";
import { type LayerFile, watchLayer } from "../loader/layers/define/layer_file.ts";
import { setStandingLayers } from "../loader/layers/choice/without_instance/standing.ts";

/** Settings of {@linkcode runScript}. */
export interface ScriptOptions {
  /**
   * The layers, top to bottom: modules (`.ts`, `.js`, `.mjs`) that export a layer, native layers by name, or layer
   * objects.
   */
  readonly layers: readonly (string | Layer)[];
  /** Whether modules are loaded again when they are saved. */
  readonly watch: boolean;
  /** Gets a sentence for each reload of a saved module. */
  readonly say: (message: string) => void;
}

/** Runs a script to its end, and throws its error. */
export async function runScript(script: string, { layers, watch, say }: ScriptOptions): Promise<void> {
  const opened: (string | Layer | LayerFile)[] = [];
  try {
    for (const layer of layers) opened.push(isModule(layer) ? await open(layer, say) : layer);
    const files = opened.filter(isFile);
    setStandingLayers({
      layers: () => opened.map((each) => isFile(each) ? each.layer : each),
      made: (loader) => files.forEach((file) => file.follow(loader)),
    });
    if (!watch) files.forEach((file) => file.close());
    await import(pathToFileURL(resolve(script)).href);
  } finally {
    setStandingLayers(undefined);
    opened.filter(isFile).forEach((file) => file.close());
  }
}

function open(path: string, say: (message: string) => void): Promise<LayerFile> {
  return watchLayer(path, {
    onReload: ({ name }) => say(`${path}: ${name} is in use as saved`),
    onError: (error) => say(`${path}: not used as saved: ${error}`),
  });
}

function isModule(layer: string | Layer): layer is string {
  return typeof layer === "string" && /\.(m?js|ts)$/.test(layer);
}

function isFile(layer: string | Layer | LayerFile): layer is LayerFile {
  return typeof layer === "object" && "follow" in layer;
}
