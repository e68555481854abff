import { NativeBlock } from "../../../ffi/block.ts";
import { poke64, publish64 } from "../../../ffi/machine.ts";
import { INSTANCE, LIST, NOT_ASKED } from "../../../ffi/member.ts";
import { type DeviceGroup, sizeOf, writeAll } from "./groups.ts";
import type { LiveMember } from "./live_member.ts";
import type { PhysicalDevice } from "./physical_devices.ts";

/** What is written of a list. */
interface ListSpec {
  readonly result: number;
  readonly length: number;
  /** Bytes of its elements. */
  readonly size: number;
}

/** The lists of an instance that machine code copies for other threads. An old one stays, since one may still be reading it. */
export class NativeLists {
  readonly #instance: bigint;
  readonly #places: number;
  readonly #blocks: NativeBlock[] = [];
  #devices = "nothing yet";
  #groups = "nothing yet";

  /** No lists yet of an instance in which so many members have a place. */
  constructor(instance: bigint, places: number) {
    this.#instance = instance;
    this.#places = places;
  }

  /**
   * Lets other threads find these devices, or a failure, as long as the members
   * list what they `listed`. `groups` is asked for the groups if that is new.
   */
  publish(
    devices: readonly PhysicalDevice[] | number,
    listed: ReadonlyMap<LiveMember, readonly bigint[]>,
    groups: () => DeviceGroup[] | number,
  ): void {
    const failed = typeof devices === "number", handles = failed ? [] : devices.map(({ handle }) => handle);
    const result = failed ? devices : 0, own = ownLists(this.#places, listed), key = `${result} ${own} ${handles}`;
    if (key === this.#devices) return;
    this.#devices = key;
    this.#replace(INSTANCE.list, { result, length: handles.length, size: 8 * handles.length }, (list) => {
      handles.forEach((handle, index) => poke64(list + BigInt(8 * index), handle));
    });
    this.publishGroups(failed ? devices : groups());
    const lists = this.#block(8 * own.length); // last, for by that they tell whether all else is right
    own.forEach((value, index) => lists.view.setBigUint64(8 * index, value, true));
    publish64(this.#instance + BigInt(INSTANCE.devices), lists.address);
  }

  /** Lets other threads find these groups, or a failure. */
  publishGroups(found: readonly DeviceGroup[] | number): void {
    const groups = typeof found === "number" ? [] : found, result = typeof found === "number" ? found : 0;
    const key = `${result} ${groups.map((group) => group.devices.map(({ handle }) => handle).join()).join(" ")}`;
    if (key === this.#groups) return;
    this.#groups = key;
    const list = { result, length: groups.length, size: sizeOf(groups) };
    this.#replace(INSTANCE.groups, list, (at) => writeAll(groups, at));
  }

  /** Frees them. No other thread may be reading. */
  close(): void {
    for (const block of this.#blocks) block.close();
  }

  #replace(at: number, { result, length, size }: ListSpec, write: (list: bigint) => void): void {
    const list = this.#block(LIST.elements + size);
    list.view.setBigUint64(LIST.count, BigInt(length), true);
    list.view.setInt32(LIST.result, result, true);
    write(list.address + BigInt(LIST.elements));
    publish64(this.#instance + BigInt(at), list.address);
  }

  #block(size: number): NativeBlock {
    const block = new NativeBlock(size);
    this.#blocks.push(block);
    return block;
  }
}

/** What each of so many members listed, as machine code compares it: a count and handles. */
function ownLists(places: number, listed: ReadonlyMap<LiveMember, readonly bigint[]>): bigint[] {
  const lists = new Map([...listed].map(([{ index }, handles]) => [index, handles]));
  return Array.from({ length: places }, (_, index) => {
    const handles = lists.get(index);
    return handles ? [BigInt(handles.length), ...handles] : [BigInt(NOT_ASKED)];
  }).flat();
}
