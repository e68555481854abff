import { inFrame } from "../../../ffi/arena.ts";
import { invokeAddress, peek32, poke32, poke64 } from "../../../ffi/machine.ts";
import { bottomProcAddr } from "../../chain/bottom/terminators.ts";
import { chain, nextOf } from "../../driver/structs/create_info.ts";
import {
  sizeOfVkPhysicalDeviceGroupProperties,
  VK_INCOMPLETE,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_FEATURES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_KHR,
  VkPhysicalDeviceGroupProperties,
} from "../../gen/native_gen.ts";
import { createDevice } from "./create_device.ts";
import { enumerateDeviceExtensions, hasMaintenance } from "./device_facts.ts";
import { coreOrKhr, type DriverSide, nothingExternal, type RawArguments } from "./driver_side.ts";
import { guardOf, isGuarded } from "./guards.ts";
import { type Hook, HOOKS, isActive, NATIVE_BUFFER, QUERIES } from "./hooks.ts";
import { DEBUG_REPORT } from "./instance_extensions.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";

/** An instance's answer for a command; `undefined` if the driver answers. */
type Answer = bigint | undefined;

const FEATURES = "vkGetPhysicalDeviceFeatures2", ENUMERATE_EXTENSIONS = "vkEnumerateDeviceExtensionProperties";
/** The first release whose window system has presentId. */
const PRESENT_ID_FROM = 17;

type Maker = (level: AndroidLevel, instance: AndroidInstance, name: string) => Answer;

const MAKERS: Readonly<Record<string, Maker>> = {
  vkCreateDevice: (level) => createDeviceProc(level),
  vkDestroyInstance: destroyInstanceProc,
  [ENUMERATE_EXTENSIONS]: enumerateExtensionsProc,
  vkEnumeratePhysicalDeviceGroups: groupsProc,
  vkCreateDebugReportCallbackEXT: reportProc((instance, info, allocator, out) =>
    instance.reports.create(info, allocator, out)
  ),
  vkDestroyDebugReportCallbackEXT: reportProc((instance, callback, allocator) =>
    instance.reports.destroy(callback, allocator)
  ),
  vkDebugReportMessageEXT: reportProc((instance, ...values) => instance.reports.message(values)),
  ...Object.fromEntries(QUERIES.map((name) => [name, queryProc])),
};

/** Returns the level's function for a command whose hook is active. */
function instanceProc(level: AndroidLevel, instance: AndroidInstance, name: string): Answer {
  return MAKERS[name]?.(level, instance, name);
}

/** Returns the vkCreateDevice of all instances. */
export function createDeviceProc(level: AndroidLevel): bigint {
  return level.side.thunk("vkCreateDevice", (gpu: bigint, info: bigint, allocator: bigint, out: bigint) => {
    return createDevice(level, level.instanceOf(gpu), { gpu, info, allocator, out });
  });
}

/** Other threads get the driver's own list. */
function enumerateExtensionsProc(level: AndroidLevel, { handle }: AndroidInstance): bigint {
  const enumerate = (gpu: bigint, _layer: bigint, count: bigint, out: bigint) =>
    enumerateDeviceExtensions(level, level.instanceOf(gpu), gpu, { count, out });
  return level.side.thunk(ENUMERATE_EXTENSIONS, enumerate, { next: level.side.proc(handle, ENUMERATE_EXTENSIONS) });
}

function groupsProc({ side }: AndroidLevel, { handle }: AndroidInstance, name: string): Answer {
  if (side.proc(handle, name) !== 0n) return undefined;
  const khr = side.proc(handle, `${name}KHR`);
  if (khr !== 0n) return khr;
  return side.thunk(name, (instance: bigint, count: bigint, out: bigint) => singleGroups(side, instance, count, out));
}

/**
 * Returns the driver's own command under either name; a function that writes
 * zeros for queries about external handles; NULL for the rest, which AOSP would
 * call.
 */
function queryProc(level: AndroidLevel, instance: AndroidInstance, name: string): Answer {
  const { side } = level, own = coreOrKhr(side, instance.handle, name);
  if (own === 0n) return name.includes("External") ? side.thunk(name, nothingExternal) : 0n;
  if (name === FEATURES && level.options.windowSystem) return featuresProc(level, instance, name);
  return side.proc(instance.handle, name) === 0n ? own : undefined;
}

/**
 * Returns vkGetPhysicalDeviceFeatures2 with the window system's features;
 * `undefined` without a window system, or if the driver lacks the command.
 */
function featuresProc(level: AndroidLevel, { handle }: AndroidInstance, name: string): Answer {
  const { side, options, release } = level;
  const next = name === FEATURES ? coreOrKhr(side, handle, name) : side.proc(handle, name);
  if (next === 0n || !options.windowSystem) return undefined;
  const get = (gpu: bigint, features: bigint) => {
    invokeAddress(next, "v:qq", [gpu, features]);
    const maintenance = options.quirks === "aosp" || hasMaintenance(level, level.instanceOf(gpu), gpu);
    patchFeatures(features, { maintenance, presentId: release >= PRESENT_ID_FROM });
  };
  return side.thunk(name, get, { next });
}

/** A command of VK_EXT_debug_report. Other threads call the driver's own. */
function reportProc(run: (instance: AndroidInstance, ...values: bigint[]) => number | void): Maker {
  return (level, { handle }, name) => {
    const handler = (instance: bigint, ...values: RawArguments) => {
      return run(level.instanceOf(instance), ...values as bigint[]);
    };
    return level.side.thunk(name, handler, { next: level.side.proc(handle, name) });
  };
}

/**
 * The vkDestroyInstance of instances that may have debug_report callbacks left,
 * which AOSP forgets. All others have the driver's own, so that native code may
 * destroy them on any thread, even where no TypeScript can run.
 */
function destroyInstanceProc(level: AndroidLevel, { handle, hooks }: AndroidInstance): bigint | undefined {
  if (!hooks.has(DEBUG_REPORT) || level.options.quirks === "aosp") return undefined;
  const next = level.side.proc(handle, "vkDestroyInstance");
  return level.side.thunk("vkDestroyInstance", (instance: bigint, allocator: bigint) => {
    level.instances.get(instance)?.reports.clear();
    invokeAddress(next, "v:qq", [instance, allocator]);
  }, { next });
}

/** Structure types of features that depend on the window system. The VkBool32 of each follows its pNext. */
const SWAPCHAIN_MAINTENANCE = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_KHR,
  PRESENT_ID = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR;
const COMPRESSION = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
  COMPRESSION_SWAPCHAIN = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_FEATURES_EXT;
const VALUE = 16n;

/** The features of the window system. */
interface WindowFeatures {
  /** swapchainMaintenance1. */
  readonly maintenance: boolean;
  /** presentId. */
  readonly presentId: boolean;
}

/** Writes the window system's features into a VkPhysicalDeviceFeatures2 that a driver filled. */
function patchFeatures(features: bigint, { maintenance, presentId }: WindowFeatures): void {
  const found = new Map<number, bigint>();
  for (const { sType, address } of chain(nextOf(features))) found.set(sType, address + VALUE);
  const set = (sType: number, value: number) => {
    const at = found.get(sType);
    if (at !== undefined) poke32(at, value);
  };
  if (maintenance) set(SWAPCHAIN_MAINTENANCE, 1);
  if (presentId) set(PRESENT_ID, 1);
  const compression = found.get(COMPRESSION);
  if (compression !== undefined) set(COMPRESSION_SWAPCHAIN, peek32(compression));
}

const GROUP = VkPhysicalDeviceGroupProperties;
const ENUMERATE = "vkEnumeratePhysicalDevices";

/** vkEnumeratePhysicalDeviceGroups for a driver without it: every physical device is a group. */
function singleGroups(side: DriverSide, instance: bigint, count: bigint, out: bigint): number {
  return inFrame((memory) => {
    const number = memory.alloc(4);
    memory.view.setUint32(number, 0, true);
    const counted = side.call(instance, ENUMERATE, [instance, memory.address(number), 0n]) as number;
    if (counted < 0) return counted;
    const all = memory.view.getUint32(number, true);
    if (out === 0n || all === 0) return poke32(count, all), counted;
    const room = Math.min(all, peek32(count)), handles = memory.alloc(8 * room);
    if (room === 0) return VK_INCOMPLETE;
    memory.view.setUint32(number, room, true);
    const result = side.call(instance, ENUMERATE, [
      instance,
      memory.address(number),
      memory.address(handles),
    ]) as number;
    if (result < 0) return result;
    const found = memory.view.getUint32(number, true);
    for (let i = 0; i < found; i++) {
      writeGroup(
        out + BigInt(sizeOfVkPhysicalDeviceGroupProperties * i),
        memory.view.getBigUint64(handles + 8 * i, true),
      );
    }
    poke32(count, found);
    return result;
  });
}

function writeGroup(group: bigint, gpu: bigint): void {
  poke32(group + GROUP.physicalDeviceCount, 1);
  poke64(group + GROUP.physicalDevices, gpu);
  poke32(group + GROUP.subsetAllocation, 0);
}

/** The release from which AOSP also hooks the older names of the queries. */
const ALIASES_FROM = 17;
const FEATURES_ALIAS = "vkGetPhysicalDeviceFeatures2KHR";

/**
 * Returns the address of an instance's vkGetInstanceProcAddr: the active hooks,
 * and the driver's function for all else.
 */
export function instanceProcAddrOf(level: AndroidLevel, instance: AndroidInstance): bigint {
  const { driver } = level.side, answers: [string, bigint][] = [];
  const add = (name: string, answer: Answer) => answer !== undefined && answers.push([name, answer]);
  for (const hook of HOOKS) add(hook.name, answerFor(level, instance, hook));
  if (hooksAliases(level)) add(FEATURES_ALIAS, featuresProc(level, instance, FEATURES_ALIAS));
  const miss = driver.instanceProcAddr?.(instance.handle) ?? driver.getInstanceProcAddr;
  return level.side.lookup("vkGetInstanceProcAddr", answers, miss);
}

function hooksAliases({ options, release }: AndroidLevel): boolean {
  return options.quirks !== "aosp" || release >= ALIASES_FROM;
}

function answerFor(level: AndroidLevel, instance: AndroidInstance, hook: Hook): Answer {
  if (!isActive(hook, level)) return undefined;
  if (hook.level === "global" || hook.extension === NATIVE_BUFFER) return 0n;
  if (hook.level === "device") return deviceCommand(hook);
  if (!instance.hooks.has(hook.extension)) return 0n;
  return hook.windowSystem ? level.options.windowSystem![hook.name] ?? 0n : instanceProc(level, instance, hook.name);
}

/** Returns commands of 1.0 directly, and others with their guards. */
function deviceCommand({ name }: Hook): Answer {
  if (name === "vkGetDeviceProcAddr") return bottomProcAddr();
  return isGuarded(name) ? guardOf(name) : undefined;
}
