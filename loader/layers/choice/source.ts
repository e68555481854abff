import { prepareQuietLibraries } from "../../../ffi/library/quiet_library.ts";
import type { Finding } from "../../driver/report/finding.ts";
import type { FollowingHost } from "../../driver/host/following_host.ts";
import { Remembered } from "../../driver/host/remembered.ts";
import { type Activation, type ActivationRequest, type ActiveLayer, ENABLED_BY } from "./choose.ts";
import type { LayerCatalog, LayerFinder } from "./rules.ts";

/** Where a loader's layers come from, beside those it was given. */
export interface SourceOptions {
  /** The machine. */
  readonly host: FollowingHost;
  /** What finds its layers. */
  readonly finder: LayerFinder;
}

/** Which layers an instance gets, and out of what. */
export interface Choice extends Activation {
  /** All there are. */
  readonly catalog: LayerCatalog;
}

/** The machine's layers, looked at anew each time somebody asks, unless its finder keeps those that native code asks for. */
export class LayerSource {
  readonly #options: SourceOptions;
  readonly #remembered = new Remembered<LayerCatalog>();
  #kept: LayerCatalog | undefined;
  #findings: readonly Finding[] | undefined;
  #more: readonly Finding[] = [];

  /** A source that has not looked yet. */
  constructor(options: SourceOptions) {
    this.#options = options;
  }

  /** Whether none of Deno's operations may be called. */
  get isQuiet(): boolean {
    return this.#options.host.isQuiet;
  }

  /**
   * The layers there are now. Nothing but the environment is looked at when
   * neither that nor the caller (`all`) wants any.
   */
  look(all: boolean): LayerCatalog {
    const { host, finder } = this.#options;
    if (!host.isQuiet) return finder.read(host, all);
    return this.#kept ?? this.#remembered.get(host, (machine) => finder.read(machine, true));
  }

  /** The layers an instance gets. `wanted`: it asks for some that the loader was not given. */
  choose(request: ActivationRequest, wanted: boolean): Choice {
    const catalog = this.look(wanted);
    return { ...catalog.activate(request), catalog };
  }

  /** Lets a choice be what {@linkcode LayerSource.findings} tells of. */
  remember({ catalog, findings }: Choice): void {
    this.#findings = [...catalog.findings, ...findings];
    this.#more = [];
  }

  /** More about the last choice; nothing twice. */
  add(findings: readonly Finding[]): void {
    const isNew = ({ path, reason }: Finding) =>
      !this.#more.some((each) => each.path === path && each.reason === reason);
    this.#more = [...this.#more, ...findings.filter(isNew)];
  }

  /** What the last choice that counted went by; without one, what the next would. */
  findings(present: readonly string[]): readonly Finding[] {
    return [...this.#findings ?? this.#expected(present), ...this.#more];
  }

  /** Whoever asks from now on wants to know what there is now. */
  next(): void {
    this.#options.host.next();
  }

  /** Looks once, and from now on as callbacks must. Not inside a callback. */
  keep(): void {
    prepareQuietLibraries();
    const { host, finder } = this.#options;
    if (finder.isKept) this.#kept = finder.read(host, true);
    // The alignment of each piece of memory, as with malloc.
    else this.#remembered.get(host, (machine) => finder.read(machine, true));
    host.follow(true);
    this.look(true);
  }

  /** Looks as a script may. */
  release(): void {
    this.#options.host.follow(false);
    this.#kept = undefined;
    this.#remembered.forget();
  }

  #expected(present: readonly string[]): Finding[] {
    const { catalog, active, findings } = this.choose({ requested: [], present }, false);
    return [...catalog.findings, ...findings, ...active.map(expected)];
  }
}

/** What is said of a layer before there was an instance to open it for. */
function expected({ layer, by }: ActiveLayer): Finding {
  const reason = `${layer.name}, enabled by: ${ENABLED_BY[by]}; opened with each instance`;
  return { subject: "layer", path: layer.library, origin: layer.manifest, taken: true, reason };
}
