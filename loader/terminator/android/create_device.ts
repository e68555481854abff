import { inFrame } from "../../../ffi/arena.ts";
import { invokeAddress, peek64 } from "../../../ffi/machine.ts";
import { procOf } from "../../../ffi/library/library.ts";
import { DEVICE_CREATE_INFO, requestedExtensions } from "../../driver/structs/create_info.ts";
import { deviceProcAddr } from "../../driver/interface/probe.ts";
import { infoForDriver } from "./create_info.ts";
import { gateDevice } from "./device_extensions.ts";
import { apiVersionOf } from "./device_facts.ts";
import { enrollDevice } from "./device_procs.ts";
import { driverDeviceExtensions } from "./enumerate_device_extensions.ts";
import { NATIVE_BUFFER } from "./hooks.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";
import { SEVERITY } from "./messages.ts";
import { deviceVersions, loaderVersion } from "./versions.ts";
import { VK_ERROR_INCOMPATIBLE_DRIVER, VK_ERROR_INITIALIZATION_FAILED } from "../../gen/native_gen.ts";

/** The arguments of the creation. */
export interface DeviceCreation {
  /** The physical device. */
  readonly gpu: bigint;
  /** Address of the VkDeviceCreateInfo. */
  readonly info: bigint;
  /** Address of the application's allocator, or 0n. */
  readonly allocator: bigint;
  /** Address for the new handle. */
  readonly out: bigint;
}

/** The commands that a driver must have for its device and for native buffers. */
const REQUIRED: readonly string[] = [
  "vkGetDeviceProcAddr",
  "vkDestroyDevice",
  "vkGetDeviceQueue",
  "vkQueueSubmit",
  "vkCreateImage",
  "vkDestroyImage",
  "vkAllocateCommandBuffers",
];
const REQUIRED_FOR_BUFFERS = ["vkAcquireImageANDROID", "vkQueueSignalReleaseImageANDROID"];
/** One of these is enough. */
const GRALLOC_USAGE = ["", "2", "3", "4"].map((version) => `vkGetSwapchainGrallocUsage${version}ANDROID`);

/** The level's vkCreateDevice. */
export function createDevice(level: AndroidLevel, instance: AndroidInstance, creation: DeviceCreation): number {
  const { side, options, release } = level, { gpu, info, out } = creation;
  const apiVersion = apiVersionOf(side, instance.handle, gpu), driver = driverDeviceExtensions(level, instance, gpu);
  if (typeof driver === "number") return driver;
  const about = { instance, type: "physical device", object: gpu } as const;
  const versions = deviceVersions(apiVersion, loaderVersion(release), options.quirks);
  const say = (text: string) => level.say(text, about);
  const gated = gateDevice(requestedExtensions(info), { driver, options, versions: versions ?? [], say });
  const result = createBelow(level, instance, creation, gated.names);
  if (result < 0) return result;
  const find = finder(level, instance, peek64(out)), missing = missingFrom(find, gated.names);
  if (versions && missing.length === 0) {
    enrollDevice(level, instance, peek64(out), { hooks: gated.hooks, find });
    return result;
  }
  const destroy = find("vkDestroyDevice");
  if (destroy !== 0n) invokeAddress(destroy, "v:qq", [peek64(out), creation.allocator]);
  const why = versions
    ? `it has no ${missing.join(", ")}`
    : `nobody knows its API version 0x${apiVersion.toString(16)}`;
  level.say(`The driver is incompatible: ${why}`, { ...about, severity: SEVERITY.error });
  return versions ? VK_ERROR_INCOMPATIBLE_DRIVER : VK_ERROR_INITIALIZATION_FAILED;
}

function createBelow(
  { side }: AndroidLevel,
  { handle }: AndroidInstance,
  { gpu, info, allocator, out }: DeviceCreation,
  extensions: readonly string[],
): number {
  return inFrame((memory) => {
    const copy = memory.address(infoForDriver(info, DEVICE_CREATE_INFO, extensions));
    return side.call(handle, "vkCreateDevice", [gpu, copy, allocator, out]) as number;
  });
}

/** Queries the driver's vkGetDeviceProcAddr. */
function finder({ side }: AndroidLevel, { handle }: AndroidInstance, device: bigint): (name: string) => bigint {
  const getProcAddr = deviceProcAddr(side.driver, handle, device);
  return (name) => procOf(getProcAddr, device, name);
}

function missingFrom(find: (name: string) => bigint, extensions: readonly string[]): string[] {
  const buffers = extensions.includes(NATIVE_BUFFER);
  const missing = [...REQUIRED, ...buffers ? REQUIRED_FOR_BUFFERS : []].filter((name) => find(name) === 0n);
  if (buffers && GRALLOC_USAGE.every((name) => find(name) === 0n)) missing.push(GRALLOC_USAGE[0]);
  return missing;
}
