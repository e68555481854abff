import { placeCall, readResult } from "../../../ffi/invoke.ts";
import { parseSignature, type Signature } from "../../../ffi/signature.ts";
import { takenArguments } from "./arguments.ts";
import { SLOT, STATE } from "../layout.ts";
import type { Channel } from "./channel.ts";

/** The program ended, or waits no longer, while its call was being answered. */
export class ProgramGone extends Error {}

/** One call of a program, from when its thread has written the call until the thread goes on. */
export class Call {
  /** The number of the command. */
  readonly command: number;
  /** Process id of the program. */
  readonly process: number;
  /** Kernel's id of the thread. */
  readonly thread: number;
  /** Address of the object's record in the program; 0n for vkCreateInstance. */
  readonly record: bigint;
  /** Address of the next function in the program. */
  readonly next: bigint;
  readonly #channel: Channel;
  readonly #slot: number;
  readonly #block: DataView;

  /** Takes the call of a slot, which the server has marked as served. */
  constructor(channel: Channel, slot: number) {
    const { view } = channel;
    this.#channel = channel;
    this.#slot = slot;
    this.#block = new DataView(view.buffer, view.byteOffset + slot + SLOT.invoke, SLOT.size - SLOT.invoke);
    this.command = view.getUint32(slot + SLOT.command, true);
    this.process = view.getUint32(slot + SLOT.process, true);
    this.thread = view.getUint32(slot + SLOT.thread, true);
    this.record = view.getBigUint64(slot + SLOT.record, true);
    this.next = view.getBigUint64(slot + SLOT.next, true);
  }

  /** The state of the slot. */
  get state(): number {
    return this.#channel.state(this.#slot);
  }

  /** Reads the arguments. Valid before the first request. */
  arguments(signature: string): (number | bigint)[] {
    return takenArguments(this.#block, parseSignature(signature));
  }

  /**
   * Lets the program's thread call an address, and waits until it has done so;
   * `wait` waits for any news. Throws {@linkcode ProgramGone} if the program is
   * gone.
   */
  request(address: bigint, signature: string, args: readonly (number | bigint)[], wait: () => void): unknown {
    const shape = parseSignature(signature), isNext = address === this.next;
    this.#channel.view.setBigUint64(this.#slot + SLOT.isNext, BigInt(isNext), true);
    placeCall(this.#block, address, shape, args);
    if (!this.#channel.change(this.#slot, STATE.served, STATE.request)) throw new ProgramGone();
    while (this.state === STATE.request) wait();
    if (!this.#channel.change(this.#slot, STATE.done, STATE.served)) throw new ProgramGone();
    return readResult(this.#block, shape.result);
  }

  /** Ends the call: the program's function returns the result. Without effect if the program is gone. */
  finish(signature: string, result: unknown): void {
    placeResult(this.#channel.view, this.#slot, parseSignature(signature), result);
    this.#end(STATE.over);
  }

  /** Ends the call: it goes on in the program as if nobody had subscribed. */
  pass(): void {
    this.#end(STATE.pass);
  }

  /** If the thread waits no longer, nobody else frees the slot. */
  #end(state: number): void {
    if (this.#channel.change(this.#slot, STATE.served, state)) return;
    this.#channel.change(this.#slot, STATE.abandoned, STATE.free);
  }
}

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
