import { poke32, poke64, publish64 } from "../../../../ffi/machine.ts";
import { INSTANCE, LIST, NOT_ASKED } from "../../../emit/layout.ts";
import { type DeviceGroup, sizeOf, writeAll } from "./groups.ts";
import { type InstanceMemory, OutOfHostMemory } from "../instances/instance_memory.ts";
import type { LiveMember } from "../members/member.ts";
import type { PhysicalDevice } from "./physical_devices.ts";
import { VK_ERROR_OUT_OF_HOST_MEMORY } from "../../../gen/native_gen.ts";

/** The form of a list to write. */
interface ListSpec {
  readonly result: number;
  readonly length: number;
  /** Bytes of its elements. */
  readonly size: number;
}

/**
 * The lists of an instance that machine code copies for other threads. An old
 * list stays, because a thread may still be reading it. Making a list may fail
 * for lack of memory: see `unlessOutOfMemory()`.
 */
export class NativeLists {
  readonly #instance: bigint;
  readonly #places: number;
  readonly #memory: InstanceMemory;
  #devices = "nothing yet";
  #groups = "nothing yet";

  /** Starts without lists, for an instance with room for so many members. */
  constructor(instance: bigint, places: number, memory: InstanceMemory) {
    this.#instance = instance;
    this.#memory = memory;
    this.#places = places;
  }

  /**
   * Publishes these devices, or a failure, for other threads while the members
   * list what they `listed`. `groups` is called for the groups if the devices
   * are new.
   */
  publish(
    devices: readonly PhysicalDevice[] | number,
    listed: ReadonlyMap<LiveMember, readonly bigint[]>,
    groups: () => DeviceGroup[] | number,
  ): void {
    const failed = typeof devices === "number", handles = failed ? [] : devices.map(({ handle }) => handle);
    const result = failed ? devices : 0, own = ownLists(this.#places, listed), key = `${result} ${own} ${handles}`;
    if (key === this.#devices) return;
    const all = failed ? devices : groups(), lists = this.#memory.take(8 * own.length);
    if (all === VK_ERROR_OUT_OF_HOST_MEMORY) throw new OutOfHostMemory();
    this.#replace(INSTANCE.list, { result, length: handles.length, size: 8 * handles.length }, (list) => {
      handles.forEach((handle, index) => poke64(list + BigInt(8 * index), handle));
    });
    this.publishGroups(all);
    own.forEach((value, index) => poke64(lists + BigInt(8 * index), value));
    // last, because other threads compare it to see whether the rest is current
    publish64(this.#instance + BigInt(INSTANCE.devices), lists);
    this.#devices = key;
  }

  /** Publishes these groups, or a failure, for other threads. */
  publishGroups(found: readonly DeviceGroup[] | number): void {
    const groups = typeof found === "number" ? [] : found, result = typeof found === "number" ? found : 0;
    const key = `${result} ${groups.map((group) => group.devices.map(({ handle }) => handle).join()).join(" ")}`;
    if (key === this.#groups) return;
    const list = { result, length: groups.length, size: sizeOf(groups) };
    this.#replace(INSTANCE.groups, list, (at) => writeAll(groups, at));
    this.#groups = key;
  }

  #replace(at: number, { result, length, size }: ListSpec, write: (list: bigint) => void): void {
    const list = this.#memory.take(LIST.elements + size);
    poke64(list + BigInt(LIST.count), BigInt(length));
    poke32(list + BigInt(LIST.result), result);
    write(list + BigInt(LIST.elements));
    publish64(this.#instance + BigInt(at), list);
  }
}

/** Writes what each member listed, in the form that machine code compares: a count and handles. */
function ownLists(places: number, listed: ReadonlyMap<LiveMember, readonly bigint[]>): bigint[] {
  const lists = new Map([...listed].map(([{ index }, handles]) => [index, handles]));
  return Array.from({ length: places }, (_, index) => {
    const handles = lists.get(index);
    return handles ? [BigInt(handles.length), ...handles] : [BigInt(NOT_ASKED)];
  }).flat();
}
