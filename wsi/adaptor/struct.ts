import { arena, inFrame } from "../../ffi/arena.ts";
import { peek64, poke64 } from "../../ffi/machine.ts";
import { codec, type StructObject } from "../../loader/codec/codec.ts";

export type { StructObject };

/** Calls `use`, and frees the arena memory that `use` allocated. */
export function scratch<Result>(use: () => Result): Result {
  return inFrame(() => use());
}

/** Writes a struct to the arena and returns its address. */
export function write(name: string, value: StructObject): bigint {
  return writeAll(name, [value]);
}

/** Writes an array of structs to the arena and returns its address. */
export function writeAll(name: string, values: readonly StructObject[]): bigint {
  const { size, encode } = codec(name), memory = arena(), at = memory.alloc(size * values.length || 1);
  values.forEach((value, index) => encode(value, at + size * index));
  return memory.address(at);
}

/** The struct that a command fills, with structs of these types chained to it. */
export function filled(name: string, fill: (address: bigint) => unknown, chain: readonly unknown[] = []): StructObject {
  return scratch(() => {
    const { size, encodeOut, decode } = codec(name), memory = arena(), at = memory.alloc(size);
    encodeOut(chain.length > 0 ? { pNext: chain } : undefined, at);
    fill(memory.address(at));
    return decode(at);
  });
}

/** A handle that a command returns through its last parameter, or the VkResult when that is an error. */
export function made(make: (out: bigint) => number): bigint | number {
  return scratch(() => {
    const memory = arena(), out = memory.address(memory.alloc(8)), result = make(out);
    return result < 0 ? result : peek64(out);
  });
}

/** The struct of a type among those of a decoded chain. */
export function chained(struct: StructObject, sType: number): StructObject | undefined {
  return (struct.pNext as StructObject[] | undefined)?.find((each) => each.sType === sType);
}

/** A decoded chain without the structs of some types. */
export function without(struct: StructObject, ...sTypes: number[]): StructObject[] {
  return (struct.pNext as StructObject[] | undefined ?? []).filter((each) => !sTypes.includes(each.sType as number));
}

/** Gives a handle the dispatch key of its device, which native layers may have left out. Returns the handle. */
export function stamped(device: bigint, handle: bigint): bigint {
  const key = peek64(device);
  if (handle !== 0n && peek64(handle) !== key) poke64(handle, key);
  return handle;
}

/** Offsets of parts of these sizes, a multiple of 8 each, one behind the other, and the size of all. */
export function placesOf<Part extends string>(sizes: Readonly<Record<Part, number>>): Record<Part | "size", number> {
  const places = { size: 0 } as Record<Part | "size", number>;
  for (const [part, size] of Object.entries<number>(sizes)) {
    places[part as Part] = places.size;
    places.size += size;
  }
  return places;
}

/** Stores a number, an integer below 2⁵³, as a u64, without making a bigint of it. */
export function setLong(view: DataView, at: number, value: number): void {
  view.setUint32(at, value >>> 0, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}
