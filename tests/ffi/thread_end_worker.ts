/** A worker that makes callbacks and ends without closing them, as it is told. */
import { NativeBlock } from "../../ffi/block.ts";
import { DOOR } from "../../ffi/emit/layout.ts";
import { coreImage } from "../../ffi/image/core.ts";
import { acquire64, invoke } from "../../ffi/machine.ts";
import { storeAtThreadEnd } from "../../ffi/thread_end.ts";
import { createThunk } from "../../ffi/thunk/thunk.ts";

/** What a worker leaves behind. */
export interface Left {
  /** Address of a word that is 1 once the worker's thread has ended. */
  readonly flag: bigint;
  /** Callbacks `s:q` that return -1 on the worker's thread: skipped elsewhere, waiting for the worker, both without `next`. */
  readonly callbacks: readonly [bigint, bigint, bigint, bigint];
}

/** What a worker is told. */
export type Order =
  | { make: bigint }
  | { call: readonly bigint[] }
  | { hold: "terminate" | End; until: Int32Array }
  | End;
/** How a worker ends itself. */
type End = "close" | "throw";

const scope = globalThis as unknown as Worker & { close(): void };
const SIGNATURE = "s:q";

scope.onmessage = ({ data }: MessageEvent<Order>) => {
  if (data === "throw" || data === "close") return end(data);
  if ("make" in data) scope.postMessage(make(data.make));
  else if ("hold" in data) hold(data.hold, data.until);
  else scope.postMessage(data.call.map((address) => invoke(address, SIGNATURE, [7n])));
};

function make(next: bigint): Left {
  const flag = new NativeBlock(8).address, answer = () => -1;
  const callbacks = [
    createThunk(SIGNATURE, answer, { next }),
    createThunk(SIGNATURE, answer, { next, onForeignThread: "block" }),
    createThunk(SIGNATURE, answer),
    createThunk(SIGNATURE, answer, { onForeignThread: "block" }),
  ].map(({ address }) => address) as [bigint, bigint, bigint, bigint];
  storeAtThreadEnd(flag, 1n); // ordered last: the callbacks are closed when it is there
  return { flag, callbacks };
}

function end(how: End): void {
  if (how === "throw") throw new Error("the worker was told to fail");
  scope.close();
}

/** Keeps other threads waiting that call, and ends with the first one at the door, or when it was told to. */
function hold(how: "terminate" | End, until: Int32Array): void {
  const { doorAddress } = coreImage()!, word = (offset: number) => acquire64(doorAddress + BigInt(offset));
  scope.postMessage("holding");
  while (word(DOOR.newest) === 0n || word(DOOR.bell) !== 0n) Atomics.wait(until, 1, 0, 1);
  Atomics.wait(until, 1, 0, 50); // Deno frees what the keeper is about to call: it must be in there by then
  if (how !== "terminate") return end(how);
  scope.postMessage("somebody waits");
  Atomics.wait(until, 0, 0);
}
