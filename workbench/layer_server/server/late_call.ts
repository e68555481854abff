import { readResult } from "../../../ffi/invoke.ts";
import { parseSignature, type Signature } from "../../../ffi/signature.ts";
import { arena } from "../../../ffi/arena.ts";
import type { OtherMemory, PageFiles } from "../../../ffi/arena_memory.ts";
import { ProgramGone } from "../../../loader/error.ts";
import type { CopiedMemory } from "../../../loader/layer.ts";
import { INVOKE } from "../../../ffi/emit/layout.ts";
import { NOTE, NOTED } from "../layout.ts";
import { takenArguments } from "./arguments.ts";
import type { Note } from "./notes.ts";
import type { AnsweredCall, Rest } from "./layer_kind.ts";
import type { Transport } from "./transport.ts";

/** The address that stands for the function below, which the program's thread has called by itself. */
const NEXT = 1n;

/**
 * A call that goes on by itself, and whose hooks run afterwards, or while it takes its time: `next` returns what the
 * call returned. The hooks can make no other call, since no thread waits for them.
 */
export class LateCall implements AnsweredCall {
  readonly command: number;
  readonly process: number;
  readonly thread: number;
  readonly record: bigint = 0n;
  readonly next: bigint = NEXT;
  readonly handle: bigint;
  readonly slot: number = -1;
  /** Whether the hooks ended before those of another call, which had begun later. */
  isReleased = false;
  readonly #channel: Transport;
  readonly #note: Note;
  #since = performance.now();
  #signature: string | undefined;
  #rests: readonly Rest[] | undefined;

  /** Takes the call of a note. */
  constructor(channel: Transport, note: Note, process: number) {
    this.#channel = channel;
    this.#note = note;
    this.process = process;
    this.command = note.command;
    this.thread = note.thread;
    this.handle = note.block.getBigUint64(INVOKE.integers, true);
  }

  /** Whether the thread is making the call. */
  get isAway(): boolean {
    return this.#channel.state(this.#note.late!) === NOTED.begun;
  }

  /** Milliseconds since the hooks asked for the result. */
  get age(): number {
    return performance.now() - this.#since;
  }

  /** Returns the arguments. */
  arguments(signature: string): (number | bigint)[] {
    return takenArguments(this.#note.block, parseSignature(signature), this.#channel.processor);
  }

  /** Waits until the call is over, and returns its result. Throws a `TypeError` for another call. */
  request(address: bigint, signature: string, _args: readonly (number | bigint)[], wait: () => void): unknown {
    if (address !== NEXT) throw new TypeError("Cannot call a command for a call that is over");
    this.#since = performance.now();
    this.#signature = signature;
    while (this.isAway) wait();
    return resultIn(this.#note.view, parseSignature(signature));
  }

  /** Notes the rests of the hooks, once, before hooks of other calls run. */
  noteRests(find: () => readonly Rest[]): void {
    this.#rests ??= find();
  }

  /**
   * Lets the hooks end at once if the call is over, since calls of the thread may come that are later: `finish` runs the
   * rests. Nobody waits for them, so that milliseconds do not count.
   */
  releaseAfter(_milliseconds: number, finish: (rests: readonly Rest[], result: unknown) => void): boolean {
    if (this.isReleased || this.isAway || this.#signature === undefined) return false;
    this.isReleased = true;
    finish(this.#rests ?? [], resultIn(this.#note.view, parseSignature(this.#signature)));
    return true;
  }

  /** Throws {@linkcode ProgramGone}: the thread has gone on, and its memory is not for writing. */
  requireWaiting(): void {
    throw new ProgramGone();
  }
}

function resultIn(note: DataView, { result }: Signature): unknown {
  const block = new DataView(new ArrayBuffer(INVOKE.result + 8));
  block.setBigUint64(INVOKE.result, note.getBigUint64(NOTE.result, true), true);
  return readResult(block, result);
}

type Copy = Pick<CopiedMemory, "address" | "bytes">;

/** The memory of a program of which some bytes are taken from copies that the program made for a note. */
export class NotedMemory implements OtherMemory {
  readonly #memory: OtherMemory;
  readonly #read: () => readonly Copy[];
  readonly #isAway: () => boolean;
  readonly #isAll: boolean;
  #copies: readonly Copy[] = [];
  #isWhole = false;

  /**
   * Puts copies over a memory. They are read again once the call is over, since they have what it gave out then. If they
   * are all that counts, memory without copies is said not to be there.
   */
  constructor(memory: OtherMemory, read: () => readonly Copy[], isAway: () => boolean, areAll = false) {
    this.#memory = memory;
    this.#read = read;
    this.#isAway = isAway;
    this.#isAll = areAll;
  }

  /** See {@linkcode OtherMemory.pages}. */
  get pages(): PageFiles | undefined {
    return this.#memory.pages;
  }

  /** See {@linkcode OtherMemory.peek}. */
  peek(address: bigint, size: 1 | 2 | 4): number {
    const view = this.#find(address, size);
    if (!view) return this.#memory.peek(address, size);
    return size === 1 ? view.getUint8(0) : size === 2 ? view.getUint16(0, true) : view.getUint32(0, true);
  }

  /** See {@linkcode OtherMemory.peek64}. */
  peek64(address: bigint): bigint {
    return this.#find(address, 8)?.getBigUint64(0, true) ?? this.#memory.peek64(address);
  }

  /** See {@linkcode OtherMemory.poke}. */
  poke(address: bigint, size: 1 | 2 | 4 | 8, value: bigint): void {
    this.#memory.poke(address, size, value);
  }

  /** See {@linkcode OtherMemory.copy}. */
  copy(to: bigint, from: bigint, size: number): void {
    const view = this.#find(from, size), { base, bytes, size: most } = arena(), at = Number(to - base);
    if (!view || at < 0 || at + size > most) return this.#memory.copy(to, from, size);
    bytes.set(new Uint8Array(view.buffer, view.byteOffset, size), at);
  }

  /** See {@linkcode OtherMemory.text}. */
  text(address: bigint, most: number): string {
    return this.#memory.text(address, most);
  }

  /** See {@linkcode OtherMemory.isMapped}. */
  isMapped(address: bigint, size: number): boolean {
    return this.#find(address, size) !== undefined || !this.#isAll && this.#memory.isMapped(address, size);
  }

  /** Returns the copy of bytes. */
  #find(address: bigint, size: number): DataView | undefined {
    if (!this.#isWhole) {
      this.#isWhole = !this.#isAway();
      this.#copies = this.#read();
    }
    for (const { address: start, bytes } of this.#copies) {
      const at = Number(address - start);
      if (at >= 0 && at + size <= bytes.length) return new DataView(bytes.buffer, bytes.byteOffset + at, size);
    }
  }
}
