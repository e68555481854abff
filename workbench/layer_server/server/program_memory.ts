import { arena, inFrame, joinBytes } from "../../../ffi/arena.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { decode } from "../../../ffi/cstring.ts";
import type { OtherMemory, PageFiles } from "../../../ffi/arena_memory.ts";
import { ProgramGone } from "../../../loader/error.ts";
import type { Peer } from "./transport.ts";

/** Bytes of a page: no system has smaller ones. */
const PAGE = 4096n, SIZE = Number(PAGE);
/** The most bytes of a text. */
const TEXT_MOST = 1 << 20;
/** The number of kept pages. */
const KEPT = 64;

/**
 * The memory of a program whose thread waits. Structs are read by the page,
 * since a struct and what the struct points to often lie together; the pages
 * are kept until {@linkcode ProgramMemory.forget}. The arena is shared, so that
 * its addresses mean the same in both processes.
 */
export class ProgramMemory implements OtherMemory, Disposable {
  /** Throws if the memory must not be written: a thread that waits no longer uses its memory for something else. */
  requireWaiting: () => void = () => {};
  /** See {@linkcode OtherMemory.pages}. */
  pages: PageFiles | undefined;
  readonly #peer: Peer;
  /** Room for numbers, and the kept pages from {@linkcode SIZE} on. */
  readonly #block = new NativeBlock(SIZE * (KEPT + 1));
  /** Places of the kept pages in the block, by number. */
  readonly #pages = new Map<bigint, number>();
  /** The number of taken places. */
  #used = 0;

  /** Selects a process. */
  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Forgets all pages, after the program has run. */
  forget(): void {
    this.#pages.clear();
    this.#used = 0;
  }

  /** See {@linkcode OtherMemory.peek}. */
  peek(address: bigint, size: 1 | 2 | 4): number {
    const { view, at } = this.#place(address, size);
    return size === 1 ? view.getUint8(at) : size === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
  }

  /** See {@linkcode OtherMemory.peek64}. */
  peek64(address: bigint): bigint {
    const { view, at } = this.#place(address, 8);
    return view.getBigUint64(at, true);
  }

  /** See {@linkcode OtherMemory.poke}. */
  poke(address: bigint, size: 1 | 2 | 4 | 8, value: bigint): void {
    const inside = insideArena(address, size), { view } = this.#block;
    if (inside >= 0) {
      view.setBigUint64(SCRATCH, value, true);
      arena().bytes.set(this.#block.bytes.subarray(SCRATCH, SCRATCH + size), inside);
      return;
    }
    view.setBigUint64(SCRATCH, value, true);
    this.#write(address, this.#block.address + BigInt(SCRATCH), size);
  }

  /** See {@linkcode OtherMemory.copy}. */
  copy(to: bigint, from: bigint, size: number): void {
    if (size === 0) return;
    const { bytes, base } = arena(), target = insideArena(to, size), source = insideArena(from, size);
    if (target >= 0 && source >= 0) bytes.copyWithin(target, source, source + size);
    else if (target < 0 && source >= 0) this.#write(to, from, size);
    else if (target >= 0) this.#copyIn(target, from, size);
    else {
      inFrame((memory) => {
        const at = memory.alloc(size);
        this.#copyIn(at, from, size);
        this.#write(to, base + BigInt(at), size);
      });
    }
  }

  /** See {@linkcode OtherMemory.text}. Throws a `TypeError` for a text that is longer than any sensible one. */
  text(address: bigint, most: number): string {
    const parts: Uint8Array[] = [], room = Math.min(most, TEXT_MOST);
    let size = 0;
    while (size < room) {
      const at = address + BigInt(size), part = this.#bytes(at, Math.min(room - size, Number(PAGE - at % PAGE)));
      const end = part.indexOf(0);
      parts.push(end < 0 ? part : part.subarray(0, end));
      size += parts.at(-1)!.length;
      if (end >= 0) return decode(joinBytes(parts), size);
    }
    if (room === most) return decode(joinBytes(parts), size);
    const where = `at 0x${address.toString(16)} of process ${this.#peer.process}`;
    throw new TypeError(`Cannot read the text ${where}: there is no NUL within ${TEXT_MOST} bytes`);
  }

  /** See {@linkcode OtherMemory.isMapped}. Throws {@linkcode ProgramGone} if the program has ended. */
  isMapped(address: bigint, size: number): boolean {
    if (insideArena(address, size) >= 0) return true;
    const last = address + BigInt(Math.max(size, 1) - 1);
    const isThere = this.#find(address / PAGE) !== undefined && this.#find(last / PAGE) !== undefined;
    if (!isThere && this.#peer.isEnding) throw new ProgramGone();
    return isThere;
  }

  /** Frees the pages. */
  close(): void {
    this.#pages.clear();
    this.#block.close();
  }

  /** Frees the pages at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Returns the place of a few bytes in a view: in the arena, in a page, or in both of two pages put together. */
  #place(address: bigint, size: number): { view: DataView; at: number } {
    const inside = insideArena(address, size);
    if (inside >= 0) return { view: arena().view, at: inside };
    const { view } = this.#block, offset = Number(address % PAGE);
    if (offset + size <= SIZE) return { view, at: this.#page(address) + offset };
    this.#block.bytes.set(this.#bytes(address, size), SCRATCH);
    return { view, at: SCRATCH };
  }

  /** Returns a copy of bytes that lie in up to two pages. */
  #bytes(address: bigint, size: number): Uint8Array {
    const inside = insideArena(address, size);
    if (inside >= 0) return arena().bytes.slice(inside, inside + size);
    const offset = Number(address % PAGE), first = Math.min(size, SIZE - offset), from = this.#page(address) + offset;
    const part = this.#block.bytes.slice(from, from + first);
    return first === size ? part : new Uint8Array([...part, ...this.#bytes(address + BigInt(first), size - first)]);
  }

  #copyIn(at: number, from: bigint, size: number): void {
    const { bytes, base } = arena(), offset = Number(from % PAGE);
    if (offset + size <= SIZE) {
      const place = this.#page(from) + offset;
      bytes.set(this.#block.bytes.subarray(place, place + size), at);
    } else if (this.#peer.mover.read(base + BigInt(at), from, size) !== size) throw this.#absent(from, size);
  }

  #write(to: bigint, from: bigint, size: number): void {
    this.requireWaiting();
    this.forget();
    if (this.#peer.mover.write(from, to, size) !== size) throw this.#absent(to, size);
  }

  #page(address: bigint): number {
    const place = this.#find(address / PAGE);
    if (place === undefined) throw this.#absent(address, 1);
    return place;
  }

  /** Returns the place of a page, read if need be; `undefined` if there is no such page. */
  #find(page: bigint): number | undefined {
    const known = this.#pages.get(page);
    if (known !== undefined) return known;
    const { mover } = this.#peer, { ahead } = mover;
    if (this.#used + ahead > KEPT) this.forget();
    const place = SIZE * (this.#used + 1);
    const count = Math.floor(mover.read(this.#block.address + BigInt(place), page * PAGE, SIZE * ahead) / SIZE);
    for (let next = 0; next < count; next++) this.#pages.set(page + BigInt(next), place + SIZE * next);
    this.#used += count;
    return count > 0 ? place : undefined;
  }

  /** The error for memory that is not there. In a program that has ended, nothing is. */
  #absent(address: bigint, size: number): Error {
    if (this.#peer.isEnding) return new ProgramGone();
    const where = `${size} bytes at 0x${BigInt.asUintN(64, address).toString(16)} of process ${this.#peer.process}`;
    return new TypeError(`Cannot reach ${where}: no memory is there, or no longer`);
  }
}

/** Room for a number in the block. */
const SCRATCH = 64;

/** Returns the arena offset of bytes; -1 if they are not in the arena. */
function insideArena(address: bigint, size: number): number {
  const { base, size: most } = arena(), at = address - base;
  return at >= 0n && at + BigInt(size) <= BigInt(most) ? Number(at) : -1;
}
