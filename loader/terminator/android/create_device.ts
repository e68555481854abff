import { inFrame } from "../../../ffi/arena.ts";
import { procOf } from "../../../ffi/library/library.ts";
import { invokeAddress, peek64 } from "../../../ffi/machine.ts";
import { deviceProcAddr } from "../../driver/interface/probe.ts";
import { DEVICE_CREATE_INFO, infoWithExtensions, requestedExtensions } from "../../driver/structs/create_info.ts";
import { VK_ERROR_INCOMPATIBLE_DRIVER, VK_ERROR_INITIALIZATION_FAILED } from "../../gen/native_gen.ts";
import { gateDevice } from "./device_extensions.ts";
import { apiVersionOf, driverDeviceExtensions } from "./device_facts.ts";
import { GUARDED } from "./guards.ts";
import { type Hook, HOOKS, isActive, NATIVE_BUFFER } from "./hooks.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";
import { SEVERITY } from "./messages.ts";
import { deviceVersions, loaderVersion } from "./versions.ts";

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
    const copy = memory.address(infoWithExtensions(info, DEVICE_CREATE_INFO, extensions));
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

/** The data of a new device. */
interface MadeDevice {
  /** Core versions and extensions whose hooks are active. */
  readonly hooks: ReadonlySet<string>;
  /** Queries the driver's vkGetDeviceProcAddr for the device. */
  find(name: string): bigint;
}

/** Adopts a device: makes its vkGetDeviceProcAddr, and the targets of its guards. */
function enrollDevice(level: AndroidLevel, instance: AndroidInstance, handle: bigint, made: MadeDevice): void {
  const answers = HOOKS.filter((hook) => isActive(hook, level)).flatMap((hook): [string, bigint][] => {
    const answer = answerFor(level, hook, made.hooks);
    return answer === undefined ? [] : [[hook.name, answer]];
  });
  const { driver } = level.side, miss = deviceProcAddr(driver, instance.handle, handle);
  const getProcAddr = level.side.lookup("vkGetDeviceProcAddr", answers, miss);
  const guarded = GUARDED.map((name) => guardedProc(level, name, made));
  level.devices.set(handle, { handle, instance, getProcAddr, guarded });
}

/** Returns a device's answer for a command with a hook; `undefined` if the driver answers. */
function answerFor(
  level: AndroidLevel,
  { name, level: of, extension, windowSystem }: Hook,
  hooks: ReadonlySet<string>,
): bigint | undefined {
  if (extension === NATIVE_BUFFER) return level.options.nativeBuffers ? undefined : 0n;
  if (of !== "device" || !hooks.has(extension)) return 0n;
  return level.options.windowSystem?.[name] ?? (windowSystem ? 0n : undefined);
}

/** Returns the target of a guard: the command, or a function that does nothing on a device without its extension. */
function guardedProc(level: AndroidLevel, name: string, { hooks, find }: MadeDevice): bigint {
  const hook = HOOKS.find((each) => each.name === name)!;
  if (!isActive(hook, level)) return 0n;
  const own = level.options.windowSystem?.[name] ?? (hook.windowSystem ? 0n : find(name));
  return hooks.has(hook.extension) && own !== 0n ? own : level.disabled.address(name);
}
