import type { VkDevice, VkInstance } from "../loader/gen/types_core_gen.ts";
import { type Layer, loadVulkan } from "../loader/mod.ts";
import { compileFixture } from "../tests/support/compile.ts";
import { lavapipePath, systemLoaderPath } from "../tools/setup/parts.ts";
import { type Counterparts, counterparts } from "./counterparts.ts";
import { cstring } from "../ffi/cstring.ts";

/** The real parts the benchmarks run on. */
export interface Parts {
  /** The smallest driver: it adds no time of its own. */
  readonly tiny: string;
  /** Mesa's software driver. */
  readonly lavapipe: string;
  /** The C side. */
  readonly c: Counterparts;
  /** The C side's handle on the system's loader with lavapipe. */
  readonly system: bigint;
}

/** Finds and opens the parts. Throws an `Error` that says what is missing. */
export function openParts(): Parts {
  const tiny = compileFixture("tiny_driver"), lavapipe = lavapipePath();
  if (!tiny || !lavapipe || !systemLoaderPath()) {
    throw new Error(
      "Cannot measure without a C compiler, Mesa lavapipe and the system's Vulkan loader: run deno task setup",
    );
  }
  const c = counterparts();
  const system = c.system_open(cstring(manifestOf(lavapipe)), cstring(systemLoaderPath()!));
  if (system === 0n) throw new Error("Cannot measure: the system's Vulkan loader does not open lavapipe");
  return { tiny, lavapipe, c, system };
}

/** A device and its instance on a driver, for as long as `use` runs. */
export function withDevice(
  driver: string,
  layers: Layer[],
  use: (device: VkDevice, instance: VkInstance) => void,
): void {
  using vulkan = loadVulkan({ driver, layers });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  use(device, instance);
}

/** A manifest for the system's loader, which reads the file for each instance: the file goes when the process ends. */
export function manifestOf(driver: string): string {
  const path = Deno.makeTempFileSync({ suffix: ".json" });
  addEventListener("unload", () => Deno.removeSync(path));
  Deno.writeTextFileSync(
    path,
    JSON.stringify({ file_format_version: "1.0.0", ICD: { library_path: driver, api_version: "1.3.0" } }),
  );
  return path;
}
