import { inFrame } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { createThunk, type Thunk, type ThunkOptions } from "../../../ffi/thunk/thunk.ts";
import type { ChainElement } from "../element.ts";
import type { DispatchTable } from "../table/dispatch_table.ts";
import { INSTANCE_STAMPS, tableLayout } from "../table/table_layout.ts";
import { codec } from "../../codec/codec.ts";
import { findCommand } from "../../command/registry/table.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import {
  instanceExtensions,
  mergeExtensions,
  readExtensionList,
  writeExtensionList,
} from "../../driver/interface/extension_list.ts";
import { driverProc } from "../../driver/interface/probe.ts";
import {
  DEVICE_CREATE_INFO,
  enabledExtensions,
  infoForDriver,
  INSTANCE_CREATE_INFO,
} from "../../driver/structs/create_info.ts";
import { type ByName, createByName } from "../../emit/by_name.ts";
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

type Answer = (...args: unknown[]) => number;

/**
 * vkEnumerateDeviceExtensionProperties below the lowest native layer. Without a
 * layer's name, it lists the driver's extensions and those of layers that
 * nobody named; with a name, that layer's. Other threads wait if a layer takes
 * part in the answer. If none does, machine code answers them from the
 * instance's table: without a name with the driver's extensions, with a name
 * with none.
 */
export function deviceExtensionTerminators(
  enumerate: bigint,
  elements: readonly ChainElement[],
  table: DispatchTable,
): readonly [command: Thunk, ...others: Thunk[]] {
  const adding = elements.filter(({ deviceExtensions = [] }) => deviceExtensions.length > 0);
  const answer = answerFor(enumerate, elements), below = byLayer()?.below ?? enumerate;
  const waiting: ThunkOptions = { onForeignThread: "block", next: below };
  const named = adding.length > 0 ? [createThunk("s:qqqq", answer, { ...waiting, next: byLayer()?.nothing })] : [];
  table.setBelow(named[0]?.address ?? byLayer()?.nothing ?? 0n, enumerate);
  const adds = adding.some(({ byItself }) => byItself);
  return [createThunk("s:qqqq", answer, adds ? waiting : { next: below }), ...named];
}

function answerFor(enumerate: bigint, elements: readonly ChainElement[]): Answer {
  const listOf = (gpu: bigint, layer: string): readonly LayerExtension[] | number => {
    if (layer !== "") return elements.find(({ name }) => name === layer)?.deviceExtensions ?? [];
    const implicit = elements.filter(({ byItself }) => byItself).map((element) => element.deviceExtensions ?? []);
    const own = deviceExtensions(enumerate, gpu);
    return typeof own === "number" ? own : mergeExtensions(own, ...implicit);
  };
  return (...[gpu, layer, count, out]) => {
    const list = listOf(gpu as bigint, readCString(layer as bigint));
    return typeof list === "number" ? list : writeExtensionList(list, count as bigint, out as bigint);
  };
}

const LISTING = "vkEnumeratePhysicalDevices";
/** Bytes of one function pointer. */
const POINTER = 8;

let made: ByName | undefined;

/**
 * Returns the functions that tell queries about a layer from others, made at
 * the first call; `undefined` where emitted code cannot be used.
 */
export function byLayer(): ByName | undefined {
  const { layered, plain, layeredBelow, plainBelow, layers } = tableLayout("instance");
  return made ??= createByName({
    inTable: { named: POINTER * layered, unnamed: POINTER * plain },
    below: { named: POINTER * layeredBelow, unnamed: POINTER * plainBelow },
    listDevices: POINTER * (tableLayout("instance").hidden + INSTANCE_STAMPS.findIndex(({ name }) => name === LISTING)),
    list: { offset: POINTER * layers, stride: codec("VkLayerProperties").size },
  });
}
