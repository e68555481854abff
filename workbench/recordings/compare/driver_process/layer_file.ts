import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Layer } from "../../../../loader/layer.ts";

/** Loads a layer in TypeScript. Throws a `TypeError` for a file that cannot be loaded, or that exports none. */
export async function layerOf(path: string): Promise<Layer> {
  const module = await loaded(path), layer = module.default ?? module.layer;
  if (typeof layer === "object" && layer !== null) return layer;
  throw new TypeError(`"${path}" exports no layer: export what defineLayer() returns, as default or as "layer"`);
}

async function loaded(path: string): Promise<{ readonly default?: Layer; readonly layer?: Layer }> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    throw new TypeError(`Cannot load the layer "${path}": ${(error as Error).message}`, { cause: error });
  }
}
