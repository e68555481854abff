import { readCString } from "../../../../ffi/cstring.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import type { VkDevice, VkInstance, VkInstanceCreateInfo } from "../../../../loader/gen/types_core_gen.ts";
import { loadVulkan, type Vulkan, type VulkanOptions } from "../../../../loader/mod.ts";
import { compileFixture } from "../../../support/compile.ts";
import { needs } from "../../../support/require.ts";

/** The lacks of one build of the test driver, or its additions; see tests/fixtures/android_driver.c. */
export type Flags = Readonly<Record<string, string | number>>;

/** An extension list for a flag. */
export function extensions(...names: (string | [name: string, version: number])[]): string {
  return names.map((each) => typeof each === "string" ? [each, 1] as const : each)
    .map(([name, version]) => `{"${name}",${version}},`).join("");
}

/** A list of names for a flag. */
export function lacks(...names: string[]): string {
  return names.map((name) => `"${name}",`).join("");
}

/** A test driver of Android's driver level, with a hand on what it saw. */
export class AndroidDriverFixture {
  /** The path of the library. */
  readonly path: string;

  /** Compiles it, once for each set of flags. */
  constructor(variant: string, flags: Flags = {}) {
    const given = Object.entries(flags).map(([name, value]) => `-D${name}=${value}`);
    this.path = compileFixture("android_driver", given, variant) ?? "";
  }

  /** A loader of Android for it. */
  load(options: VulkanOptions = {}): Vulkan {
    return loadVulkan({ driver: this.path, platform: "android", ...options });
  }

  /** Makes an instance, hands it over and closes everything afterwards. */
  withInstance<T>(
    use: (instance: VkInstance, vulkan: Vulkan) => T,
    { info = {}, ...options }: VulkanOptions & { info?: VkInstanceCreateInfo } = {},
  ): T {
    using vulkan = this.load(options);
    using instance = vulkan.vkCreateInstance(info);
    return use(instance, vulkan);
  }

  /** Makes a device with these extensions, hands it over and closes everything afterwards. */
  withDevice<T>(
    use: (device: VkDevice, instance: VkInstance) => T,
    { extensions = [], ...options }: VulkanOptions & { info?: VkInstanceCreateInfo; extensions?: string[] } = {},
  ): T {
    return this.withInstance((instance) => {
      using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({
        pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
        ppEnabledExtensionNames: extensions,
      });
      return use(device, instance);
    }, options);
  }

  /** Keeps the driver loaded, and with it what it counts and notes, while `use` runs. */
  holding<T>(use: () => T): T {
    using _library = Library.open(this.path);
    return use();
  }

  /** The driver's notes while `use` runs, a line a call. */
  watching(use: () => void): string[] {
    return this.holding(() => {
      this.seen();
      use();
      return this.seen();
    });
  }

  /** The driver's notes since it was last asked, a line a call. */
  seen(): string[] {
    return this.#text("android_seen").trim().split("\n");
  }

  /** The arguments of the last call of its debug_report callback. */
  told(): string {
    return this.#text("android_told");
  }

  /** The number of `instances`, `devices` or `callbacks`. */
  count(what: string): number {
    using library = Library.open(this.path);
    return invokeAddress(library.require(`android_${what}`), "s:", []) as number;
  }

  /** The address of one of its exported functions. */
  address(name: string): bigint {
    using library = Library.open(this.path);
    return library.require(name);
  }

  #text(name: string): string {
    using library = Library.open(this.path);
    return readCString(invokeAddress(library.require(name), "q:", []) as bigint);
  }
}

/** Options for tests that need the test driver. */
export const NEEDS_DRIVER: { ignore: boolean } = needs(
  "C compiler (cc)",
  new AndroidDriverFixture("").path || undefined,
);

/** Asks a GetProcAddr function at an address. */
export { procOf as ask } from "../../../../ffi/library/library.ts";
