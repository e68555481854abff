import { propertyReader } from "../../loader/driver/android/properties.ts";
import { denoHost, type Host } from "../../loader/driver/host/host.ts";
import type { Finding } from "../../loader/driver/report/finding.ts";
import { platformOf } from "../../loader/driver/search/search.ts";
import { DriverError } from "../../loader/error.ts";
import type { LayerControls, LayerPlace } from "../../loader/layer.ts";
import { debugRights, debugSettings } from "../../loader/layers/android/debug_settings.ts";
import { layerFolders } from "../../loader/layers/android/folders.ts";
import { LayerPlaces, withControls } from "../../loader/layers/hooks/places.ts";
import type { Egl } from "../api/egl.ts";
import type { EglOptions } from "../api/options.ts";
import type { EglScope } from "../api/scope.ts";
import { isThere, lookAt } from "../driver/library_files.ts";
import { Chain } from "./chain.ts";
import type { GlesLayer } from "./gles_layer.ts";

/** The folder for developers' layers on a device. */
const DEBUG_FOLDER = "/data/local/debug/gles";
const PROPERTY = "debug.gles.layers", SETTING = "gpu_debug_layers_gles";

/** A native layer to open. */
interface FoundLayer {
  /** The name that was given. */
  readonly name: string;
  /** The library. */
  readonly path: string;
  /** The setting, property or option that named the layer. */
  readonly origin: string;
}

/** Finds native layers by Android's rules, and records findings. */
class LayerSearch {
  /** The findings, in order. */
  readonly findings: Finding[] = [];
  /** The names from settings or from a property, top to bottom, and their origin. */
  readonly named: { readonly names: readonly string[]; readonly origin: string };
  readonly #folders: readonly { path: string; origin: string }[];
  readonly #host: Host;
  readonly #isAndroid: boolean;

  /** Reads settings and properties, and opens nothing. */
  constructor({ host = denoHost(), release: _, ...options }: EglOptions) {
    this.#host = host;
    this.#isAndroid = platformOf(options.platform, host) === "android";
    const property = this.#isAndroid || options.systemProperties !== undefined
      ? propertyReader({ ...options, host })
      : () => "";
    const rights = debugRights(options, property, host);
    const settings = debugSettings(options, rights, false, this.findings, SETTING);
    this.#folders = layerFolders(options, rights, settings, host, this.findings, DEBUG_FOLDER);
    const isElevated = rights.isElevated ?? false;
    this.named = settings && settings.layers.length > 0
      ? { names: settings.layers, origin: SETTING }
      : { names: isElevated ? [] : this.#ofProperty(property(PROPERTY)), origin: PROPERTY };
  }

  /** Finds a layer; `undefined` for a missing one, which is recorded. */
  find(name: string, origin: string): FoundLayer | undefined {
    const path = name.includes("/") ? this.#real(name) : this.#inFolders(name);
    if (path !== undefined) return { name, path, origin };
    this.refused(name, origin, this.lack(name));
  }

  /** The reason why a layer was not found. */
  lack(name: string): string {
    if (name.includes("/")) return "there is no such file";
    const folders = this.#folders.map(({ path }) => path).join(", ");
    return folders === "" ? "there is no folder to look for it in" : `none of ${folders} holds it`;
  }

  /** Records a layer that is in use. */
  took({ path, origin }: FoundLayer): void {
    this.findings.push({ subject: "layer", path, origin, taken: true, reason: "initialized" });
  }

  /** Records a layer that is not in use. */
  refused(path: string, origin: string, reason: string): void {
    this.findings.push({ subject: "layer", path, origin, taken: false, reason, level: "warning" });
  }

  #ofProperty(value: string): string[] {
    if (value === "") return [];
    const reason = "names layers for every process";
    this.findings.push({ subject: "property", path: PROPERTY, value, origin: "properties", taken: true, reason });
    return value.split(":").filter((name) => name !== "");
  }

  #inFolders(name: string): string | undefined {
    for (const { path } of this.#folders) {
      const real = this.#real(`${path}/${name}`);
      if (real !== undefined) return real;
    }
    return this.#isAndroid || this.#folders.length > 0 ? undefined : name; // the dynamic linker may find the layer
  }

  #real(path: string): string | undefined {
    if (lookAt(path, this.#host) === "hidden") return path;
    return isThere(path, this.#host) ? this.#host.realPath(path) : undefined;
  }
}

/** The layers of a loader. */
export interface GlesLayerOptions {
  /**
   * Layers, the first one closest to the application: TypeScript layers, and native layers by the path of their library
   * or by its file name, which is searched in Android's folders. Layers from settings or from a property are below
   * these.
   */
  readonly layers?: readonly (GlesLayer | string)[];
  /**
   * The number of calls of other threads for which there is room until this thread tells layers with
   * `onForeignThread: "record"` of them, 1 to 1,048,576. Default 65,536.
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

/**
 * A loader with layers. A function that was taken from the object before a
 * layer was attached, such as `const { glClear } = egl.gl`, bypasses the layer.
 */
export interface LayeredEgl extends Egl, LayerControls<GlesLayer> {
  /** The active layers, the first one closest to the application; native layers by their paths. */
  readonly layers: (GlesLayer | string)[];
}

/** Settings of the loader and its layers for `loadEgl`. */
export interface LayeredEglOptions extends EglOptions, GlesLayerOptions {}

/** Attaches layers to a loader. Throws a `DriverError` for a listed layer that cannot be used. */
export function layered(scope: EglScope, options: GlesLayerOptions): LayeredEgl {
  const live = installLayers(scope, options);
  return withControls(Object.defineProperty(scope.egl, "layers", { get: () => live.layers }), live) as LayeredEgl;
}
