import { callback, checkOptions, type OptionRules } from "../../../ffi/check_options.ts";
import type { Layer } from "../../layer.ts";
import { RefusedExchange } from "./object_states.ts";

/** A loader or an instance in which a layer can be replaced. */
export interface LayerHolder {
  /** Puts a layer in the exact place of another. */
  replace(old: Layer, layer: Layer): void;
}

/** Options of {@linkcode watchLayer}. */
export interface LayerFileOptions {
  /** Called with each version of the layer when it comes into use. */
  readonly onReload?: (layer: Layer) => void;
  /** Called with the reason if a saved version cannot be used. The version before stays in use. */
  readonly onError?: (error: unknown) => void;
}

const RULES: OptionRules<LayerFileOptions> = {
  onReload: callback("takes the new layer"),
  onError: callback("takes what went wrong"),
};

/** A layer from a file. */
export interface LayerFile extends Disposable {
  /** The version in use. */
  readonly layer: Layer;
  /** Replaces the layer in this holder, too, from now on. Call this method after the layer was put in. */
  follow(holder: LayerHolder): void;
  /** Loads the file again now. Returns whether the new version is in use. */
  reload(): Promise<boolean>;
  /** Stops watching. The layer stays where it is. A second call does nothing. */
  close(): void;
}

/** Takes 6 ms to load, a tenth of the import of all ready layers, of which few programs read one from a file. */
function nodePath(): typeof import("node:path") {
  return globalThis.process.getBuiltinModule("node:path");
}

/** The address of a module by its path. */
function addressOf(path: string): string {
  return globalThis.process.getBuiltinModule("node:url").pathToFileURL(path).href;
}

/** Milliseconds of rest after a file was saved, because editors write more than once. */
const QUIET = 50;

/**
 * Loads a layer from a module that exports it as `default` or as `layer`, and
 * again each time the file is saved. From the next command on, the new version
 * takes the place of the old one in every loader or instance that is followed.
 * Modules that the file imports are not loaded again.
 *
 * Needs `--allow-read` for the file and its folder.
 *
 * @throws {TypeError} if the module exports no layer.
 *
 * @example
 * ```ts ignore
 * import { watchLayer } from "@pumice/gfx/layers";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using file = await watchLayer("my_layer.ts", { onError: console.error });
 * using vulkan = loadVulkan({ layers: [file.layer] });
 * file.follow(vulkan);
 * ```
 */
export async function watchLayer(path: string, options: LayerFileOptions = {}): Promise<LayerFile> {
  checkOptions("watchLayer()", options, RULES);
  const full = nodePath().resolve(path);
  return new Watched(full, await load(full, 0), options);
}

class Watched implements LayerFile {
  layer: Layer;
  readonly #path: string;
  readonly #options: LayerFileOptions;
  /** The layer that each holder has: an older one where `onReplace` of the latest threw. */
  readonly #holders = new Map<LayerHolder, Layer>();
  readonly #watcher: Deno.FsWatcher;
  #version = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(path: string, layer: Layer, options: LayerFileOptions) {
    this.layer = layer;
    this.#path = path;
    this.#options = options;
    // Watches the folder, because editors put a new file in the place of the old one.
    this.#watcher = Deno.watchFs(nodePath().dirname(path), { recursive: false });
    this.#watch();
  }

  follow(holder: LayerHolder): void {
    this.#holders.set(holder, this.layer);
  }

  async reload(): Promise<boolean> {
    try {
      const layer = await load(this.#path, ++this.#version);
      const taken = [...this.#holders].map(([holder, old]) => this.#exchange(holder, old, layer));
      if (taken.includes("refused")) return false;
      this.layer = layer;
      this.#options.onReload?.(layer);
      return true;
    } catch (error) {
      this.#options.onError?.(error);
      return false;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    try {
      this.#watcher.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** A holder that no longer has the layer, because it is closed or the layer was detached, is no longer followed. */
  #exchange(holder: LayerHolder, old: Layer, layer: Layer): "taken" | "refused" | "gone" {
    try {
      holder.replace(old, layer);
      this.#holders.set(holder, layer);
      return "taken";
    } catch (error) {
      this.#options.onError?.(error);
      if (error instanceof RefusedExchange) return "refused";
      this.#holders.delete(holder);
      return "gone";
    }
  }

  async #watch(): Promise<void> {
    const { basename } = nodePath(), name = basename(this.#path);
    for await (const { kind, paths } of this.#watcher) {
      if (kind === "access" || kind === "remove" || !paths.some((each) => basename(each) === name)) continue;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.reload(), QUIET);
    }
  }
}

/** Loads a layer once. Throws a `TypeError` for a module that cannot be loaded, or that exports no layer. */
export async function loadLayer(path: string): Promise<Layer> {
  const full = nodePath().resolve(path);
  const found = await import(addressOf(full)).catch((error: Error) => {
    throw new TypeError(`Cannot load the layer "${path}": ${error.message}`, { cause: error });
  });
  return layerOf(full, found);
}

/** Each version has its own URL. Deno would otherwise return the first version again. */
async function load(path: string, version: number): Promise<Layer> {
  return layerOf(path, await import(`${addressOf(path)}${version === 0 ? "" : `?saved=${version}`}`));
}

function layerOf(path: string, found: { readonly default?: Layer; readonly layer?: Layer }): Layer {
  const layer = found.default ?? found.layer;
  if (typeof layer?.name === "string") return layer;
  const names = Object.keys(found).join(", ") || "nothing";
  throw new TypeError(
    `Cannot use "${path}" as a layer: it exports ${names}; export what defineLayer() returns, as default or as layer`,
  );
}
