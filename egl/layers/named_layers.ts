import type { Finding } from "../../loader/driver/report/finding.ts";
import { propertyReader } from "../../loader/driver/android/properties.ts";
import { denoHost, type Host } from "../../loader/driver/host/host.ts";
import { platformOf } from "../../loader/driver/search/search.ts";
import { debugRights, debugSettings } from "../../loader/layers/android/debug_settings.ts";
import { layerFolders } from "../../loader/layers/android/folders.ts";
import type { EglOptions } from "../api/options.ts";
import { isThere, lookAt } from "../driver/look.ts";

/** The folder for developers' layers on a device. */
const DEBUG_FOLDER = "/data/local/debug/gles";
const PROPERTY = "debug.gles.layers", SETTING = "gpu_debug_layers_gles";

/** A native layer to open. */
export interface FoundLayer {
  /** The name that was given. */
  readonly name: string;
  /** The library. */
  readonly path: string;
  /** The setting, property or option that named the layer. */
  readonly origin: string;
}

/** Finds native layers by Android's rules, and records findings. */
export class LayerSearch {
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

  /** Why a layer was not found. */
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
