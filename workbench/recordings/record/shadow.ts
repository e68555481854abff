import { libcAddress } from "../../../ffi/libc.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { copyMemory, inOwnMemory, invokeAddress, peek64, peek8 } from "../../../ffi/machine.ts";
import { isMapped, isOwnMemory } from "../../../ffi/mapped.ts";
import type { Range } from "./ranges.ts";

/** The most bytes that are compared or copied at a time, and the number of parts of a changed block. */
const PART = 1 << 20, PARTS = 16;
/** Changes that are closer together become one change. */
const PAGE = 1 << 12;
const MS_ASYNC = 1;

/** Addresses of functions of the C library. */
interface Functions {
  readonly calloc: bigint;
  readonly free: bigint;
  readonly memcmp: bigint;
  readonly msync: bigint;
  /** Bytes of a page of the system. */
  readonly page: bigint;
}

let functions: Functions | undefined;

/** Finds the functions that {@linkcode Shadow} calls. Call this function once, outside callbacks. */
export function prepareShadows(): void {
  functions ??= {
    calloc: libcAddress("calloc"),
    free: libcAddress("free"),
    memcmp: libcAddress("memcmp"),
    msync: libcAddress("msync"),
    page: BigInt(invokeAddress(libcAddress("getpagesize"), "s:", []) as number),
  };
}

/** The recording's knowledge about the contents of memory: a copy, at first all zeros, as a replay starts with. */
export class Shadow {
  readonly #address: bigint;

  /** Reserves so many bytes. The system provides memory only for bytes that are written. */
  constructor(size: number) {
    this.#address = invokeAddress(functions!.calloc, "q:qq", [1n, BigInt(size)]) as bigint; // void *calloc(size_t, size_t)
    if (this.#address === 0n) throw new Error(`Cannot keep a copy of ${size} bytes of memory: the system refused`);
  }

  /** Returns the parts of a range that differ from the memory. `memory` is the address of byte 0. */
  changes(memory: bigint, { start, end }: Range): Range[] {
    const found: Range[] = [];
    for (let at = start; at < end; at += PART) {
      const stop = Math.min(at + PART, end);
      brought(memory + BigInt(at), stop - at, (here) => this.#search(here - BigInt(at), at, stop, found));
    }
    return found;
  }

  /** Returns the eight bytes at an offset. */
  word(at: number): bigint {
    return inOwnMemory(() => peek64(this.#address + BigInt(at)));
  }

  /** Copies a range from the memory. */
  update(memory: bigint, { start, end }: Range): void {
    for (let at = start; at < end; at += PART) {
      const size = Math.min(PART, end - at);
      brought(memory + BigInt(at), size, (here) => copyMemory(this.#address + BigInt(at), here, size));
    }
  }

  /** Frees the copy. */
  free(): void {
    invokeAddress(functions!.free, "v:q", [this.#address]);
  }

  #search(memory: bigint, start: number, end: number, found: Range[]): void {
    const ours = this.#address + BigInt(start), theirs = memory + BigInt(start);
    // int memcmp(const void *, const void *, size_t)
    if (invokeAddress(functions!.memcmp, "s:qqq", [ours, theirs, BigInt(end - start)]) === 0) return;
    if (end - start <= PAGE) return addTo(found, this.#trim(memory, start, end));
    const step = Math.ceil((end - start) / PARTS);
    for (let at = start; at < end; at += step) this.#search(memory, at, Math.min(at + step, end), found);
  }

  /** Removes the equal bytes at both ends. */
  #trim(memory: bigint, start: number, end: number): Range {
    const same = (at: number) => peek8(this.#address + BigInt(at)) === peek8(memory + BigInt(at));
    const same64 = (at: number) => peek64(this.#address + BigInt(at)) === peek64(memory + BigInt(at));
    while (start + 8 <= end && same64(start)) start += 8;
    while (same(start)) start++;
    while (end - 8 >= start && same64(end - 8)) end -= 8;
    while (same(end - 1)) end--;
    return { start, end };
  }
}

/** Calls a function with the place of bytes in this process: of a copy if they are in another one's memory. */
function brought(address: bigint, size: number, use: (here: bigint) => void): void {
  if (isOwnMemory()) return use(address);
  inFrame((memory) => {
    const here = memory.address(memory.copyIn(address, size));
    inOwnMemory(() => use(here));
  });
}

function addTo(found: Range[], range: Range): void {
  const last = found.at(-1);
  if (last && range.start - last.end < PAGE) found[found.length - 1] = { start: last.start, end: range.end };
  else found.push(range);
}

/** Whether there is still memory at an address. It may have been unmapped unseen. */
export function isThere(address: bigint, size: number): boolean {
  if (!isOwnMemory()) return isMapped(address, size);
  const { msync, page } = functions!, start = address / page * page, length = address - start + BigInt(size);
  return invokeAddress(msync, "s:qqs", [start, length, MS_ASYNC]) === 0; // int msync(void *, size_t, int)
}
