/**
 * Android devices with layers on them: a folder that stands for a device's
 * file tree, with copies of a layer library where a test puts them.
 *
 * @module
 */
import {
  type Finding,
  loadVulkan,
  type ProcessIdentity,
  type Vulkan,
  type VulkanOptions,
} from "../../../../loader/mod.ts";
import { VulkanError } from "../../../../loader/error.ts";
import { compileFixture } from "../../../support/compile.ts";
import { needs } from "../../../support/require.ts";
import { withEnvironment, withFolder } from "../../../support/temporary.ts";
import { fakeHost } from "../../driver/fake_host.ts";
import { TINY } from "../../tiny.ts";

/** The debuggable application of these tests, and one that may not be debugged. */
export const APP = "org.example.game";
/** The folders of layers: the developers' folder, the application's own libraries, its data. */
export const DEBUG = "/data/local/debug/vulkan", OWN = "/data/app/game/lib", DATA = `/data/data/${APP}`;
/** An application that may be debugged, and one that may not. */
export const DEBUGGABLE = { packageName: APP, nativeLibraryDir: OWN, debuggable: true };
/** One that may not. */
export const RELEASED = { packageName: APP, nativeLibraryDir: OWN };

/** Options for tests that need the layer library. */
export const NEEDS_LAYER: { ignore: boolean } = needs("C compiler (cc)", TINY && compileFixture("android_layer"));

/** Settings that turn these layers on for the application. */
export function settingsFor(layers?: string, more: Record<string, string> = {}): Record<string, string> {
  const names: Record<string, string> = layers === undefined
    ? {}
    : { gpu_debug_layers: layers.split(":").map(layerName).join(":") };
  return { enable_gpu_debug_layers: "1", gpu_debug_app: APP, ...names, ...more };
}

/** The name of a layer by its short name; what has no short name stays. */
export function layerName(short: string): string {
  return short === "" || short.startsWith("VK_") ? short : `VK_LAYER_TEST_${short}`;
}

/** The queues of a device with one. */
export const ONE_QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

/** A create info that asks for layers by their short names. */
export function asking(...shorts: string[]): { ppEnabledLayerNames: string[] } {
  return { ppEnabledLayerNames: shorts.map(layerName) };
}

/** A VkInstanceCreateInfo in these tests. */
type InstanceInfo = Parameters<Vulkan["vkCreateInstance"]>[0];

/** A folder that stands for a device. */
export class Phone {
  /** The folder. */
  readonly root: string;
  /** The identity whose rights the process has; `undefined` for that of the tests. */
  identity: ProcessIdentity | undefined;

  /** A device without any layers. */
  constructor(root: string) {
    this.root = root;
  }

  /** Puts layer libraries into a folder, by what comes behind `libVkLayer_` in their names. */
  put(folder: string, ...names: string[]): this {
    for (const name of names) this.copy(folder, name, []);
    return this;
  }

  /** Puts one there that was built with flags. */
  copy(folder: string, name: string, flags: readonly string[], source = "android_layer"): this {
    const variant = flags.map((flag) => flag.slice(2).toLowerCase()).join("_");
    return this.file(`${folder}/libVkLayer_${name}.so`, compileFixture(source, flags, variant)!);
  }

  /** Puts a copy of a file there. */
  file(path: string, from: string): this {
    Deno.mkdirSync(this.root + path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.copyFileSync(from, this.root + path);
    return this;
  }

  /** Loads the tiny driver, or another, on this device. */
  load(options: VulkanOptions = {}, env: Readonly<Record<string, string>> = {}): Vulkan {
    const host = fakeHost({ system: "android", identity: this.identity, env });
    return loadVulkan({ platform: "android", driver: TINY!, root: this.root, systemProperties: {}, host, ...options });
  }

  /** The layers an instance is made through, top to bottom, by their short names; a VkResult when there is none. */
  order(options: VulkanOptions = {}, info: InstanceInfo = {}, env?: Readonly<Record<string, string>>): string {
    using vulkan = this.load(options, env);
    const before = this.log().length, result = resultOf(() => vulkan.vkCreateInstance(info).close());
    const lines = this.log().slice(before).filter((line) => line.endsWith(" create instance"));
    return result < 0 ? String(result) : lines.map((line) => line.split(" ")[0]).join(" ");
  }

  /** The short names of the layers that applications are told of. */
  listed(options: VulkanOptions = {}): string[] {
    using vulkan = this.load(options);
    return vulkan.vkEnumerateInstanceLayerProperties().map((each) => each.layerName.replace("VK_LAYER_TEST_", ""));
  }

  /** The findings after an instance was asked for. */
  findings(options: VulkanOptions = {}, info: InstanceInfo = {}): Finding[] {
    using vulkan = this.load(options);
    resultOf(() => vulkan.vkCreateInstance(info).close());
    return vulkan.explain();
  }

  /** The findings about paths that end so. */
  said(end: string, options: VulkanOptions = {}, info: InstanceInfo = {}): [taken: boolean, reason: string][] {
    return this.findings(options, info).filter(({ path }) => path.endsWith(end))
      .map(({ taken, reason }) => [taken, reason.replaceAll(this.root, "")]);
  }

  /** The events that the layers saw up to now. */
  log(): string[] {
    try {
      return Deno.readTextFileSync(`${this.root}/log`).split("\n").slice(0, -1);
    } catch {
      return [];
    }
  }
}

/** A VkResult: 0, or that of the error a call throws. */
export function resultOf(call: () => void): number {
  try {
    call();
    return 0;
  } catch (error) {
    if (error instanceof VulkanError) return error.code;
    throw error;
  }
}

/** Lets a test set up a device; its layers write to a log of its own. */
export function withPhone(use: (phone: Phone) => void): void {
  withFolder((root) => withEnvironment({ CHAIN_LOG: `${root}/log` }, () => use(new Phone(root))));
}
