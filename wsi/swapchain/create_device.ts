import { peek64 } from "../../ffi/machine.ts";
import { requestedExtensions } from "../../loader/driver/structs/create_info.ts";
import { gateDevice } from "../../loader/terminator/android/device_extensions.ts";
import { NATIVE_BUFFER } from "../../loader/terminator/android/hooks.ts";
import { WINDOW_DEVICE_EXTENSIONS } from "../../loader/terminator/android/instance_extensions.ts";
import { extensionsBelow, factsOf } from "./device_facts.ts";
import type { DeviceState, NativeImages, Parts } from "./environment.ts";
import { isWindowFeature, rules, shownExtensions } from "./extensions.ts";
import { VK } from "./results.ts";
import { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT } from "../../loader/gen/native_gen.ts";

/** Extensions of the window system that only the window system may pass on. */
const LATE = ["VK_EXT_present_mode_fifo_latest_ready", "VK_KHR_swapchain_mutable_format", "VK_KHR_present_wait"];

/** The arguments with which a device is created. */
export interface DeviceMaking {
  readonly parts: Parts;
  readonly adaptor: NativeImages;
  /** Calls vkCreateDevice below, with this VkDeviceCreateInfo. */
  create(info: bigint): number;
}

/**
 * vkCreateDevice: leaves out the extensions that the window system itself offers, and enables below the extensions that
 * they depend on.
 */
export function createDevice(
  { parts, adaptor, create }: DeviceMaking,
  gpu: bigint,
  info: bigint,
  out: bigint,
): DeviceState | number {
  const { system, context } = parts, wanted = requestedExtensions(info), below = extensionsBelow(context, gpu);
  if (typeof below === "number") return below;
  const shown = shownExtensions(system, below, factsOf(context, parts.instance(gpu), gpu, system));
  const offered = new Set(shown.map(({ extensionName }) => extensionName));
  const hidden = system.isFaithful ? [] : [NATIVE_BUFFER];
  if (wanted.some((name) => hidden.includes(name) || (isOurs(name) && !offered.has(name)))) {
    return VK.EXTENSION_NOT_PRESENT;
  }
  const known = below.filter(({ extensionName }) => !isOurs(extensionName) || extensionName === "VK_KHR_swapchain");
  const gated = gateDevice(wanted, { driver: known, options: rules(system), versions: [], say: () => {} });
  const read = context.read("VkDeviceCreateInfo", info), chained = (read.pNext ?? []) as unknown as Chained[];
  if (
    chained.some((each) =>
      each.sType === VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT && each.presentAtRelativeTime
    )
  ) {
    return VK.FEATURE_NOT_PRESENT;
  }
  const pNext = chained.filter((each) => !isWindowFeature(each)) as never;
  const unknown = wanted.filter((name) => !offered.has(name) && name !== NATIVE_BUFFER);
  const names = [...gated.names, ...unknown]; // the layers and the driver below refuse or ignore unknown names
  const enabled = { enabledExtensionCount: names.length, ppEnabledExtensionNames: names };
  const result = create(context.write("VkDeviceCreateInfo", { ...read, pNext, ...enabled }));
  if (result < 0) return result;
  const handle = peek64(out), isAdapted = adaptor.takesPartIn(handle), has = parts.commandsOf(handle);
  const revision = below.find(({ extensionName }) => extensionName === NATIVE_BUFFER)?.specVersion;
  if (gated.names.includes(NATIVE_BUFFER)) system.onDevice(isAdapted ? undefined : revision);
  return { handle, gpu, extensions: new Set(wanted), isAdapted, adaptor: isAdapted ? adaptor : undefined, has };
}

interface Chained {
  readonly sType: number;
  readonly presentAtRelativeTime?: boolean;
}

function isOurs(name: string): boolean {
  return WINDOW_DEVICE_EXTENSIONS.includes(name) || LATE.includes(name);
}
