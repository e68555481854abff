import { Library } from "../../ffi/library/library.ts";
import { invokeAddress } from "../../ffi/machine.ts";
import { type Layer, loadVulkan, type Vulkan } from "../../loader/mod.ts";
import type { VkDevice } from "../../loader/gen/types_core_gen.ts";
import { compileFixture } from "../support/compile.ts";
import { needs } from "../support/require.ts";

/** The smallest driver there is, as an ICD. */
export const TINY: string | undefined = compileFixture("tiny_driver");
/** The same as an Android HAL module. */
export const TINY_HAL: string | undefined = compileFixture("tiny_driver", ["-DHAL"], "hal");

/** Options for tests that need the tiny driver. */
export const NEEDS_TINY: { ignore: boolean } = needs("C compiler (cc)", TINY);

/** A build of the tiny driver with other flags; `undefined` without a compiler. */
export function tinyVariant(variant: string, ...flags: string[]): string | undefined {
  return TINY && compileFixture("tiny_driver", flags, variant);
}

/** A number the tiny driver counts: `live_instances`, `live_devices`, `submits` or `open_devices`. */
export function tinyCount(name: string, path: string = TINY!): number {
  using library = Library.open(path);
  return invokeAddress(library.require(`tiny_${name}`), "s:", []) as number;
}

/** Loads the tiny driver, makes a device and hands both over; closes everything afterwards. */
export function withTinyDevice(layers: Layer[], use: (device: VkDevice, vulkan: Vulkan) => void): void {
  using vulkan = loadVulkan({ driver: TINY!, layers });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  use(device, vulkan);
}
