import { inFrame } from "../../../../ffi/arena.ts";
import type { NameBlob } from "../../../../ffi/cstring.ts";
import { libcAddress } from "../../../../ffi/libc.ts";
import { fillTable, peek8, poke32, poke64, poke8, publish64 } from "../../../../ffi/machine.ts";
import { GROUP, INSTANCE, LIST, NOT_ASKED } from "../../../emit/layout.ts";
import { VK_ERROR_OUT_OF_HOST_MEMORY } from "../../../gen/native_gen.ts";
import { type InstanceMemory, OutOfHostMemory } from "../instances/create_instance.ts";
import type { LiveMember } from "../members/member.ts";
import { type DeviceGroup, sizeOf, writeAll } from "./groups.ts";
import type { PhysicalDevice, PhysicalDevices } from "./physical_devices.ts";

/** The form of a list to write. */
interface ListSpec {
  readonly result: number;
  readonly length: number;
  /** Bytes of its elements. */
  readonly size: number;
}

/** The instance of the lists. */
interface ListsOwner {
  /** The instance. */
  readonly handle: bigint;
  /** The number of members that the instance has room for. */
  readonly places: number;
  /** The instance's memory. */
  readonly memory: InstanceMemory;
  /** The names of the variables that decide about devices. */
  readonly names: NameBlob;
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
  readonly #names: NameBlob;
  /** The values that were published last, by which a change is seen. */
  #devices: Published | undefined;
  #groups: Published | undefined;
  #variables: readonly (string | undefined)[] | undefined;

  /** Starts without lists. */
  constructor({ handle, places, memory, names }: ListsOwner) {
    this.#instance = handle;
    this.#memory = memory;
    this.#places = places;
    this.#names = names;
  }

  /**
   * Returns the variables that decide about devices, as other threads will read
   * them. Call this method before the devices are chosen by these variables.
   */
  variables(): bigint[] {
    return inFrame((memory) => {
      const { count } = this.#names, at = memory.alloc(8 * count);
      memory.zero(at, 8 * count); // only empty entries are asked for
      fillTable({ getProcAddr: libcAddress("getenv"), names: this.#names, table: memory.address(at) });
      return Array.from({ length: count }, (_, index) => memory.view.getBigUint64(at + 8 * index, true));
    });
  }

  /**
   * Publishes these devices, or a failure, for other threads while the members
   * list what they have listed and the variables have these values. `groups` is
   * called for the groups if the devices are new.
   */
  publish(
    found: readonly PhysicalDevice[] | number,
    { listed, listedGroups }: PhysicalDevices,
    variables: readonly bigint[],
    groups: () => DeviceGroup[] | number,
  ): void {
    this.#publishDevices(found, listed, () => this.publishGroups(groups(), listedGroups));
    this.#publishVariables(variables);
  }

  #publishDevices(
    devices: readonly PhysicalDevice[] | number,
    listed: ReadonlyMap<LiveMember, readonly bigint[]>,
    publishGroups: () => void,
  ): void {
    const failed = typeof devices === "number", handles = failed ? [] : devices.map(({ handle }) => handle);
    const result = failed ? devices : 0, own = ownLists(this.#places, listed), now = { result, own, handles };
    if (this.#devices && isSame(now, this.#devices)) return;
    const lists = this.#memory.take(8 * own.length);
    this.#replace(INSTANCE.list, { result, length: handles.length, size: 8 * handles.length }, (list) => {
      handles.forEach((handle, index) => poke64(list + BigInt(8 * index), handle));
    });
    publishGroups();
    own.forEach((value, index) => poke64(lists + BigInt(8 * index), value));
    // last, because other threads compare it to see whether the rest is current
    publish64(this.#instance + BigInt(INSTANCE.devices), lists);
    this.#devices = now;
  }

  /** Publishes these groups, or a failure, for other threads while the members list what they `listed`. */
  publishGroups(found: readonly DeviceGroup[] | number, listed: ReadonlyMap<LiveMember, Uint8Array>): void {
    if (found === VK_ERROR_OUT_OF_HOST_MEMORY) throw new OutOfHostMemory();
    const groups = typeof found === "number" ? [] : found, result = typeof found === "number" ? found : 0;
    // 0 ends a group
    const handles = groups.flatMap((group) => [...group.devices.map(({ handle }) => handle), 0n]);
    const own = ownGroupLists(this.#places, listed), now = { result, own, handles };
    if (this.#groups && isSame(now, this.#groups)) return;
    const list = { result, length: groups.length, size: sizeOf(groups) };
    this.#replace(INSTANCE.groups, list, (at) => writeAll(groups, at));
    const lists = this.#memory.take(8 * own.length);
    own.forEach((value, index) => poke64(lists + BigInt(8 * index), value));
    publish64(this.#instance + BigInt(INSTANCE.ownGroups), lists);
    this.#groups = now;
  }

  /** Copies the values of the variables, whose memory belongs to the environment. */
  #publishVariables(values: readonly bigint[]): void {
    const texts = values.map((value) => value === 0n ? undefined : bytesAt(value));
    const now = texts.map((text) => text?.join()), before = this.#variables;
    if (before && now.every((text, index) => text === before[index])) return;
    const size = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
    const list = this.#memory.take(8 * (texts.length + Math.ceil(size / 8)));
    let at = list + BigInt(8 * texts.length);
    for (const [index, text] of texts.entries()) {
      poke64(list + BigInt(8 * index), text ? at : 0n);
      text?.forEach((byte) => poke8(at++, byte));
    }
    publish64(this.#instance + BigInt(INSTANCE.variables), list);
    this.#variables = now;
  }

  #replace(at: number, { result, length, size }: ListSpec, write: (list: bigint) => void): void {
    const list = this.#memory.take(LIST.elements + size);
    poke64(list + BigInt(LIST.count), BigInt(length));
    poke32(list + BigInt(LIST.result), result);
    write(list + BigInt(LIST.elements));
    publish64(this.#instance + BigInt(at), list);
  }
}

/** The answer for other threads: a result, what the members listed, and the handles that the application gets. */
interface Published {
  readonly result: number;
  readonly own: readonly bigint[];
  readonly handles: readonly bigint[];
}

function isSame(one: Published, other: Published): boolean {
  return one.result === other.result && isEqual(one.own, other.own) && isEqual(one.handles, other.handles);
}

function isEqual(one: readonly bigint[], other: readonly bigint[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** Writes what each member listed, in the form that machine code compares: a count and handles. */
function ownLists(places: number, listed: ReadonlyMap<LiveMember, readonly bigint[]>): bigint[] {
  const lists = new Map([...listed].map(([{ index }, handles]) => [index, handles]));
  return Array.from({ length: places }, (_, index) => {
    const handles = lists.get(index);
    return handles ? [BigInt(handles.length), ...handles] : [BigInt(NOT_ASKED)];
  }).flat();
}

/** Writes which groups each member listed, in the form that machine code compares: a count and the structs. */
function ownGroupLists(places: number, listed: ReadonlyMap<LiveMember, Uint8Array>): bigint[] {
  const lists = new Map([...listed].map(([{ index }, groups]) => [index, groups]));
  return Array.from({ length: places }, (_, index) => {
    const groups = lists.get(index);
    return groups ? [BigInt(groups.length / GROUP.size), ...new BigUint64Array(groups.buffer)] : [BigInt(NOT_ASKED)];
  }).flat();
}

/** Returns the bytes of a text with the NUL. */
function bytesAt(address: bigint): number[] {
  const bytes: number[] = [];
  do bytes.push(peek8(address++)); while (bytes.at(-1) !== 0);
  return bytes;
}
