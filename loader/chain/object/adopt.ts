import type { MemoryReserve } from "../../../ffi/block.ts";
import { procOf } from "../../../ffi/library/library.ts";
import { invokeAddress, peek64, poke64 } from "../../../ffi/machine.ts";
import { findCommand } from "../../command/registry/table.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import { deviceProcAddr, isUnadopted } from "../../driver/interface/probe.ts";
import { DriverError } from "../../error.ts";
import type { ChainElement } from "../element.ts";
import { DispatchTable } from "../table/dispatch_table.ts";
import { stampsOf } from "../table/table_layout.ts";

/**
 * Stores a table's address in word 0 of a driver's new handle. Throws a
 * {@linkcode DriverError} if that word does not belong to the loader.
 */
function adoptHandle(path: string, handle: bigint, table: DispatchTable): void {
  const word = peek64(handle);
  if (!isUnadopted(word) && word !== table.address) {
    const found = `its handles begin with 0x${word.toString(16)}, not the loader magic 0x1cdc0de`;
    const advice = "it is a loader itself or a broken driver, name the driver's own library";
    throw new DriverError("unusable", path, `Cannot use "${path}" as a Vulkan driver: ${found}; ${advice}`);
  }
  poke64(handle, table.address);
}

/**
 * Returns a driver's new handle. Throws a {@linkcode DriverError} if the driver
 * reports success and has not stored a handle.
 */
export function madeHandle(
  { path }: Driver,
  out: bigint,
  type: "VkInstance" | "VkDevice",
  standIns?: ReadonlySet<bigint>,
): bigint {
  const handle = peek64(out);
  if (handle !== 0n && !standIns?.has(handle)) return handle;
  const found = `its vkCreate${type.slice(2)} returned success and no ${type}`;
  throw new DriverError(
    "unusable",
    path,
    `Cannot use "${path}" as a Vulkan driver: ${found}; it is broken, name another`,
  );
}

/** Like {@linkcode adoptHandle}. After an error, calls `destroy`, so that no half-created object is left. */
export function adoptOrDestroy(driver: Driver, handle: bigint, table: DispatchTable, destroy: () => void): void {
  try {
    adoptHandle(driver.path, handle, table);
  } catch (error) {
    destroy();
    throw error;
  }
}

/** Stores in a device's table how commands reach its driver. */
export function bindDriver(table: DispatchTable, driver: Driver, instance: bigint, device: bigint): void {
  table.setDriver(driver.deviceDriver?.(device) ?? driver.path);
  table.setBottom(deviceProcAddr(driver, instance, device), driver.deviceSlots?.(device));
}

/** Calls the vkDestroyDevice of a GetDeviceProcAddr. */
export function destroyDevice(getDeviceProcAddr: bigint, device: bigint, allocator: bigint): void {
  invokeAddress(procOf(getDeviceProcAddr, device, "vkDestroyDevice"), "v:qq", [device, allocator]);
}

/** Makes an empty device table for a chain of these elements. */
export function deviceTable(elements: readonly ChainElement[] = [], reserve?: MemoryReserve): DispatchTable {
  return new DispatchTable("device", interposersIn(elements), reserve);
}

/** Makes an empty instance table for a chain of these elements. */
export function instanceTable(elements: readonly ChainElement[] = [], reserve?: MemoryReserve): DispatchTable {
  return new DispatchTable("instance", interposersIn(elements), reserve);
}

function interposersIn(elements: readonly ChainElement[]): number {
  return elements.filter(({ forgetDevice }) => forgetDevice).length;
}

/** Stores the functions that stamped commands call in the hidden slots. */
export function fillHidden(level: "instance" | "device", table: DispatchTable, find: (name: string) => bigint): void {
  for (const { name, hidden } of stampsOf(level)) table.set(table.hidden(hidden), find(name));
}

/** Puts the stamped commands over those of a filled table. Commands that the chain lacks stay absent. */
export function stampOver(level: "instance" | "device", table: DispatchTable): void {
  for (const { name, address, hidden } of stampsOf(level)) {
    const { slot } = findCommand(name)!;
    const next = table.get(slot);
    table.set(table.hidden(hidden), next);
    if (next !== 0n) table.set(slot, address);
  }
}

/**
 * Throws a {@linkcode DriverError} if a layer replaced the placeholder for the
 * handle before it called down. The memory belongs to the loader until then.
 */
export function checkStandIn(
  standIns: ReadonlySet<bigint>,
  type: "VkInstance" | "VkDevice",
  out: bigint,
  elements: readonly ChainElement[],
): void {
  if (standIns.has(peek64(out))) return;
  const rule = type === "VkInstance" ? "LLP_LAYER_21" : "LLP_LAYER_22";
  throw refusal(
    elements,
    `one of them changed *p${type.slice(2)} before it called vkCreate${
      type.slice(2)
    } of the next layer (Policy #${rule})`,
  );
}

/** A handle that layers have returned. */
export interface ReturnedHandle {
  /** The handle. */
  readonly handle: bigint;
  /** The placeholder that was there before. */
  readonly standIn: bigint;
}

/**
 * Checks that layers have returned a handle, and that the handle begins with the dispatch key of the driver's own:
 * layers that wrap handles must copy it. If not, calls `release` and throws a {@linkcode DriverError}. `release` may
 * destroy the object if there is one.
 */
export function adoptWrapped(
  { handle, standIn }: ReturnedHandle,
  table: DispatchTable,
  type: "VkInstance" | "VkDevice",
  elements: readonly ChainElement[],
  release: (isThere: boolean) => void,
): void {
  if (handle === 0n || handle === standIn) {
    release(false);
    throw refusal(elements, `one of them returned success from vkCreate${type.slice(2)}, and no ${type}`);
  }
  const word = peek64(handle);
  if (word === table.address) return;
  release(true);
  throw refusal(
    elements,
    `the ${type} one of them returned begins with 0x${word.toString(16)}, not with the dispatch key of the one below`,
  );
}

/** Returns the address of a creating command that layers must have. Throws a {@linkcode DriverError} for 0n. */
export function requireCreate(
  address: bigint,
  command: "vkCreateInstance" | "vkCreateDevice",
  elements: readonly ChainElement[],
): bigint {
  if (address !== 0n) return address;
  throw refusal(elements, `the vkGetInstanceProcAddr of the first one has no ${command}`);
}

/**
 * Checks that a new object can be destroyed: layers and drivers may answer NULL for anything. If not, calls `release`
 * and throws a {@linkcode DriverError}; the object itself is lost.
 */
export function requireDestroy(
  table: DispatchTable,
  command: "vkDestroyInstance" | "vkDestroyDevice",
  { path }: Pick<Driver, "path">,
  release: () => void,
): void {
  if (table.get(findCommand(command)!.slot) !== 0n) return;
  release();
  const found = `it, or the layers above, have no ${command}`;
  throw new DriverError(
    "unusable",
    path,
    `Cannot use "${path}" as a Vulkan driver: ${found}; leave out the faulty one`,
  );
}

function refusal(elements: readonly ChainElement[], what: string): DriverError {
  const names = elements.map(({ name }) => name).join(", ");
  return new DriverError(
    "bad-match",
    elements[0]?.name ?? "",
    `Cannot use layers ${names} together: ${what}; leave out the faulty one`,
  );
}
