import { inFrame } from "../../ffi/arena.ts";
import { copyToArena, peek32, peek64, poke32 } from "../../ffi/machine.ts";
import { structAt, type StructObject } from "../codec/codec.ts";
import {
  DEVICE_CREATE_INFO,
  enabledExtensions,
  INSTANCE_CREATE_INFO,
  requestedVersion,
  setVersion,
  withExtensions,
} from "../driver/structs/create_info.ts";
import {
  VK_ERROR_EXTENSION_NOT_PRESENT,
  VK_ERROR_FEATURE_NOT_PRESENT,
  VK_ERROR_INCOMPATIBLE_DRIVER,
  VK_ERROR_INITIALIZATION_FAILED,
} from "../gen/native_gen.ts";
import type { AnyHook } from "../layer.ts";
import { enabledFeatures, refusalOf } from "../layers/shipped/limits/limits.ts";
import { VK_API_VERSION_MINOR } from "../version.ts";
import { versionOf } from "./model.ts";
import { DECLARED } from "../layers/shipped/settings/declared.ts";
import { settingsInChain } from "../layers/shipped/settings/instance_settings.ts";
import { NO_SETTINGS, readSettings } from "../layers/shipped/settings/read_settings.ts";
import { missingQueue } from "./missing.ts";
import type { Twin } from "./twin.ts";

/**
 * The instance extensions of loaders and window systems, which are no facts of a device: a program under a native loader
 * sees them whatever a layer says.
 */
const OF_LOADERS = /^VK_\w+_surface$|^VK_KHR_portability_enumeration$|^VK_EXT_debug_(utils|report)$/;

/** Makes the hooks that create and destroy instances and devices. */
export function deviceHooks(twin: Twin): Record<string, AnyHook> {
  return {
    vkCreateInstance(next, info, allocator, out) {
      const asked = settingsInChain(DECLARED.twin.layer, info);
      if (asked.size > 0) twin.set(readSettings(DECLARED.twin, NO_SETTINGS, asked));
      const hidden = (enabledExtensions(info) ?? []).filter((name) =>
        twin.answers.isHidden(name) && !OF_LOADERS.test(name)
      );
      twin.suffix = suffixOf(info);
      if (hidden.length === 0) return create(twin, info, (info) => next(info, allocator, out));
      const sentence = `the device is not of an instance with ${hidden.join(", ")}`;
      return twin.refuse("vkCreateInstance", VK_ERROR_EXTENSION_NOT_PRESENT, hidden, sentence);
    },
    vkEnumerateInstanceVersion(next, out) {
      const result = next(out);
      if (twin.strictness === "common" || result < 0) return result;
      twin.versionBelow = peek32(out);
      const { instanceVersion = Math.max(peek32(out), versionOf(twin.model)) } = twin.model;
      poke32(out, instanceVersion);
      return result;
    },
    vkDestroyInstance(next, instance, allocator) {
      twin.forget();
      next(instance, allocator);
    },
    vkCreateDevice(next, gpu, address, allocator, out) {
      const info = structAt("VkDeviceCreateInfo", address);
      const refusal = refusalBySource(twin, gpu, info) ?? refusalByDriver(twin, gpu, info);
      if (refusal !== undefined) return refusal;
      const isBelow = (name: string) => !twin.emulated.includes(name);
      const result = inFrame(() => next(gpu, withExtensions(address, DEVICE_CREATE_INFO, isBelow), allocator, out));
      if (result >= 0) twin.opened(peek64(out), gpu);
      return result;
    },
    vkDestroyDevice(next, device, allocator) {
      twin.closed(device);
      next(device, allocator);
    },
  };
}

/** Returns the ending of queries with chains that an instance has; `undefined` if it has none. */
function suffixOf(info: bigint): "" | "KHR" | undefined {
  if (VK_API_VERSION_MINOR(requestedVersion(info)) >= 1) return "";
  return enabledExtensions(info)?.includes("VK_KHR_get_physical_device_properties2") ? "KHR" : undefined;
}

/** An instance of a version that the device has and the driver below refuses gets the driver's version. */
function create(twin: Twin, info: bigint, next: (info: bigint) => number): number {
  const result = next(info), { versionBelow } = twin;
  if (result !== VK_ERROR_INCOMPATIBLE_DRIVER || requestedVersion(info) <= versionBelow) return result;
  return inFrame((memory) => {
    const copy = memory.alloc(INSTANCE_CREATE_INFO);
    copyToArena(copy, info, INSTANCE_CREATE_INFO);
    setVersion(copy, versionBelow);
    return next(memory.address(copy));
  });
}

const CREATE = "vkCreateDevice";

/** Refuses what the device of the source lacks, with its driver's results. */
function refusalBySource(twin: Twin, gpu: bigint, info: StructObject): number | undefined {
  const refusal = refusalOf(info, twin.answers);
  if (refusal) {
    return twin.refuse(CREATE, refusal.result, refusal.names, `the device lacks ${refusal.names.join(", ")}`);
  }
  const { families } = twin.gpu(gpu);
  for (const { queueFamilyIndex: index, queueCount: count } of queuesIn(info)) {
    const has = (families[index]?.queueCount ?? 0) as number;
    if (count <= has) continue;
    const sentence = `queue family ${index} has ${has} queues, and ${count} were asked for`;
    return twin.refuse(CREATE, VK_ERROR_INITIALIZATION_FAILED, [`queueFamilies[${index}]`], sentence);
  }
  return undefined;
}

function queuesIn({ pQueueCreateInfos }: StructObject): { queueFamilyIndex: number; queueCount: number }[] {
  return ((pQueueCreateInfos ?? []) as StructObject[]).map(({ queueFamilyIndex, queueCount, pQueuePriorities }) => ({
    queueFamilyIndex: queueFamilyIndex as number,
    queueCount: (queueCount ?? (pQueuePriorities as unknown[]).length) as number,
  }));
}

/** Refuses what the driver below cannot do. */
function refusalByDriver(twin: Twin, gpu: bigint, info: StructObject): number | undefined {
  if (twin.strictness === "common") return undefined;
  const device = twin.gpu(gpu);
  if (twin.strictness === "exact") {
    const { missing } = device;
    if (missing.length === 0) return undefined;
    const sentence = `${device.driver.name} cannot do all of it; it lacks ${missing.length}: ${missing.join("; ")}`;
    return twin.refuse(CREATE, VK_ERROR_INITIALIZATION_FAILED, missing, sentence);
  }
  const { driver, families } = device,
    lacks = (names: readonly string[]) => `${driver.name} below lacks ${names.join(", ")}`;
  const extensions = (info.ppEnabledExtensionNames as string[] ?? []).filter((name) =>
    !driver.extensions.has(name) && !twin.emulated.includes(name)
  );
  if (extensions.length > 0) return twin.refuse(CREATE, VK_ERROR_EXTENSION_NOT_PRESENT, extensions, lacks(extensions));
  const features = enabledFeatures(info).filter(([struct, name]) => driver.struct(struct)?.[name] === false);
  const names = [...new Set(features.map(([, name]) => name))];
  if (names.length > 0) return twin.refuse(CREATE, VK_ERROR_FEATURE_NOT_PRESENT, names, lacks(names));
  for (const { queueFamilyIndex: index, queueCount } of queuesIn(info)) {
    const problem = missingQueue({ ...families[index], queueCount }, driver.queueFamilies[index]);
    if (problem === undefined) continue;
    return twin.refuse(
      CREATE,
      VK_ERROR_INITIALIZATION_FAILED,
      [`queueFamilies[${index}]`],
      `queue family ${index}: ${problem}`,
    );
  }
  return undefined;
}
