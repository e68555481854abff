import { inFrame } from "./arena.ts";
import { stockBlocks } from "./block.ts";
import { cstring, NameBlob, readCString } from "./cstring.ts";
import { stockPool } from "./thunk/pool.ts";
import {
  acquire64,
  copyFromArena,
  copyMemory,
  copyToArena,
  exchange64,
  fillTable,
  invokeAddress,
  peek16,
  peek32,
  peek64,
  peek8,
} from "./machine.ts";
import { poke16, poke32, poke64, poke8, publish64, threadId } from "./machine.ts";
import { libcAddress } from "./libc.ts";

/** The amounts that {@linkcode prepareCallbacks} keeps ready. */
export interface CallbackStock {
  /** The number of callbacks that can still be made. */
  readonly thunks: number;
  /** The number of name lookup functions that can still be made. */
  readonly lookups: number;
}

let prepared = false;

/**
 * Does ahead of time the work of first uses, so that callbacks can read and
 * write memory, make blocks, callbacks and lookup functions, and call
 * {@linkcode invokeAddress}, all without operations of Deno. An operation ends the
 * process inside a callback that Deno itself caused, as Deno's WebGPU does.
 * Call this function again, outside of callbacks, to fill up the stock.
 */
export function prepareCallbacks({ thunks, lookups }: CallbackStock): void {
  stockPool(thunks, lookups);
  if (prepared) return;
  prepared = true;
  bindHelpers();
  stockBlocks();
}

/** Calls every helper once, because the first call binds the helper. */
function bindHelpers(): void {
  inFrame((memory) => {
    const offset = memory.alloc(16), at = memory.address(offset);
    for (const poke of [poke8, poke16, poke32]) poke(at, 0);
    for (const poke of [poke64, publish64, exchange64]) poke(at, 0n);
    for (const peek of [peek8, peek16, peek32, peek64, acquire64, readCString]) peek(at);
    copyToArena(offset, at + 8n, 8);
    copyFromArena(at, offset + 8, 8);
    copyMemory(at, at + 8n, 8);
    threadId();
    using names = new NameBlob([]);
    fillTable({ getProcAddr: at, handle: 0n, names, table: at });
    fillTable({ getProcAddr: at, names, table: at });
    memory.bytes.set(cstring("prepare"), offset);
    invokeAddress(libcAddress("strlen"), "q:o", [offset]);
  });
}
