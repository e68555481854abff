/**
 * Machines with layers on them, for the tests of which layers count: manifests
 * and libraries in a folder of their own, and an environment that leads there.
 *
 * @module
 */
import { type Finding, loadVulkan, type Vulkan, VulkanError, type VulkanOptions } from "../../../../loader/mod.ts";
import type { ProcessIdentity } from "../../../../loader/mod.ts";
import { compileFixture } from "../../../support/compile.ts";
import { withEnvironment, withFolder } from "../../../support/temporary.ts";
import { fakeHost } from "../../driver/fake_host.ts";
import { TINY } from "../../tiny.ts";

/** The layer that says what it sees; `undefined` without a compiler. */
export const CHAIN_LAYER: string | undefined = compileFixture("chain_layer");

/** Nothing is installed but what the test puts there. */
const NOWHERE = { XDG_CONFIG_HOME: "/nowhere", XDG_CONFIG_DIRS: "/nowhere", XDG_DATA_DIRS: "/nowhere" };
/** A VkInstanceCreateInfo in these tests. */
type InstanceInfo = Parameters<Vulkan["vkCreateInstance"]>[0];

/** The wishes for a layer, beside its name. */
export interface LayerSpec {
  /** Behaviours of the fixture, such as `+wrap`. */
  readonly flags?: string;
  /** Members of its manifest in place of the usual ones; `undefined` leaves one out. */
  readonly layer?: Readonly<Record<string, unknown>>;
  /** Members at the top of its manifest. */
  readonly top?: Readonly<Record<string, unknown>>;
  /** The place of the manifest, below the folder, instead of the usual folder for its kind. */
  readonly at?: string;
}

/** A folder that stands for a machine. */
export class LayerMachine {
  /** The folder. */
  readonly folder: string;
  /** The identity whose rights processes have on it; `undefined` for that of the tests. */
  identity: ProcessIdentity | undefined;
  /** The lines that were written to standard error. */
  readonly lines: string[] = [];

  /** A machine in an empty folder. */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** Installs an explicit layer; returns its manifest. */
  explicit(short: string, spec: LayerSpec = {}): string {
    return this.#install("explicit", short, spec);
  }

  /** Installs an implicit layer; returns its manifest. Its disable variable is `OFF_` and the short name. */
  implicit(short: string, spec: LayerSpec = {}): string {
    return this.#install("implicit", short, spec);
  }

  /** Puts a meta-layer there; returns its manifest. */
  meta(short: string, components: readonly string[], spec: LayerSpec = {}, kind: "explicit" | "implicit" = "explicit") {
    const component_layers = components.map(layerName);
    return this.#install(kind, short, { ...spec, layer: { component_layers, library_path: undefined, ...spec.layer } });
  }

  /** Loads the tiny driver on this machine. */
  load(env: Readonly<Record<string, string>> = {}, options: VulkanOptions = {}): Vulkan {
    return loadVulkan({ ...this.options(env), ...options });
  }

  /** The options to load the tiny driver on this machine. */
  options(env: Readonly<Record<string, string>> = {}): VulkanOptions {
    const everything = { ...NOWHERE, XDG_DATA_HOME: this.folder, ...env };
    const fake = fakeHost({ env: everything, identity: this.identity, lines: this.lines });
    return { platform: "linux", driver: TINY!, implicitLayers: true, host: { ...fake, executable: () => PROGRAM } };
  }

  /** The layers that an instance gets, top to bottom, by their short names; a VkResult when there is none. */
  chain(
    env: Readonly<Record<string, string>> = {},
    info: InstanceInfo = {},
    options: VulkanOptions = {},
  ): string[] | number {
    using vulkan = this.load(env, options);
    const before = this.log().length;
    const result = this.result(vulkan, info);
    const names = this.log().slice(before).filter((line) => line.includes(" structs")).map((line) =>
      line.split(" ")[0]
    );
    return result < 0 ? result : names;
  }

  /** The same, joined for comparison. */
  order(env: Readonly<Record<string, string>> = {}, info: InstanceInfo = {}, options: VulkanOptions = {}): string {
    const chain = this.chain(env, info, options);
    return typeof chain === "number" ? String(chain) : chain.join(" ");
  }

  /** The result of making and destroying an instance. */
  result(vulkan: Vulkan, info: InstanceInfo): number {
    try {
      vulkan.vkCreateInstance(info).close();
      return 0;
    } catch (error) {
      if (error instanceof VulkanError) return error.code;
      throw error;
    }
  }

  /** The findings from making an instance. */
  findings(env: Readonly<Record<string, string>> = {}, info: InstanceInfo = {}): Finding[] {
    using vulkan = this.load(env);
    this.result(vulkan, info);
    return vulkan.explain();
  }

  /** The events that the layers saw up to now, as `name event`. */
  log(): string[] {
    try {
      return Deno.readTextFileSync(`${this.folder}/log`).split("\n").slice(0, -1);
    } catch {
      return [];
    }
  }

  /** A library of the fixture under a layer's name. */
  library(short: string, flags = ""): string {
    const path = `${this.folder}/lib/${layerName(short)}${flags}.so`;
    Deno.mkdirSync(`${this.folder}/lib`, { recursive: true });
    Deno.copyFileSync(CHAIN_LAYER!, path);
    return path;
  }

  /** Writes a file below the folder; returns its path. */
  write(at: string, content: unknown): string {
    const path = `${this.folder}/${at}`;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }

  /** The `layer` object of a manifest. */
  layer(kind: "explicit" | "implicit", short: string, { flags, layer = {} }: LayerSpec = {}): Record<string, unknown> {
    return {
      name: layerName(short),
      type: "GLOBAL",
      library_path: "library_path" in layer ? undefined : this.library(short, flags),
      api_version: "1.3.250",
      implementation_version: "7",
      description: `The layer ${short}`,
      ...(kind === "implicit" ? { disable_environment: { [`OFF_${short}`]: "1" } } : {}),
      ...layer,
    };
  }

  #install(kind: "explicit" | "implicit", short: string, spec: LayerSpec): string {
    const { top = {}, at = `vulkan/${kind}_layer.d` } = spec;
    const manifest = { file_format_version: "1.2.0", layer: this.layer(kind, short, spec), ...top };
    return this.write(`${at}/${short}.json`, manifest);
  }
}

/** The program that runs on such a machine. */
export const PROGRAM = "/opt/game/bin/game";

/** The name of a layer by the part that tells it from others. */
export function layerName(short: string): string {
  return short.startsWith("VK_LAYER_") ? short : `VK_LAYER_TEST_${short}`;
}

/** Lets a test set up a machine; its layers write to a log of its own. */
export function withMachine(use: (machine: LayerMachine) => void): void {
  withFolder((folder) => withEnvironment({ CHAIN_LOG: `${folder}/log` }, () => use(new LayerMachine(folder))));
}

/** The reasons given about a layer, manifest or variable. */
export function said(findings: readonly Finding[], end: string): [boolean, string][] {
  return findings.filter(({ path }) => path.endsWith(end)).map(({ taken, reason }) => [taken, reason]);
}
