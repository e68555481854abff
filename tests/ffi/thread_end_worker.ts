/** A worker that makes callbacks and ends without closing them, as it is told. */
import { NativeBlock } from "../../ffi/block.ts";
import { invoke } from "../../ffi/machine.ts";
import { storeAtThreadEnd } from "../../ffi/thread_end.ts";
import { createThunk } from "../../ffi/thunk.ts";

/** What a worker leaves behind. */
export interface Left {
  /** Address of a word that is 1 once the worker's thread has ended. */
  readonly flag: bigint;
  /** Callbacks `s:q` that return -1 on the worker's thread: one that is skipped elsewhere, one that waits for the worker, one without `next`. */
  readonly callbacks: readonly [bigint, bigint, bigint];
}

/** What a worker is told. */
export type Order = { make: bigint } | { call: readonly bigint[] } | "close" | "throw";

const scope = globalThis as unknown as Worker & { close(): void };
const SIGNATURE = "s:q";

scope.onmessage = ({ data }: MessageEvent<Order>) => {
  if (data === "throw") throw new Error("the worker was told to fail");
  if (data === "close") scope.close();
  else if ("make" in data) scope.postMessage(make(data.make));
  else scope.postMessage(data.call.map((address) => invoke(address, SIGNATURE, [7n])));
};

function make(next: bigint): Left {
  const flag = new NativeBlock(8).address, answer = () => -1;
  const callbacks = [
    createThunk(SIGNATURE, answer, { next }),
    createThunk(SIGNATURE, answer, { next, onForeignThread: "block" }),
    createThunk(SIGNATURE, answer),
  ].map(({ address }) => address) as [bigint, bigint, bigint];
  storeAtThreadEnd(flag, 1n); // ordered last: the callbacks are closed when it is there
  return { flag, callbacks };
}
