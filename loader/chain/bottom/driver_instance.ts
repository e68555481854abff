import { inFrame } from "../../../ffi/arena.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { findCommand } from "../../command/registry/table.ts";
import type { DispatchTable } from "../table/dispatch_table.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import {
  DEVICE_CREATE_INFO,
  enabledExtensions,
  infoForDriver,
  INSTANCE_CREATE_INFO,
} from "../../driver/structs/create_info.ts";
import { instanceExtensions, readExtensionList } from "../../driver/interface/extension_list.ts";
import { driverProc } from "../../driver/interface/probe.ts";
import type { LayerExtension } from "../../layer.ts";

/**
 * Calls the driver's vkCreateInstance with a copy of the create info without
 * layers and with only the driver's own extensions. The others concern only the
 * loader and its layers, and a driver may refuse them.
 */
export function createDriverInstance(driver: Driver, info: bigint, allocator: bigint, out: bigint): number {
  return inFrame((memory) => {
    const keep = driver.sortsExtensions ? undefined : keeper(info, () => instanceExtensions(driver));
    const copy = memory.address(infoForDriver(info, INSTANCE_CREATE_INFO, keep));
    return invokeAddress(driverProc(driver, 0n, "vkCreateInstance"), "s:qqq", [copy, allocator, out]) as number;
  });
}

/** The command that lists a physical device's extensions, or those of a layer. */
export const DEVICE_EXTENSIONS = "vkEnumerateDeviceExtensionProperties";

/** The arguments of a vkCreateDevice, and the commands to use. */
export interface DeviceCreation {
  /** The driver's vkCreateDevice. */
  readonly create: bigint;
  /** The driver's vkEnumerateDeviceExtensionProperties; 0n if there is none. */
  readonly enumerate: bigint;
  /** See the driver's `sortsExtensions`. */
  readonly sortsExtensions?: boolean;
}

/** Calls the driver's vkCreateDevice as {@linkcode createDriverInstance} does its vkCreateInstance. */
export function createDriverDevice(
  { create, enumerate, sortsExtensions }: DeviceCreation,
  gpu: bigint,
  info: bigint,
  allocator: bigint,
  out: bigint,
): number {
  return inFrame((memory) => {
    const keep = sortsExtensions ? undefined : deviceKeeper(enumerate, gpu, info);
    if (typeof keep === "number") return keep;
    const copy = memory.address(infoForDriver(info, DEVICE_CREATE_INFO, keep));
    return invokeAddress(create, "s:qqqq", [gpu, copy, allocator, out]) as number;
  });
}

/** Returns the address of a chain's own {@linkcode DEVICE_EXTENSIONS}, which may also be asked about a layer. */
export function chainExtensions(table: DispatchTable): bigint {
  return table.get(table.layout.plain) || table.get(findCommand(DEVICE_EXTENSIONS)!.slot);
}

/**
 * Returns the device extensions that a vkEnumerateDeviceExtensionProperties
 * lists, or its error; none if there is no such command.
 */
export function deviceExtensions(enumerate: bigint, gpu: bigint): LayerExtension[] | number {
  if (enumerate === 0n) return [];
  return readExtensionList((count, out) => invokeAddress(enumerate, "s:qqqq", [gpu, 0n, count, out]) as number);
}

/**
 * Returns a test whether an extension is the driver's own, or the error of the
 * query. If a VkDeviceCreateInfo enables no extension, nothing is queried.
 */
export function deviceKeeper(enumerate: bigint, gpu: bigint, info: bigint): ((name: string) => boolean) | number {
  if (!enabledExtensions(info)?.length) return () => true;
  const listed = deviceExtensions(enumerate, gpu);
  if (typeof listed === "number") return listed;
  const own = new Set(listed.map(({ extensionName }) => extensionName));
  return (name) => own.has(name);
}

/** Keeps the listed extensions. Nothing is listed if no extension is enabled. */
function keeper(info: bigint, list: () => readonly LayerExtension[]): (name: string) => boolean {
  const own = new Set(enabledExtensions(info)?.length ? list().map(({ extensionName }) => extensionName) : []);
  return (name) => own.has(name);
}
