import { type Arena, arena } from "../../../ffi/arena.ts";
import { foreignText, readText, writeText } from "./text.ts";
import { trouble } from "./convert.ts";

/** Operations of encoders and decoders on the arena beyond reading and writing scalars. Places are arena offsets. */
export interface Memory {
  /** The arena itself. */
  readonly arena: Arena;
  /** The whole arena. */
  readonly view: DataView;
  /** Reserves bytes; see {@linkcode Arena.alloc}. */
  alloc(size: number): number;
  /** Fills `size` bytes with zeros. */
  zero(at: number, size: number): void;
  /** Stores the address of arena offset `target`. */
  putPointer(at: number, target: number): void;
  /** Stores a raw address, or 0 for null. Anything else is TROUBLE. */
  putAddress(at: number, value: unknown): void;
  /** Stores a `size_t`. */
  putSize(at: number, value: number): void;
  /** Reads a `size_t`. */
  getSize(at: number): number;
  /** Returns the arena offset of the stored pointer's target, or of a copy of its `size` foreign bytes; 0 for NULL. */
  follow(at: number, size: number): number;
  /** Stores a pointer to a copy of the text; null stores NULL. */
  putString(at: number, value: unknown): void;
  /** Returns the text behind the stored pointer; null for NULL. */
  getString(at: number): string | null;
}

let shared: Memory | undefined;

/** Returns the arena's operations, built at the first call. */
export function memory(): Memory {
  return shared ??= memoryOf(arena());
}

/** Closures over constants: the compiler folds the arena's base and view into the code that calls them. */
function memoryOf(arena: Arena): Memory {
  const { view, bytes, base, low, high, size: arenaSize } = arena;

  function alloc(size: number): number {
    return arena.alloc(size);
  }
  function zero(at: number, size: number): void {
    let i = 0;
    for (; i + 8 <= size; i += 8) view.setFloat64(at + i, 0);
    for (; i < size; i++) view.setUint8(at + i, 0);
  }
  function putPointer(at: number, target: number): void {
    view.setUint32(at, low + target, true);
    view.setUint32(at + 4, high, true);
  }
  function putAddress(at: number, value: unknown): void {
    if (typeof value === "bigint") view.setBigUint64(at, value, true);
    else if (value === null) view.setFloat64(at, 0);
    else trouble();
  }
  function putSize(at: number, value: number): void {
    view.setUint32(at, value, true);
    view.setUint32(at + 4, value / 0x1_0000_0000, true);
  }
  function getSize(at: number): number {
    return view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000;
  }
  function follow(at: number, size: number): number {
    const lower = view.getUint32(at, true), upper = view.getUint32(at + 4, true);
    const target = lower - low;
    if (upper === high && target >= 0 && target < arenaSize) return target;
    if (lower === 0 && upper === 0) return 0;
    return arena.copyIn(view.getBigUint64(at, true), size);
  }
  function putString(at: number, value: unknown): void {
    if (typeof value === "string") putPointer(at, writeText(arena, value));
    else putAddress(at, value);
  }
  function getString(at: number): string | null {
    const address = view.getBigUint64(at, true);
    if (address === 0n) return null;
    const target = Number(address - base);
    return target > 0 && target < arenaSize ? readText(bytes, target, arenaSize) : foreignText(address);
  }
  return { arena, view, alloc, zero, putPointer, putAddress, putSize, getSize, follow, putString, getString };
}
