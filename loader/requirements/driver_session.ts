import { fullestInstance } from "../api/fullest_instance.ts";
import type { Vulkan } from "../api/vulkan.ts";
import type { VkInstance } from "../gen/types_core_gen.ts";
import type { DriverFacts } from "./facts.ts";
import { QueriedDevice } from "./queried_device.ts";
import { risk, type Risks } from "./requirement.ts";

/** The loader's window system around the driver. */
export interface Window {
  /** Instance extensions that an application with a window enables. */
  readonly instanceExtensions: readonly string[];
  /** All extensions that the loader's window system provides. */
  readonly provided: ReadonlySet<string>;
}

/** Extensions that 1.0 needs for the queries. */
const QUERIES = [
  "VK_KHR_get_physical_device_properties2",
  "VK_KHR_external_fence_capabilities",
  "VK_KHR_external_memory_capabilities",
  "VK_KHR_external_semaphore_capabilities",
];

/** A driver with an instance as an application creates it, for queries. */
export class DriverSession implements DriverFacts, Disposable {
  readonly devices: readonly QueriedDevice[] = [];
  readonly instanceVersion: number;
  readonly problem?: string;
  #instance: VkInstance | undefined;

  /** Creates the instance. If the driver refuses, there are no devices, and there is a problem. */
  constructor(vulkan: Vulkan, { instanceExtensions, provided }: Window, risks: Risks = {}) {
    this.instanceVersion = vulkan.vkEnumerateInstanceVersion();
    try {
      const listed = vulkan.vkEnumerateInstanceExtensionProperties();
      const extensions = new Map(listed.map(({ extensionName, specVersion }) => [extensionName, specVersion]));
      const enabled = [...QUERIES, ...instanceExtensions].filter((name) => extensions.has(name));
      const { instance, apiVersion } = risk(
        "vkCreateInstance",
        risks,
        () => fullestInstance(vulkan, { ppEnabledExtensionNames: enabled }),
      );
      this.#instance = instance;
      const around = { instance, apiVersion, enabled: new Set(enabled), extensions, provided, risks };
      this.devices = risk(
        "vkEnumeratePhysicalDevices, and what the devices report",
        risks,
        () => instance.vkEnumeratePhysicalDevices().map((gpu) => new QueriedDevice(gpu, around)),
      );
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  /** Destroys what was created. */
  [Symbol.dispose](): void {
    for (const device of this.devices) device[Symbol.dispose]();
    this.#instance?.close();
    this.#instance = undefined;
  }
}
