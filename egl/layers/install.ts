import { DriverError } from "../../loader/error.ts";
import type { EglScope } from "../api/scope.ts";
import type { EglOptions } from "../api/options.ts";
import type { LayerControls, LayerPlace } from "../../loader/layer.ts";
import { LayerPlaces } from "../../loader/layers/hooks/places.ts";
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
  /**
   * How many calls of other threads there is room for until this thread tells layers with `onForeignThread: "record"`
   * of them, 1 to 1,048,576. Default 65,536.
   */
  readonly foreignCalls?: number;
}

let processWide: readonly GlesLayer[] = [];

/** Sets the layers above those of every later loader of this process, for programs that run somebody else's script. */
export function setProcessGlesLayers(layers: readonly GlesLayer[]): void {
  processWide = layers;
}

/**
 * Attaches layers to a loader: those of the options, and those in Android's settings and properties. The layers close
 * with the loader.
 *
 * @throws {DriverError} when a layer of the options cannot be used. One that a setting or property names is left out instead, and explain() says why.
 */
export function installLayers(scope: EglScope, options: EglOptions & GlesLayerOptions): LiveLayers {
  const search = new LayerSearch(options),
    chain = new Chain(scope, options.foreignCalls),
    live = new LiveLayers(chain, scope);
  scope.state.onClose.push(() => live.close(), () => chain.close());
  try {
    for (const name of search.named.names.toReversed()) pushNamed(chain, search, name);
    for (const layer of [...processWide, ...options.layers ?? []].toReversed()) push(chain, search, layer);
  } finally {
    scope.note(...search.findings);
    tell(search, options);
  }
  chain.lead();
  return live;
}

/** The layers of a live loader. */
export class LiveLayers implements LayerControls<GlesLayer> {
  readonly #chain: Chain;
  readonly #scope: EglScope;
  #open = true;

  /** Controls the layers of a chain until its loader is closed. */
  constructor(chain: Chain, scope: EglScope) {
    this.#chain = chain;
    this.#scope = scope;
  }

  /** The layers in use, top to bottom: native ones by their paths. */
  get layers(): (GlesLayer | string)[] {
    return this.#chain.layers;
  }

  /** Inserts a TypeScript layer; see {@linkcode LayerPlaces.attach}. */
  attach(layer: GlesLayer, place?: LayerPlace<GlesLayer>): void {
    this.#change("attach", (places) => places.attach(layer, place));
  }

  /** Removes a TypeScript layer. Throws a `TypeError` if the layer is not attached. */
  detach(layer: GlesLayer): void {
    this.#change("detach", (places) => places.detach(layer));
  }

  /** Puts a TypeScript layer in the place of another. Throws a `TypeError` if the other is not attached, or the new one is. */
  replace(old: GlesLayer, layer: GlesLayer): void {
    this.#change("replace", (places) => places.replace(old, layer));
  }

  /** Reports recorded calls of other threads to the layers; see {@linkcode ForeignCalls.drain}. */
  drain(): number {
    return this.#chain.foreign.drain();
  }

  /** The number of calls that were lost. */
  get lostCalls(): number {
    return this.#chain.foreign.lost;
  }

  /** Whether a command can be called; see {@linkcode EglScope.supports}. */
  supports(command: string): boolean {
    return this.#scope.supports(command);
  }

  /** Ends the control, because the chain is closed. */
  close(): void {
    this.#open = false;
  }

  #change(doing: string, change: (places: LayerPlaces<GlesLayer>) => void): void {
    if (!this.#open) {
      throw new TypeError(`Cannot ${doing} a layer: its loader is closed; open one with loadEgl()`);
    }
    const places = new LayerPlaces(this.#chain.groups);
    change(places);
    this.#chain.arrange(places);
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

/** Opens a layer by its name. A layer that cannot be used does not affect the other layers. */
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
