import { type Arena, inFrame } from "../../../ffi/arena.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { copyFromArena, invokeAddress, peek32, poke32 } from "../../../ffi/machine.ts";
import type { LayerExtension } from "../../layer.ts";
import type { Driver } from "./driver.ts";
import { driverProc } from "./probe.ts";
import { offsetsOfVkExtensionProperties, sizeOfVkExtensionProperties, VK_INCOMPLETE } from "../../gen/native_gen.ts";

/** The name comes first. */
const RECORD = offsetsOfVkExtensionProperties, RECORD_SIZE = sizeOfVkExtensionProperties;

/** The most times that a list that says VK_INCOMPLETE is read again, each time with twice the room. */
const MOST_TURNS = 8;
/** More extensions than there are. A driver that counts more has no memory for them either. */
const MOST = 4096;

/**
 * Calls a command that counts first and then fills: `ask(pCount, pProperties)`.
 * Returns a VkResult if that is an error. There is room for one more, because
 * some drivers change their answer between the calls. A count above the room
 * is not believed.
 */
export function readExtensionList(ask: (count: bigint, out: bigint) => number): LayerExtension[] | number {
  return withRecords(ask, decoded);
}

/** Passes on the records that a command fills, which lie in the arena until `use` returns. */
function withRecords<T>(
  ask: (count: bigint, out: bigint) => number,
  use: (memory: Arena, list: number, count: number) => T,
): T | number {
  return inFrame((memory) => {
    const { view } = memory;
    const count = memory.alloc(8);
    view.setUint32(count, 0, true);
    const counted = ask(memory.address(count), 0n);
    if (counted < 0) return counted;
    let room = Math.min(view.getUint32(count, true), MOST) + 1, list: number, filled: number;
    for (let turn = 0;; turn++, room *= 2) {
      list = memory.alloc(RECORD_SIZE * room);
      memory.zero(list, RECORD_SIZE * room);
      view.setUint32(count, room, true);
      filled = ask(memory.address(count), memory.address(list));
      if (filled !== VK_INCOMPLETE || turn === MOST_TURNS) break;
    }
    return filled < 0 ? filled : use(memory, list, Math.min(room, view.getUint32(count, true)));
  });
}

function decoded(memory: Arena, list: number, count: number): LayerExtension[] {
  return Array.from({ length: count }, (_, index) => {
    const at = list + RECORD_SIZE * index;
    return {
      extensionName: readCString(memory.address(at)),
      specVersion: memory.view.getUint32(at + RECORD.specVersion, true),
    };
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
  return new InstanceExtensions(driver).known;
}

/** The instance extensions of a driver, which are decoded only where the driver lists others than before. */
export class InstanceExtensions {
  readonly #enumerate: bigint;
  #bytes = new Uint8Array();
  #known: LayerExtension[] = [];

  /** Asks the driver. */
  constructor(driver: Driver) {
    this.#enumerate = driverProc(driver, 0n, "vkEnumerateInstanceExtensionProperties");
    this.askAgain();
  }

  /** The extensions that the driver listed last; none if that failed. */
  get known(): LayerExtension[] {
    return this.#known;
  }

  /** Asks the driver again. */
  askAgain(): void {
    if (this.#enumerate === 0n) return;
    const ask = (count: bigint, out: bigint) => invokeAddress(this.#enumerate, "s:qqq", [0n, count, out]) as number;
    const result = withRecords(ask, (memory, list, count) => {
      const bytes = memory.bytes.subarray(list, list + RECORD_SIZE * count);
      if (isSame(bytes, this.#bytes)) return;
      this.#bytes = bytes.slice();
      this.#known = decoded(memory, list, count);
    });
    if (typeof result !== "number") return;
    this.#bytes = new Uint8Array();
    this.#known = [];
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
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
