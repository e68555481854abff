import { inFrame } from "../../../ffi/arena.ts";
import { invokeAddress, peek64 } from "../../../ffi/machine.ts";
import { findExtension } from "../../command/registry/extension.ts";
import {
  infoWithExtensions,
  INSTANCE_CREATE_INFO,
  requestedExtensions,
  requestedVersion,
  setVersion,
} from "../../driver/structs/create_info.ts";
import type { LayerExtension } from "../../layer.ts";
import { DebugReports, listenersOf, SEVERITY } from "./messages.ts";
import { DEBUG_REPORT, type Gated, gateInstance } from "./instance_extensions.ts";
import { instanceProcAddrOf } from "./procs.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";
import { loaderVersion, versionForDriver } from "./versions.ts";
import { VK_ERROR_INCOMPATIBLE_DRIVER } from "../../gen/native_gen.ts";

/** The arguments of the creation. */
export interface InstanceCreation {
  /** Address of the VkInstanceCreateInfo. */
  readonly info: bigint;
  /** Address of the application's allocator, or 0n. */
  readonly allocator: bigint;
  /** Address for the new handle. */
  readonly out: bigint;
}

/** The commands that a driver must have for its instance. */
const REQUIRED: readonly string[] = [
  "vkDestroyInstance",
  "vkEnumeratePhysicalDevices",
  "vkGetInstanceProcAddr",
  "vkCreateDevice",
  "vkGetPhysicalDeviceProperties",
  "vkEnumerateDeviceExtensionProperties",
  "vkGetDeviceProcAddr",
];
/** Extensions whose commands are required, too, if they are enabled. */
const RELIED_ON = /^VK_(EXT_debug_report|KHR_get_physical_device_properties2|KHR_external_\w+_capabilities)$/;

/** The level's vkCreateInstance. `extra` are extensions that the application did not request. */
export function createInstance(
  level: AndroidLevel,
  creation: InstanceCreation,
  extra: readonly string[] = [],
): AndroidInstance | number {
  const { side } = level, version = side.version(), driver = side.extensions();
  if (version < 0) return version;
  if (typeof driver === "number") return driver;
  return level.whileHearing(listenersOf(creation.info), () => {
    const requested = [...requestedExtensions(creation.info), ...extra];
    const gated = gate(level, requested, { version, driver });
    const result = createBelow(level, creation, { version, extensions: gated.names });
    return result < 0 ? result : enroll(level, peek64(creation.out), gated, creation.allocator);
  });
}

function gate(
  level: AndroidLevel,
  requested: readonly string[],
  driver: { version: number; driver: LayerExtension[] },
): Gated {
  const { options, release } = level;
  return gateInstance(requested, {
    ...driver,
    options,
    loader: loaderVersion(release),
    say: (text) => level.say(text),
  });
}

function createBelow(
  { side, release }: AndroidLevel,
  { info, allocator, out }: InstanceCreation,
  { version, extensions }: { version: number; extensions: readonly string[] },
): number {
  return inFrame((memory) => {
    const copy = infoWithExtensions(info, INSTANCE_CREATE_INFO, extensions);
    const wanted = requestedVersion(info), told = versionForDriver(wanted, version, release);
    if (told !== wanted) setVersion(copy, told);
    return invokeAddress(side.proc(0n, "vkCreateInstance"), "s:qqq", [memory.address(copy), allocator, out]) as number;
  });
}

/** Adopts an instance. Destroys the instance if the driver lacks a required command. */
function enroll(
  level: AndroidLevel,
  handle: bigint,
  { names, hooks }: Gated,
  allocator: bigint,
): AndroidInstance | number {
  const { side } = level;
  const relied = names.filter((name) => RELIED_ON.test(name)).flatMap((name) => findExtension(name)!.commands);
  const missing = [...REQUIRED, ...relied].filter((name) => side.proc(handle, name) === 0n);
  if (missing.length > 0) {
    level.say(`The driver is incompatible: it has no ${missing.join(", ")}`, { severity: SEVERITY.error });
    if (!missing.includes("vkDestroyInstance")) side.call(handle, "vkDestroyInstance", [handle, allocator]);
    return VK_ERROR_INCOMPATIBLE_DRIVER;
  }
  const reports = new DebugReports(side, handle, names.includes(DEBUG_REPORT));
  const instance: AndroidInstance = { handle, hooks, reports, getProcAddr: 0n };
  instance.getProcAddr = instanceProcAddrOf(level, instance);
  level.instances.set(handle, instance);
  return instance;
}
