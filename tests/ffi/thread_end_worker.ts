/** A worker that makes callbacks and ends without closing them, as it is told. */
import { NativeBlock } from "../../ffi/block.ts";
import { callAtThreadEnd } from "../../ffi/thread_end.ts";
import { GATE, LAST_CALL } from "../../ffi/emit/layout.ts";
import { coreImage } from "../../ffi/image/core.ts";
import { acquire64, exchange64, invokeAddress } from "../../ffi/machine.ts";
import { createThunk } from "../../ffi/thunk/thunk.ts";

/** The things that a worker leaves behind. */
export interface Left {
  /** Address of a word that is 1 once the worker's thread has ended. */
  readonly flag: bigint;
  /** Callbacks `s:q` that return -1 on the worker's thread: skipped elsewhere, waiting for the worker, both without `next`. */
  readonly callbacks: readonly [bigint, bigint, bigint, bigint];
}

/** The way in which a worker ends. */
export type Ending = "terminate" | "close" | "throw";

/** The way in which a worker holds other threads' calls up. */
export interface Hold {
  /** The worker's end afterwards. */
  readonly hold: Ending;
  /** The word to wait for when it is to be terminated: no worker is torn out of what it runs. */
  readonly until: Int32Array;
  /** Addresses of the fixture's functions that keep the gate's thread from waking the worker, and tell of that. */
  readonly keeping?: { readonly from: bigint; readonly keep: bigint; readonly kept: bigint };
}

/** An order to a worker. */
export type Order = { make: bigint } | { call: readonly bigint[] } | Hold | Exclude<Ending, "terminate">;

const scope = globalThis as unknown as Worker & { close(): void };
const SIGNATURE = "s:q";

scope.onmessage = ({ data }: MessageEvent<Order>) => {
  if (data === "throw" || data === "close") return end(data);
  if ("make" in data) scope.postMessage(make(data.make));
  else if ("hold" in data) hold(data);
  else scope.postMessage(data.call.map((address) => invokeAddress(address, SIGNATURE, [7n])));
};

function make(next: bigint): Left {
  const flag = noteThreadEnd(), answer = () => -1;
  const callbacks = [
    createThunk(SIGNATURE, answer, { next }),
    createThunk(SIGNATURE, answer, { next, onForeignThread: "block" }),
    createThunk(SIGNATURE, answer),
    createThunk(SIGNATURE, answer, { onForeignThread: "block" }),
  ].map(({ address }) => address) as [bigint, bigint, bigint, bigint];
  return { flag, callbacks };
}

/** Returns the address of a word that is set when the thread ends. Of what is called then, the oldest order comes last. */
function noteThreadEnd(): bigint {
  const flag = new NativeBlock(8).address, { address, view } = new NativeBlock(LAST_CALL.size);
  view.setBigUint64(LAST_CALL.target, coreImage()!.image.address("publish64"), true);
  view.setBigUint64(LAST_CALL.first, flag, true);
  view.setBigUint64(LAST_CALL.second, 1n, true);
  callAtThreadEnd("callLast", address);
  return flag;
}

function end(how: "close" | "throw"): void {
  if (how === "throw") throw new Error("the worker was told to fail");
  scope.close();
}

/** Keeps other threads waiting that call, and ends with the first one at the gate, or when it was told to. */
function hold({ hold: how, until, keeping }: Hold): void {
  const gate = coreImage()!.gateAddress, word = (offset: number) => acquire64(gate + BigInt(offset));
  if (keeping) invokeAddress(keeping.from, "v:q", [exchange64(gate + BigInt(GATE.wake), keeping.keep)]);
  const isTold = () =>
    keeping ? invokeAddress(keeping.kept, "w:", []) !== 0 : word(GATE.newest) !== 0n && word(GATE.bell) === 0n;
  scope.postMessage("holding");
  while (!isTold()) Atomics.wait(until, 1, 0, 1);
  if (how !== "terminate") return end(how);
  scope.postMessage("somebody waits");
  Atomics.wait(until, 0, 0);
}
