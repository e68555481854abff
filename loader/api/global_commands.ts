import { arena } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import { copyFromArena, invoke, peek32, poke32 } from "../../ffi/machine.ts";
import { codec } from "../codec/codec.ts";
import type { NativeCall } from "../command/compile.ts";
import { commandSignature } from "../command/kind.ts";
import { findCommand } from "../command/table.ts";
import type { Driver } from "../driver/driver.ts";
import { driverProc } from "../driver/probe.ts";

const VK_INCOMPLETE = 5, VK_ERROR_LAYER_NOT_PRESENT = -6;
/** VK_MAKE_API_VERSION(0, 1, 0, 0): what a driver without vkEnumerateInstanceVersion is. */
const VERSION_1_0 = 0x400000;

/** Raw forms of the commands there are before any instance; `layers` are the names this loader was given. */
export function globalCommands(driver: Driver, layers: readonly string[]): [string, NativeCall][] {
  return [
    ["vkEnumerateInstanceVersion", (out: bigint) => instanceVersion(driver, out)],
    ["vkEnumerateInstanceExtensionProperties", (layer: bigint, count: bigint, out: bigint) => {
      const known = layer === 0n || layers.includes(readCString(layer));
      return known
        ? callDriver(driver, "vkEnumerateInstanceExtensionProperties", [0n, count, out])
        : VK_ERROR_LAYER_NOT_PRESENT;
    }],
    ["vkEnumerateInstanceLayerProperties", (count: bigint, out: bigint) => layerProperties(layers, count, out)],
  ];
}

function instanceVersion(driver: Driver, out: bigint): number {
  if (driverProc(driver, 0n, "vkEnumerateInstanceVersion") !== 0n) {
    return callDriver(driver, "vkEnumerateInstanceVersion", [out]);
  }
  poke32(out, VERSION_1_0);
  return 0;
}

function callDriver(driver: Driver, name: string, values: bigint[]): number {
  return invoke(driverProc(driver, 0n, name), commandSignature(findCommand(name)!, "raw"), values) as number;
}

/** Count-then-fill over the layers' names, as the specification has it. */
export function layerProperties(layers: readonly string[], count: bigint, out: bigint): number {
  if (out === 0n) {
    poke32(count, layers.length);
    return 0;
  }
  const room = Math.min(peek32(count), layers.length);
  layers.slice(0, room).forEach((name, index) => writeLayer(name, out + BigInt(520 * index)));
  poke32(count, room);
  return room < layers.length ? VK_INCOMPLETE : 0;
}

function writeLayer(layerName: string, to: bigint): void {
  const memory = arena(), mark = memory.mark(), properties = codec("VkLayerProperties");
  try {
    const at = memory.alloc(properties.size);
    properties.encode({ layerName, specVersion: VERSION_1_0, implementationVersion: 1, description: "" }, at);
    copyFromArena(to, at, properties.size);
  } finally {
    memory.release(mark);
  }
}
