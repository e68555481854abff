import { invokeAddress } from "../../../ffi/machine.ts";
import { createDevice } from "./create_device.ts";
import type { RawArguments } from "./driver_side.ts";
import { destroyInstanceProc } from "./destroy.ts";
import { enumerateDeviceExtensions, hasMaintenance } from "./enumerate_device_extensions.ts";
import { patchFeatures } from "./features.ts";
import { singleGroups } from "./groups.ts";
import { QUERIES } from "./hooks.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";
import { coreOrKhr, nothingExternal } from "./queries.ts";

/** An instance's answer for a command; `undefined` if the driver answers. */
export type Answer = bigint | undefined;

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
export function instanceProc(level: AndroidLevel, instance: AndroidInstance, name: string): Answer {
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
export function featuresProc(level: AndroidLevel, { handle }: AndroidInstance, name: string): Answer {
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
