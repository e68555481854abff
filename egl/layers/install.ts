import { DriverError } from "../../loader/error.ts";
import type { EglScope } from "../api/scope.ts";
import type { EglOptions } from "../api/options.ts";
import { Chain } from "./chain.ts";
import type { GlesLayer } from "./gles_layer.ts";
import { type FoundLayer, LayerSearch } from "./named_layers.ts";

/** The layers of a loader. */
export interface GlesLayerOptions {
  /**
   * Layers, the first one closest to the application: TypeScript layers, and native layers by the path of their library
   * or by its file name, which is searched in Android's folders. Layers from settings or from a property are below
   * these.
   */
  readonly layers?: readonly (GlesLayer | string)[];
}

/** The layers of a loader. */
export interface InstalledLayers {
  /** The layers in use, top to bottom: native ones by their paths. */
  readonly layers: (GlesLayer | string)[];
  /** Puts a TypeScript layer in, closest to the application, from the next command on. */
  attach(layer: GlesLayer): void;
  /** Takes a TypeScript layer out. Throws a `TypeError` when it is not there. */
  detach(layer: GlesLayer): void;
}

/**
 * Puts layers before the commands of a loader: those of the options and those
 * that Android's settings and properties name. They go with the loader.
 *
 * @throws {DriverError} when a layer of the options cannot be used. One that a setting or property names is left out instead, and explain() says why.
 */
export function installLayers(scope: EglScope, options: EglOptions & GlesLayerOptions): InstalledLayers {
  const search = new LayerSearch(options), chain = new Chain(scope);
  scope.state.onClose.push(() => chain.close());
  try {
    for (const name of search.named.names.toReversed()) pushNamed(chain, search, name);
    for (const layer of (options.layers ?? []).toReversed()) push(chain, search, layer);
  } finally {
    scope.note(...search.findings);
    tell(search, options);
  }
  chain.lead();
  return new LiveLayers(chain);
}

class LiveLayers implements InstalledLayers {
  readonly #chain: Chain;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  get layers(): (GlesLayer | string)[] {
    return this.#chain.layers;
  }

  attach(layer: GlesLayer): void {
    check(layer);
    if (this.layers.includes(layer)) throw new TypeError(`Cannot attach ${layer.name}: it is there already`);
    this.#chain.push(layer);
    this.#chain.lead();
  }

  detach(layer: GlesLayer): void {
    if (!this.#chain.remove(layer)) {
      throw new TypeError(`Cannot detach ${layer?.name}: it is not among the TypeScript layers; attach it first`);
    }
    this.#chain.lead();
  }
}

function check(layer: unknown): asserts layer is GlesLayer {
  if (typeof layer === "object" && layer !== null && typeof (layer as GlesLayer).name === "string") return;
  throw new TypeError(`Cannot use ${layer} as a layer: give what defineGlesLayer() returns, or the path of a library`);
}

function push(chain: Chain, search: LayerSearch, layer: GlesLayer | string): void {
  if (typeof layer !== "string") {
    check(layer);
    chain.push(layer);
    search.findings.push({ subject: "layer", path: layer.name, origin: "layers option", taken: true, reason: "given" });
    return;
  }
  const found = search.find(layer, "layers option");
  if (!found) throw new DriverError("not-found", layer, `Cannot find the GLES layer "${layer}": ${search.lack(layer)}`);
  const error = open(chain, search, found);
  if (error) throw error;
}

/** A layer that cannot be used leaves those of the others that can. */
function pushNamed(chain: Chain, search: LayerSearch, name: string): void {
  const found = search.find(name, search.named.origin);
  if (found) open(chain, search, found);
}

function open(chain: Chain, search: LayerSearch, found: FoundLayer): DriverError | undefined {
  try {
    chain.pushNative(found.path);
    search.took(found);
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    search.refused(found.path, found.origin, error.message);
    return error;
  }
}

function tell({ findings }: LayerSearch, { log }: EglOptions): void {
  for (const { path, reason, level } of findings) if (level === "warning") log?.(`${path}: ${reason}`);
}
