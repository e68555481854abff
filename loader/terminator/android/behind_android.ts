import { createLookup } from "../../../ffi/functions/lookup.ts";
import { invokeAddress, poke32 } from "../../../ffi/machine.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { type Driver, driverOf } from "../../driver/interface/driver.ts";
import { driverProc } from "../../driver/interface/probe.ts";
import { createInstance, type InstanceCreation } from "./create_instance.ts";
import { writeExtensionList } from "../../driver/interface/extension_list.ts";
import { prepareGuards } from "./guards.ts";
import { HOOKS } from "./hooks.ts";
import { DEBUG_REPORT, instanceExtensions } from "./instance_extensions.ts";
import { AndroidLevel } from "./level.ts";
import { Logcat } from "./messages.ts";
import type { AndroidLevelOptions } from "./options.ts";
import { createDeviceProc } from "./procs.ts";
import { loaderVersion } from "./versions.ts";
import { VK_ERROR_INITIALIZATION_FAILED } from "../../gen/native_gen.ts";

/**
 * Puts Android's driver level above a driver: the level that AOSP has between
 * the chain of layers and the driver's own entry points. The level answers for
 * versions and extension lists, keeps from the driver what it does not know and
 * from the application what it must not see, and helps drivers of older
 * versions. All other commands are the driver's own, at their own addresses.
 * Takes ownership of `driver`.
 */
export function behindAndroid(driver: Driver, options: AndroidLevelOptions = {}): Driver {
  prepareGuards();
  const level = new AndroidLevel(driver, options), logcat = Logcat.wanted(level);
  const lookup = createLookup([], driver.getInstanceProcAddr), thunks = globalThunks(level, logcat, () => settle());
  const given = new Map(thunks.map(([name, { address }]) => [name, address]));
  const settle = () => {
    lookup.setMiss(level.side.driver.getInstanceProcAddr);
    for (const [name, address] of bareAnswers(level, given)) lookup.set(name, address);
  };
  settle();
  const { kind, interfaceVersion, getPhysicalDeviceProcAddr } = driver;
  const seen = driverOf(driver.path, {
    kind,
    interfaceVersion,
    getPhysicalDeviceProcAddr,
    filtersItself: true,
    sortsExtensions: true,
    getInstanceProcAddr: lookup.address,
    given,
    instanceProcAddr: (instance) => level.instances.get(instance)?.getProcAddr ?? 0n,
    deviceProcAddr: (device) => level.devices.get(device)!.getProcAddr,
    deviceSlots: (device) => level.devices.get(device)!.guarded,
    instanceGone: (instance) => level.forget(instance),
    deviceGone: (device) => level.devices.delete(device),
    close() {
      level.close();
      logcat?.close();
      lookup.free();
      for (const [, thunk] of thunks) thunk.free();
    },
  });
  return Object.defineProperty(seen, "path", { get: () => level.side.driver.path });
}

/** The level's answers without an instance: its global commands, and vkCreateDevice, which old layers query. */
function bareAnswers(level: AndroidLevel, given: ReadonlyMap<string, bigint>): [string, bigint][] {
  const answers = new Map(HOOKS.map(({ name }) => [name, 0n]));
  for (const [name, address] of given) if (answers.has(name)) answers.set(name, address);
  return [...answers.set("vkCreateDevice", createDeviceProc(level))];
}

/** The global commands. Another thread waits until this thread reaches its event loop. */
function globalThunks(level: AndroidLevel, logcat: Logcat | undefined, settle: () => void): [string, Thunk][] {
  const elsewhere = { onForeignThread: "block" } as const;
  const create = (info: bigint, allocator: bigint, out: bigint) => {
    if (level.succeed()) settle();
    return createLogged(level, logcat, { info, allocator, out });
  };
  const list = (_layer: bigint, count: bigint, out: bigint) => {
    const driver = level.side.extensions();
    if (typeof driver === "number") return driver;
    return writeExtensionList(instanceExtensions(driver, level.options), count, out);
  };
  const version = (out: bigint) => {
    poke32(out, loaderVersion(level.release));
    return 0;
  };
  return [
    ["vkCreateInstance", createThunk("s:qqq", create, elsewhere)],
    ["vkEnumerateInstanceExtensionProperties", createThunk("s:qqq", list, elsewhere)],
    ["vkEnumerateInstanceVersion", createThunk("s:q", version, elsewhere)],
  ];
}

/** vkCreateInstance, with the additions of a developer's property. */
function createLogged(level: AndroidLevel, logcat: Logcat | undefined, creation: InstanceCreation): number {
  const made = createInstance(level, creation, logcat ? [DEBUG_REPORT] : []);
  if (typeof made === "number") return made;
  if (!logcat || logcat.attach(made) >= 0) return 0;
  invokeAddress(driverProc(level.side.driver, made.handle, "vkDestroyInstance"), "v:qq", [
    made.handle,
    creation.allocator,
  ]);
  level.forget(made.handle);
  return VK_ERROR_INITIALIZATION_FAILED;
}
