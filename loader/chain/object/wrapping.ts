import { type Wrapping, WrappingCode, type WrappingSpec } from "../../emit/wrapping.ts";
import { findCommand, firstParameter } from "../../command/registry/table.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import { INSTANCE_NAMES } from "../../gen/command_table_gen.js";
import type { DispatchTable } from "../table/dispatch_table.ts";
import type { ChainElement } from "../element.ts";
import { stampsOf, tableLayout } from "../table/table_layout.ts";
import {
  sizeOfVkDebugMarkerObjectNameInfoEXT,
  sizeOfVkDebugMarkerObjectTagInfoEXT,
  sizeOfVkDebugUtilsObjectNameInfoEXT,
  sizeOfVkDebugUtilsObjectTagInfoEXT,
} from "../../gen/native_gen.ts";

/** Bytes of one function pointer. */
const POINTER = 8;
/** The most physical-device commands outside the registry in a table, as in the Khronos loader. */
const MOST_UNKNOWN = 250;
const LIST = "vkEnumeratePhysicalDevices";
const LIST_GROUPS = ["vkEnumeratePhysicalDeviceGroups", "vkEnumeratePhysicalDeviceGroupsKHR"];
/**
 * Commands whose struct may name a physical device, and the bytes of the
 * struct; as many as a device's table has room for.
 */
const NAMING = [
  ["vkSetDebugUtilsObjectNameEXT", sizeOfVkDebugUtilsObjectNameInfoEXT],
  ["vkSetDebugUtilsObjectTagEXT", sizeOfVkDebugUtilsObjectTagInfoEXT],
  ["vkDebugMarkerSetObjectNameEXT", sizeOfVkDebugMarkerObjectNameInfoEXT],
  ["vkDebugMarkerSetObjectTagEXT", sizeOfVkDebugMarkerObjectTagInfoEXT],
] as const;

let made: WrappingCode | undefined;
/** The functions that replace the chain's own commands, by slot: the same in all instances that wrap. */
let replacements: readonly (readonly [slot: number, address: bigint])[] | undefined;

/**
 * Returns the machine code that wraps physical devices, made at the first call;
 * `undefined` where emitted code cannot be used.
 */
export function wrappingCode(): WrappingCode | undefined {
  return made ??= WrappingCode.make(spec());
}

/**
 * Makes an instance wrap its physical devices, if one of its layers takes part
 * in listing them. A layer's handle may begin with anything, or be no address
 * at all. Callers get wrappers that begin with the dispatch key, and machine
 * code replaces them on the way down. The table must be filled, and nobody may
 * have entered yet.
 */
export function wrapDevices(
  table: DispatchTable,
  elements: readonly ChainElement[],
  driver: Driver,
): Wrapping | undefined {
  const code = isListedByLayer(table) ? wrappingCode() : undefined;
  if (!code) return;
  const { layout } = table, getInstanceProcAddr = table.get(layout.top);
  const lookup = elements.find((each) => each.getPhysicalDeviceProcAddr)?.getPhysicalDeviceProcAddr ??
    driver.getPhysicalDeviceProcAddr;
  const wrapping = code.open({ key: table.address, functions: table.commands, lookup, getInstanceProcAddr });
  for (const [slot, address] of replacements ??= replacementsOf(code)) replace(table, slot, address);
  table.set(layout.wrapping, wrapping.address);
  table.set(layout.below, code.findUnknown);
  return wrapping;
}

/** Makes a device of such an instance find the handle of a wrapper that is named or tagged. */
export function nameWrapped(table: DispatchTable, wrapping: Wrapping): void {
  const { layout } = table, code = wrappingCode()!;
  table.set(layout.wrapping, wrapping.address);
  NAMING.forEach(([name], index) => {
    const { slot } = findCommand(name)!;
    table.set(layout.naming + index, table.get(slot));
    replace(table, slot, code.command(name));
  });
}

/** Whether the list of physical devices comes from a layer. */
function isListedByLayer(table: DispatchTable): boolean {
  return stampsOf("instance").some(({ name, address }) => {
    const found = table.get(findCommand(name)!.slot);
    return found !== 0n && found !== address;
  });
}

function replacementsOf(code: WrappingCode): [slot: number, address: bigint][] {
  const names = [...INSTANCE_NAMES.split(" ").entries()];
  const ofDevices = names.filter(([, name]) => firstParameter("instance", name) === "physicalDevice");
  return [
    ...ofDevices.map(([slot]): [number, bigint] => [slot, code.at(slot)]),
    ...[LIST, ...LIST_GROUPS].map((name): [number, bigint] => [findCommand(name)!.slot, code.command(name)]),
  ];
}

/** Commands that the chain lacks stay absent. */
function replace(table: DispatchTable, slot: number, address: bigint): void {
  if (table.get(slot) !== 0n) table.set(slot, address);
}

function spec(): WrappingSpec {
  const instance = tableLayout("instance"), device = tableLayout("device");
  const place = (name: string) => ({ name, slot: findCommand(name)!.slot });
  return {
    count: instance.count + MOST_UNKNOWN,
    unknown: MOST_UNKNOWN,
    inTable: { instance: POINTER * instance.wrapping, device: POINTER * device.wrapping },
    devices: place(LIST),
    groups: LIST_GROUPS.map(place),
    naming: NAMING.map(([name, size], index) => ({ name, size, hiddenOffset: POINTER * (device.naming + index) })),
  };
}
