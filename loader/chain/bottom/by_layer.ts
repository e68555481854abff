import { type ByName, createByName } from "../../emit/by_name.ts";
import { codec } from "../../codec/codec.ts";
import { INSTANCE_STAMPS } from "../table/stamp_specs.ts";
import { tableLayout } from "../table/table_layout.ts";

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
