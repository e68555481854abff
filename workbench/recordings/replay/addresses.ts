import { GIVES_ADDRESS } from "../record/commands.ts";
import type { RecordedCall } from "../record/line.ts";

/** The place of something that shaders reach by an address. */
interface Place {
  /** The first address in the recording. */
  readonly recorded: bigint;
  /** The first address here. */
  readonly here: bigint;
  /** Bytes; 1 for what has an address without a range. */
  readonly size: bigint;
}

/** Places in the order of their addresses on one side. */
interface Side {
  readonly from: "recorded" | "here";
  readonly to: "recorded" | "here";
  readonly places: readonly Place[];
  /** The upper halves of all addresses in the places. */
  readonly upper: ReadonlySet<number>;
}

/** Members and parameters of the type VkDeviceAddress, which commands take, by name. */
const NAMES =
  /(^a|A)ddress(es)?$|^(data|triangleArray|(index|vertex)Buffer|scratch(Data)?|countInfo|dstImplicitData|srcInfos(Count)?|(src|dst)AccelerationStructureData|pAccelerationStructures)$/;
/** Members and parameters whose bytes shaders get: push constants, updates of buffers, inline uniform blocks, constants of shaders. */
const CONTENTS = /^p(Values|Data)$/;

/**
 * Returns the object of which a call asks the address, and the recorded answer;
 * `undefined` for other calls. Throws a `TypeError` if the recording does not
 * have the answer, as those of older versions.
 */
export function addressIn(core: string, { args, result }: RecordedCall): [name: string, address: bigint] | undefined {
  if (!GIVES_ADDRESS.test(core)) return undefined;
  if (typeof result !== "string") throw new TypeError("the recording does not say which address the program got");
  return [args.pInfo.buffer ?? args.pInfo.accelerationStructure, BigInt(result)];
}

/** Whether a 64-bit number is an address of the device, by the name of its member or parameter. */
export function isAddress(name: string): boolean {
  return NAMES.test(name) && name !== "opaqueCaptureAddress";
}

/** Whether bytes may hold addresses, by the name of their member or parameter. */
export function mayHoldAddresses(name: string): boolean {
  return CONTENTS.test(name);
}

/**
 * The addresses that a program got of its buffers and acceleration structures,
 * as long as these live, and the addresses in their place here. In bytes an
 * address is found by its value: eight bytes, at a multiple of four, that lie in
 * a live range.
 */
export class Addresses {
  readonly #places = new Map<string, Place>();
  #sides: { readonly forth: Side; readonly back: Side } | undefined;

  /** Notes where a buffer or acceleration structure is. */
  add(name: string, recorded: bigint, size: bigint, here: bigint): void {
    this.#places.set(name, { recorded, here, size });
    this.#sides = undefined;
  }

  /** Forgets what was destroyed. */
  forget(name: string): void {
    if (this.#places.delete(name)) this.#sides = undefined;
  }

  /** Returns the address here for a recorded one. Throws a `TypeError` for an address in nothing that lives. */
  address(recorded: bigint): bigint {
    const found = recorded === 0n ? recorded : moved(this.#all().forth, recorded, true);
    if (found !== undefined) return found;
    throw new TypeError(
      `the address 0x${
        recorded.toString(16)
      } is in no buffer or acceleration structure of which the program asked the address before`,
    );
  }

  /** Returns bytes with the addresses here for recorded ones. `offset` is where the bytes begin, if not at a multiple of four. */
  contents(bytes: Uint8Array<ArrayBuffer>, offset = 0): Uint8Array<ArrayBuffer> {
    return exchanged(this.#all().forth, bytes, offset);
  }

  /** Returns bytes of this device with the recorded addresses for those here. */
  recorded(bytes: Uint8Array<ArrayBuffer>, offset = 0): Uint8Array<ArrayBuffer> {
    return exchanged(this.#all().back, bytes, offset);
  }

  #all(): { readonly forth: Side; readonly back: Side } {
    if (this.#sides) return this.#sides;
    const places = [...this.#places.values()];
    return this.#sides = { forth: sideOf(places, "recorded", "here"), back: sideOf(places, "here", "recorded") };
  }
}

/** If nothing is elsewhere, nothing is looked for in bytes. */
function sideOf(all: readonly Place[], from: Side["from"], to: Side["to"]): Side {
  const places = all.toSorted((a, b) => a[from] < b[from] ? -1 : a[from] > b[from] ? 1 : 0), upper = new Set<number>();
  for (const place of places.some(({ recorded, here }) => recorded !== here) ? places : []) {
    const last = place[from] + place.size - 1n >> 32n;
    for (let half = place[from] >> 32n; half <= last; half++) upper.add(Number(half));
  }
  return { from, to, places, upper };
}

/** `withEnd` has an address right behind a place count as one of that place, if no other place begins there. */
function moved({ from, to, places }: Side, address: bigint, withEnd = false): bigint | undefined {
  let low = 0, high = places.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (places[middle][from] <= address) low = middle + 1;
    else high = middle;
  }
  const offset = low === 0 ? -1n : address - places[low - 1][from], place = places[low - 1];
  if (offset >= 0n && (offset < place.size || withEnd && offset === place.size)) return place[to] + offset;
  // A smaller place may begin inside of a larger one.
  const around = places.slice(0, low).findLast((each) => address - each[from] < each.size);
  return around && around[to] + (address - around[from]);
}

function exchanged(side: Side, bytes: Uint8Array<ArrayBuffer>, offset: number): Uint8Array<ArrayBuffer> {
  if (side.upper.size === 0 || bytes.length < 8) return bytes;
  let changed: Uint8Array<ArrayBuffer> | undefined;
  const given = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = (4 - offset % 4) % 4; at + 8 <= bytes.length; at += 4) {
    if (!side.upper.has(given.getUint32(at + 4, true))) continue;
    const found = moved(side, given.getBigUint64(at, true));
    if (found === undefined) continue;
    changed ??= bytes.slice();
    new DataView(changed.buffer).setBigUint64(at, found, true);
    at += 4;
  }
  return changed ?? bytes;
}
