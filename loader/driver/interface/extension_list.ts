import { inFrame } from "../../../ffi/arena.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { copyFromArena, invokeAddress, peek32, poke32 } from "../../../ffi/machine.ts";
import type { LayerExtension } from "../../layer.ts";
import type { Driver } from "./driver.ts";
import { driverProc } from "./probe.ts";
import { offsetsOfVkExtensionProperties, sizeOfVkExtensionProperties, VK_INCOMPLETE } from "../../gen/native_gen.ts";

/** The name comes first. */
const RECORD = offsetsOfVkExtensionProperties, RECORD_SIZE = sizeOfVkExtensionProperties;

/** How many times a list that says VK_INCOMPLETE is read again, each time with twice the room. */
const MOST_TURNS = 8;

/**
 * Calls a command that counts first and then fills: `ask(pCount, pProperties)`.
 * Returns a VkResult if that is an error. There is room for one more, because
 * some drivers change their answer between the calls. A count above the room
 * is not believed.
 */
export function readExtensionList(ask: (count: bigint, out: bigint) => number): LayerExtension[] | number {
  return inFrame((memory) => {
    const { view } = memory;
    const count = memory.alloc(8);
    view.setUint32(count, 0, true);
    const counted = ask(memory.address(count), 0n);
    if (counted < 0) return counted;
    let room = view.getUint32(count, true) + 1, list: number, filled: number;
    for (let turn = 0;; turn++, room *= 2) {
      list = memory.alloc(RECORD_SIZE * room);
      memory.zero(list, RECORD_SIZE * room);
      view.setUint32(count, room, true);
      filled = ask(memory.address(count), memory.address(list));
      if (filled !== VK_INCOMPLETE || turn === MOST_TURNS) break;
    }
    if (filled < 0) return filled;
    return Array.from({ length: Math.min(room, view.getUint32(count, true)) }, (_, index) => {
      const at = list + RECORD_SIZE * index;
      return {
        extensionName: readCString(memory.address(at)),
        specVersion: view.getUint32(at + RECORD.specVersion, true),
      };
    });
  });
}

/** Answers a command that counts first and then fills, by the rules of the specification. Returns its VkResult. */
export function writeExtensionList(list: readonly LayerExtension[], count: bigint, out: bigint): number {
  if (count === 0n) return VK_INCOMPLETE;
  const room = out === 0n ? list.length : Math.min(peek32(count), list.length);
  if (out !== 0n) list.slice(0, room).forEach((each, index) => writeRecord(each, out + BigInt(RECORD_SIZE * index)));
  poke32(count, room);
  return room < list.length ? VK_INCOMPLETE : 0;
}

/** Merges several lists. Of extensions with the same name the first counts. */
export function mergeExtensions(...lists: readonly (readonly LayerExtension[])[]): LayerExtension[] {
  const first = new Map<string, LayerExtension>();
  for (const each of lists.flat()) if (!first.has(each.extensionName)) first.set(each.extensionName, each);
  return [...first.values()];
}

/** Returns the instance extensions that a driver lists; none if the query fails. */
export function instanceExtensions(driver: Driver): LayerExtension[] {
  const enumerate = driverProc(driver, 0n, "vkEnumerateInstanceExtensionProperties");
  if (enumerate === 0n) return [];
  const list = readExtensionList((count, out) => invokeAddress(enumerate, "s:qqq", [0n, count, out]) as number);
  return typeof list === "number" ? [] : list;
}

function writeRecord({ extensionName, specVersion }: LayerExtension, to: bigint): void {
  inFrame((memory) => {
    const at = memory.alloc(RECORD_SIZE);
    memory.bytes.fill(0, at, at + RECORD_SIZE);
    memory.bytes.set(cstring(extensionName).subarray(0, RECORD.specVersion - 1), at);
    memory.view.setUint32(at + RECORD.specVersion, specVersion, true);
    copyFromArena(to, at, RECORD_SIZE);
  });
}
