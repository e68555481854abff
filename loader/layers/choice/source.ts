import { prepareQuietLibraries } from "../../../ffi/library/library.ts";
import type { Finding } from "../../driver/report/finding.ts";
import type { FollowingHost } from "../../driver/host/following_host.ts";
import { Remembered } from "../../driver/host/remembered.ts";
import type { Activation, ActivationRequest, ActiveLayer, LayerCatalog, LayerFinder } from "./rules.ts";
import { ENABLED_BY } from "./tell.ts";

/** The source of a loader's layers, beside those it was given. */
export interface SourceOptions {
  /** The machine. */
  readonly host: FollowingHost;
  /** The finder of its layers. */
  readonly finder: LayerFinder;
}

/** The layers of an instance, and the catalogue they were chosen from. */
export interface Choice extends Activation {
  /** All available layers. */
  readonly catalog: LayerCatalog;
}

/** The machine's layers, searched again for each query, unless the finder keeps those for native code. */
export class LayerSource {
  readonly #options: SourceOptions;
  readonly #remembered = new Remembered<LayerCatalog>();
  /** The same for a script that wants none. */
  readonly #unwanted = new Remembered<LayerCatalog>();
  #kept: LayerCatalog | undefined;
  #findings: readonly Finding[] | undefined;
  #more: readonly Finding[] = [];

  /** Makes a source that has not searched yet. */
  constructor(options: SourceOptions) {
    this.#options = options;
  }

  /** Whether none of Deno's operations may be called. */
  get isQuiet(): boolean {
    return this.#options.host.isQuiet;
  }

  /** Returns the current layers. Only the environment is read if neither it nor the caller (`all`) wants any. */
  look(all: boolean): LayerCatalog {
    const { host, finder } = this.#options;
    if (host.isQuiet) return this.#kept ?? this.#remembered.get(host, (machine) => finder.read(machine, true));
    if (finder.isKept) return finder.read(host, all);
    host.next();
    return (all ? this.#remembered : this.#unwanted).get(host, (machine) => finder.read(machine, all));
  }

  /** Chooses the layers of an instance. `wanted`: it requests layers that the loader was not given. */
  choose(request: ActivationRequest, wanted: boolean): Choice {
    const catalog = this.look(wanted);
    return { ...catalog.activate(request), catalog };
  }

  /** Makes {@linkcode LayerSource.findings} report about a choice. */
  remember({ catalog, findings }: Choice): void {
    this.#findings = [...catalog.findings, ...findings];
    this.#more = [];
  }

  /** Adds findings about the last choice, without repeats. */
  add(findings: readonly Finding[]): void {
    const isNew = ({ path, reason }: Finding) =>
      !this.#more.some((each) => each.path === path && each.reason === reason);
    this.#more = [...this.#more, ...findings.filter(isNew)];
  }

  /** Returns the findings of the last remembered choice; without one, those of the next. */
  findings(present: readonly string[]): readonly Finding[] {
    return [...this.#findings ?? this.#expected(present), ...this.#more];
  }

  /** Makes the next query see the current machine. */
  next(): void {
    this.#options.host.next();
  }

  /** Searches once, and from now on as callbacks must. Not for use inside a callback. */
  keep(): void {
    prepareQuietLibraries();
    const { host, finder } = this.#options;
    if (finder.isKept) this.#kept = finder.read(host, true);
    // kept while the host freezes
    else this.#remembered.get(host, (machine) => finder.read(machine, true));
    host.follow(true);
    this.look(true);
  }

  /** Searches as a script may again. */
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

/** The finding about a layer before there was an instance to open it for. */
function expected({ layer, by }: ActiveLayer): Finding {
  const reason = `${layer.name}, enabled by: ${ENABLED_BY[by]}; opened with each instance`;
  return { subject: "layer", path: layer.library, origin: layer.manifest, taken: true, reason };
}
