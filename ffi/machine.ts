import { coreImage } from "./image/core.ts";
import type { NativeFunction } from "./image/image.ts";
import type { NameBlob } from "./cstring.ts";
import { arenaMemory, type OtherMemory, otherMemory, setOtherMemory } from "./arena_memory.ts";
import { PORTABLE } from "./portable.ts";

/** Binds a helper of the core image, or its stand-in where emitted code cannot be used. */
function helper(name: string, signature: string): NativeFunction {
  const core = coreImage();
  return core ? core.image.bind(name, signature) : PORTABLE[name];
}

let peek8Bound: NativeFunction | undefined;
let peek16Bound: NativeFunction | undefined;
let peek32Bound: NativeFunction | undefined;
let peek64Bound: NativeFunction | undefined;
let poke8Bound: NativeFunction | undefined;
let poke16Bound: NativeFunction | undefined;
let poke32Bound: NativeFunction | undefined;
let poke64Bound: NativeFunction | undefined;
let publish64Bound: NativeFunction | undefined;
let acquire64Bound: NativeFunction | undefined;
let exchange64Bound: NativeFunction | undefined;
let copyBound: NativeFunction | undefined;
let copyToArenaBound: NativeFunction | undefined;
let copyFromArenaBound: NativeFunction | undefined;
let fillTableBound: NativeFunction | undefined;
let fillByNameBound: NativeFunction | undefined;
let threadPointer: bigint | undefined;

/**
 * Reads the byte at an address. The caller must know that the address is valid,
 * here and below. Safe inside callbacks.
 *
 * @example
 * ```ts
 * import { arena, peek8, poke64 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * poke64(at, 0x8877665544332211n);
 * assertEquals(peek8(at), 0x11);
 * memory.release(mark);
 * ```
 */
export function peek8(address: bigint): number {
  return (peek8Bound ??= helper("peek8", "w:q"))(address);
}

/**
 * Reads the u16 at an address.
 *
 * @example
 * ```ts
 * import { arena, peek16, poke64 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * poke64(at, 0x8877665544332211n);
 * assertEquals(peek16(at), 0x2211);
 * memory.release(mark);
 * ```
 */
export function peek16(address: bigint): number {
  return (peek16Bound ??= helper("peek16", "w:q"))(address);
}

/**
 * Reads the u32 at an address.
 *
 * @example
 * ```ts
 * import { arena, peek32, poke64 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * poke64(at, 0x8877665544332211n);
 * assertEquals(peek32(at), 0x44332211);
 * memory.release(mark);
 * ```
 */
export function peek32(address: bigint): number {
  return (peek32Bound ??= helper("peek32", "w:q"))(address);
}

/**
 * Reads the u64 at an address.
 *
 * @example
 * ```ts
 * import { arena, peek64, poke32 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * poke32(at, 1);
 * poke32(at + 4n, 2);
 * assertEquals(peek64(at), 0x2_0000_0001n);
 * memory.release(mark);
 * ```
 */
export function peek64(address: bigint): bigint {
  return (peek64Bound ??= helper("peek64", "q:q"))(address);
}

/**
 * Stores the low byte of `value` at an address.
 *
 * @example
 * ```ts
 * import { arena, peek64, poke64, poke8 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * poke64(at, 0n);
 * poke8(at, 0x1_2345_6789);
 * assertEquals(peek64(at), 0x89n);
 * memory.release(mark);
 * ```
 */
export function poke8(address: bigint, value: number): void {
  (poke8Bound ??= helper("poke8", "v:qw"))(address, value >>> 0);
}

/**
 * Stores the low 16 bits of `value` at an address.
 *
 * @example
 * ```ts
 * import { arena, peek64, poke64, poke16 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * poke64(at, 0n);
 * poke16(at, 0x1_2345_6789);
 * assertEquals(peek64(at), 0x6789n);
 * memory.release(mark);
 * ```
 */
export function poke16(address: bigint, value: number): void {
  (poke16Bound ??= helper("poke16", "v:qw"))(address, value >>> 0);
}

/**
 * Stores the low 32 bits of `value` at an address.
 *
 * @example
 * ```ts
 * import { arena, peek64, poke64, poke32 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * poke64(at, 0n);
 * poke32(at, 0x1_2345_6789);
 * assertEquals(peek64(at), 0x23456789n);
 * memory.release(mark);
 * ```
 */
export function poke32(address: bigint, value: number): void {
  (poke32Bound ??= helper("poke32", "v:qw"))(address, value >>> 0);
}

/**
 * Stores the low 64 bits of `value` at an address.
 *
 * @example
 * ```ts
 * import { arena, peek32, poke64 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * poke64(at, -1n);
 * assertEquals(peek32(at + 4n), 0xffffffff);
 * memory.release(mark);
 * ```
 */
export function poke64(address: bigint, value: bigint): void {
  (poke64Bound ??= helper("poke64", "v:qq"))(address, value);
}

/**
 * Stores 64 bits at an 8-aligned address. A thread that sees the new value with
 * {@linkcode acquire64} also sees everything stored before.
 *
 * @example
 * ```ts
 * import { acquire64, arena, publish64 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * publish64(at, 5n);
 * assertEquals(acquire64(at), 5n); // on another thread, too
 * memory.release(mark);
 * ```
 */
export function publish64(address: bigint, value: bigint): void {
  (publish64Bound ??= helper("publish64", "v:qq"))(address, value);
}

/**
 * Reads the u64 at an 8-aligned address. From then on, this thread sees
 * everything that was stored before the value was published.
 *
 * @example
 * ```ts
 * import { acquire64, arena, publish64 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * publish64(at, 6n);
 * assertEquals(acquire64(at), 6n);
 * memory.release(mark);
 * ```
 */
export function acquire64(address: bigint): bigint {
  return (acquire64Bound ??= helper("acquire64", "q:q"))(address);
}

/**
 * Stores 64 bits at an 8-aligned address and returns the earlier value, in one
 * step: no other thread comes between, and no later {@linkcode acquire64}
 * happens before.
 *
 * @example
 * ```ts
 * import { arena, exchange64, peek64, poke64 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * poke64(at, 1n);
 * assertEquals([exchange64(at, 2n), peek64(at)], [1n, 2n]);
 * memory.release(mark);
 * ```
 */
export function exchange64(address: bigint, value: bigint): bigint {
  return (exchange64Bound ??= helper("exchange64", "q:qq"))(address, value);
}

/** The most bytes of one copy: the size is passed as 32 bits. */
const COPY_MOST = 0x8000_0000;

/**
 * Copies `size` bytes between addresses. The ranges must not overlap.
 *
 * @example
 * ```ts
 * import { arena, copyMemory, peek64, poke64 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(16));
 * poke64(at, 77n);
 * copyMemory(at + 8n, at, 8);
 * assertEquals(peek64(at + 8n), 77n);
 * memory.release(mark);
 * ```
 */
export function copyMemory(to: bigint, from: bigint, size: number): void {
  copyBound ??= helper("copy", "v:qqw");
  for (; size > COPY_MOST; size -= COPY_MOST) {
    copyBound(to, from, COPY_MOST);
    to += BigInt(COPY_MOST);
    from += BigInt(COPY_MOST);
  }
  copyBound(to, from, size >>> 0);
}

/**
 * Copies `size` bytes from an address to an arena offset.
 *
 * @example
 * ```ts
 * import { arena, copyToArena, NativeBlock, poke32 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using block = new NativeBlock(16);
 * poke32(block.address, 9);
 * const memory = arena(), mark = memory.mark(), offset = memory.alloc(4);
 * copyToArena(offset, block.address, 4);
 * assertEquals(memory.view.getUint32(offset, true), 9);
 * memory.release(mark);
 * ```
 */
export function copyToArena(offset: number, from: bigint, size: number): void {
  (copyToArenaBound ??= helper("copyToArena", "v:wqw"))(offset >>> 0, from, size >>> 0);
}

/**
 * Copies `size` bytes from an arena offset to an address.
 *
 * @example
 * ```ts
 * import { arena, copyFromArena, NativeBlock, peek32 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using block = new NativeBlock(16);
 * const memory = arena(), mark = memory.mark(), offset = memory.alloc(4);
 * memory.view.setUint32(offset, 9, true);
 * copyFromArena(block.address, offset, 4);
 * assertEquals(peek32(block.address), 9);
 * memory.release(mark);
 * ```
 */
export function copyFromArena(to: bigint, offset: number, size: number): void {
  (copyFromArenaBound ??= helper("copyFromArena", "v:qww"))(to, offset >>> 0, size >>> 0);
}

/**
 * Returns a number that no other living thread has: the thread pointer. 0n where emitted code cannot be used.
 *
 * @example
 * ```ts
 * import { threadId } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(threadId(), threadId());
 * ```
 */
export function threadId(): bigint {
  return threadPointer ??= helper("threadPointer", "q:")() as bigint;
}

/** Arguments of {@linkcode fillTable}. */
export interface FillTable {
  /** Address of a function `void *(void *handle, const char *name)`, such as vkGetDeviceProcAddr or dlsym. */
  getProcAddr: bigint;
  /**
   * The first argument. Leave it out for functions that take only the name,
   * such as eglGetProcAddress: those are asked only for entries that are 0 in
   * the table.
   */
  handle?: bigint;
  /** The names to look up. */
  names: NameBlob;
  /** Address of the table: 8 bytes for each name, 0 for unknown names. */
  table: bigint;
}

/**
 * Fills a dispatch table: looks up all names in one native call.
 *
 * @example
 * ```ts
 * import { createLookup, fillTable, NameBlob, NativeBlock, peek64 } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using lookup = createLookup([["vkOne", 0x1000n]]);
 * using table = new NativeBlock(16);
 * fillTable({
 *   getProcAddr: lookup.address,
 *   handle: 0n,
 *   names: new NameBlob(["vkOne", "vkOther"]),
 *   table: table.address,
 * });
 * assertEquals([peek64(table.address), peek64(table.address + 8n)], [0x1000n, 0n]);
 * ```
 */
export function fillTable(request: FillTable): void {
  const { getProcAddr, handle = 0n, names: { address, sizes }, table } = request;
  const fill = request.handle === undefined
    ? fillByNameBound ??= helper("fillByName", "v:qqqqq")
    : fillTableBound ??= helper("fillTable", "v:qqqqq");
  fill(getProcAddr, handle, address, table, sizes);
}

/** The functions that addresses go to: this process's own, or those of another memory. */
type Bound = Readonly<Record<keyof typeof OF_OTHER, NativeFunction>>;

/** The same functions for another memory. */
const OF_OTHER = {
  peek8: (at: bigint) => otherMemory()!.peek(at, 1),
  peek16: (at: bigint) => otherMemory()!.peek(at, 2),
  peek32: (at: bigint) => otherMemory()!.peek(at, 4),
  peek64: (at: bigint) => otherMemory()!.peek64(at),
  poke8: (at: bigint, value: number) => otherMemory()!.poke(at, 1, BigInt(value)),
  poke16: (at: bigint, value: number) => otherMemory()!.poke(at, 2, BigInt(value)),
  poke32: (at: bigint, value: number) => otherMemory()!.poke(at, 4, BigInt(value)),
  poke64: (at: bigint, value: bigint) => otherMemory()!.poke(at, 8, value),
  copy: (to: bigint, from: bigint, size: number) => otherMemory()!.copy(to, from, size),
  copyToArena: (to: number, from: bigint, size: number) =>
    otherMemory()!.copy(arenaMemory().base + BigInt(to), from, size),
  copyFromArena: (to: bigint, from: number, size: number) =>
    otherMemory()!.copy(to, arenaMemory().base + BigInt(from), size),
};
const SIGNATURES: Readonly<Record<keyof Bound, string>> = {
  peek8: "w:q",
  peek16: "w:q",
  peek32: "w:q",
  peek64: "q:q",
  poke8: "v:qw",
  poke16: "v:qw",
  poke32: "v:qw",
  poke64: "v:qq",
  copy: "v:qqw",
  copyToArena: "v:wqw",
  copyFromArena: "v:qww",
};

let own: Bound | undefined;

/**
 * Lets addresses belong to another memory from now on, or to this process again
 * (`undefined`), and returns the memory before. The functions are exchanged, so
 * that a process that never does so pays nothing for the possibility.
 */
export function readFrom(memory: OtherMemory | undefined): OtherMemory | undefined {
  const before = otherMemory();
  setOtherMemory(memory);
  if ((memory === undefined) !== (before === undefined)) exchange(memory ? OF_OTHER : own!);
  return before;
}

/** Calls a function for which all addresses are this process's own. */
export function inOwnMemory<Result>(use: () => Result): Result {
  const memory = readFrom(undefined);
  try {
    return use();
  } finally {
    readFrom(memory);
  }
}

function exchange(to: Bound): void {
  own ??= Object.fromEntries(
    Object.entries(SIGNATURES).map(([name, letters]) => [name, helper(name, letters)]),
  ) as Bound;
  peek8Bound = to.peek8;
  peek16Bound = to.peek16;
  peek32Bound = to.peek32;
  peek64Bound = to.peek64;
  poke8Bound = to.poke8;
  poke16Bound = to.poke16;
  poke32Bound = to.poke32;
  poke64Bound = to.poke64;
  copyBound = to.copy;
  copyToArenaBound = to.copyToArena;
  copyFromArenaBound = to.copyFromArena;
}

export { invokeAddress } from "./invoke.ts";
export { NameBlob } from "./cstring.ts";

/** The address of bytes, which neither move nor go while somebody refers to them. */
export function addressOf(bytes: Uint8Array<ArrayBuffer>): bigint {
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
}
