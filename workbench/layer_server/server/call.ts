import { placeCall, readResult } from "../../../ffi/invoke.ts";
import { INVOKE } from "../../../ffi/emit/layout.ts";
import { parseSignature, type Signature } from "../../../ffi/signature.ts";
import { ProgramGone } from "../../../loader/error.ts";
import { takenArguments } from "./arguments.ts";
import { CAPTURED_FIRST, SLOT, STATE } from "../layout.ts";
import type { Rest } from "./layer_kind.ts";
import type { Transport } from "./transport.ts";

/** One call of a program, from the moment when its thread has written the call until the thread goes on. */
export class Call {
  /** The number of the command. */
  readonly command: number;
  /** Whether the call is noted already, and goes on by itself. */
  readonly isNoted: boolean;
  /** Process id of the program. */
  readonly process: number;
  /** Kernel's id of the thread. */
  readonly thread: number;
  /** Address of the object's record in the program; 0n for vkCreateInstance. */
  readonly record: bigint;
  /** Address of the next function in the program. */
  readonly next: bigint;
  /** The first argument: the handle, unless the record is 0n. */
  readonly handle: bigint;
  /** The call's place in the channel. */
  readonly slot: number;
  readonly #channel: Transport;
  readonly #block: DataView;
  /** The requested call: the time of the request, the letter of its result, and the rests of the hooks around it. */
  #requested: { since: number; letter: string; rests?: readonly Rest[] } = { since: 0, letter: "v" };
  /** The time at which the requested call was first seen to be over, while the answer could not go on. */
  #backSince: number | undefined;
  /** The result of `next`, once the thread has gone on with that. */
  #released: { readonly result: unknown } | undefined;

  /** Whether the call in a slot is noted already, and goes on by itself. */
  static isNotedAt(view: DataView, slot: number): boolean {
    return view.getUint32(slot + SLOT.command, true) >= CAPTURED_FIRST;
  }

  /** Takes the call of a slot, which the server has marked as served. */
  constructor(channel: Transport, slot: number) {
    const { view } = channel;
    this.#channel = channel;
    this.slot = slot;
    this.#block = new DataView(view.buffer, view.byteOffset + slot + SLOT.invoke, SLOT.size - SLOT.invoke);
    this.isNoted = Call.isNotedAt(view, slot);
    this.command = view.getUint32(slot + SLOT.command, true) - (this.isNoted ? CAPTURED_FIRST : 0);
    this.process = view.getUint32(slot + SLOT.process, true);
    this.thread = view.getUint32(slot + SLOT.thread, true);
    this.record = view.getBigUint64(slot + SLOT.record, true);
    this.next = view.getBigUint64(slot + SLOT.next, true);
    this.handle = this.#block.getBigUint64(INVOKE.integers, true);
  }

  /** Whether the thread is making the call that was requested last. */
  get isAway(): boolean {
    return !this.#released && this.#channel.state(this.slot) === STATE.request;
  }

  /** Milliseconds since that call was requested. */
  get age(): number {
    return performance.now() - this.#requested.since;
  }

  /** Notes the rests of the hooks around the requested call, once, before hooks of other calls run. */
  noteRests(find: () => readonly Rest[]): void {
    this.#requested.rests ??= find();
  }

  /** Throws {@linkcode ProgramGone} if the thread has gone on. */
  requireWaiting(): void {
    if (this.#released || this.#channel.state(this.slot) !== STATE.served) throw new ProgramGone();
  }

  /** Whether the thread has gone on, so that the slot belongs to another call. */
  get isReleased(): boolean {
    return this.#released !== undefined;
  }

  /** Reads the arguments. Valid before the first request. */
  arguments(signature: string): (number | bigint)[] {
    return takenArguments(this.#block, parseSignature(signature), this.#channel.processor);
  }

  /**
   * Lets the program's thread call an address, and waits until it has done so;
   * `wait` waits for any news. Throws {@linkcode ProgramGone} if the program is
   * gone.
   */
  request(address: bigint, signature: string, args: readonly (number | bigint)[], wait: () => void): unknown {
    if (this.#released) throw new ProgramGone();
    const shape = parseSignature(signature), isNext = address === this.next;
    this.#requested = { since: performance.now(), letter: shape.result };
    this.#backSince = undefined;
    this.#channel.view.setBigUint64(this.slot + SLOT.isNext, BigInt(isNext), true);
    placeCall(this.#block, address, shape, args, this.#channel.processor);
    if (!this.#channel.change(this.slot, STATE.served, STATE.request)) throw new ProgramGone();
    while (this.isAway) wait();
    if (this.#released) return (this.#released as { result: unknown }).result;
    if (!this.#channel.change(this.slot, STATE.done, STATE.served)) throw new ProgramGone();
    return readResult(this.#block, shape.result);
  }

  /**
   * Lets the thread go on with what `next` returned, if it has waited for the
   * rest of the answer for so many milliseconds: another call's answer came
   * between, which must end first and may be waiting for this very thread.
   * `finish` runs the rests of the hooks before, while the thread waits.
   * Returns whether the thread goes on.
   */
  releaseAfter(milliseconds: number, finish: (rests: readonly Rest[], result: unknown) => void): boolean {
    const { view } = this.#channel, isNext = view.getBigUint64(this.slot + SLOT.isNext, true) === 1n;
    if (this.#released || !isNext || this.#channel.state(this.slot) !== STATE.done) return false;
    this.#backSince ??= performance.now();
    if (performance.now() - this.#backSince < milliseconds) return false;
    const { letter, rests = [] } = this.#requested, result = readResult(this.#block, letter);
    const bits = RESULTS.map(([from]) => this.#block.getBigUint64(from, true));
    if (!this.#channel.change(this.slot, STATE.done, STATE.served)) return false;
    finish(rests, result); // which may request calls of this thread
    RESULTS.forEach(([, to], index) => view.setBigUint64(this.slot + to, bits[index], true));
    if (!this.#channel.change(this.slot, STATE.served, STATE.over)) return false;
    this.#released = { result };
    return true;
  }

  /** Ends the call: the program's function returns the result. Without effect if the program is gone. */
  finish(signature: string, result: unknown): void {
    if (this.#released) return;
    placeResult(this.#channel.view, this.slot, parseSignature(signature), result);
    this.#end(STATE.over);
  }

  /** Ends the call: the program goes on as if no layer hooked the command. */
  pass(): void {
    this.#end(STATE.pass);
  }

  /** Frees the slot if the thread waits no longer, because no other code frees the slot then. */
  #end(state: number): void {
    if (this.#channel.change(this.slot, STATE.served, state)) return;
    this.#channel.change(this.slot, STATE.abandoned, STATE.free);
  }
}

/** The places of results in the block and in the slot. */
const RESULTS = [[INVOKE.result, SLOT.result], [INVOKE.floatResult, SLOT.floatResult]] as const;

function placeResult(view: DataView, slot: number, { result }: Signature, value: unknown): void {
  if (result === "f") view.setFloat32(slot + SLOT.floatResult, value as number, true);
  else if (result === "d") view.setFloat64(slot + SLOT.floatResult, value as number, true);
  else if (result !== "v") {
    const bits = result === "q"
      ? value as bigint
      : BigInt(result === "s" ? value as number | 0 : value as number >>> 0);
    view.setBigUint64(slot + SLOT.result, BigInt.asUintN(64, bits), true);
  }
}
