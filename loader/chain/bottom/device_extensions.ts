import { readCString } from "../../../ffi/cstring.ts";
import { createThunk, type Thunk, type ThunkOptions } from "../../../ffi/thunk/thunk.ts";
import { codec } from "../../codec/codec.ts";
import { mergeExtensions, writeExtensionList } from "../../driver/interface/extension_list.ts";
import { type ByName, createByName } from "../../emit/by_name.ts";
import type { LayerExtension } from "../../layer.ts";
import type { ChainElement } from "../element.ts";
import type { DispatchTable } from "../table/dispatch_table.ts";
import { INSTANCE_STAMPS } from "../table/stamp_specs.ts";
import { tableLayout } from "../table/table_layout.ts";
import { deviceExtensions } from "./driver_instance.ts";

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
  const answer = answerFor(enumerate, elements), waiting: ThunkOptions = { onForeignThread: "block" };
  const named = adding.length > 0 ? [createThunk("s:qqqq", answer, waiting)] : [];
  table.setBelow(named[0]?.address ?? byLayer()?.nothing ?? 0n, enumerate);
  const adds = adding.some(({ byItself }) => byItself);
  return [createThunk("s:qqqq", answer, adds ? waiting : { next: byLayer()?.below ?? enumerate }), ...named];
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
