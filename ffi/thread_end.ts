import { mapMemory, takeFromStock } from "./block_stock.ts";
import { callAtThreadEnd } from "./call_at_thread_end.ts";
import { LAST_STORES } from "./emit/layout.ts";
import { coreImage } from "./image/core.ts";
import { invoke } from "./invoke.ts";

/** A place in a list of stores. */
interface Pair {
  readonly view: DataView;
  readonly at: number;
}

/** Pairs that nobody uses now. */
const spare: Pair[] = [];
/** The newest list: the next one is linked to it. */
let last: DataView | undefined;

/**
 * Has native code store `value` at an 8-aligned address when this isolate's
 * thread ends. No JavaScript runs then: a `Worker` that is terminated, that
 * closes itself or that fails gets no event, and native code of other threads
 * goes on. The main isolate's stores are carried out in its `unload` event. The
 * memory must stay mapped. Orders are carried out in about the order in which
 * they were given. Returns what takes the order back.
 *
 * Without emitted code nothing is stored. Safe inside callbacks once
 * `prepareCallbacks` was called.
 */
export function storeAtThreadEnd(address: bigint, value: bigint): () => void {
  if (!coreImage()) return () => {};
  if (spare.length === 0) addList();
  const pair = spare.pop()!, { view, at } = pair;
  view.setBigUint64(at + LAST_STORES.value, value, true);
  view.setBigUint64(at + LAST_STORES.address, address, true);
  return () => {
    view.setBigUint64(at + LAST_STORES.address, 0n, true);
    spare.push(pair);
  };
}

/** Links an empty list to those there are; the first one is made known to the thread. */
function addList(): void {
  const { address, bytes } = takeFromStock(LAST_STORES.size) ?? mapMemory(LAST_STORES.size);
  const view = new DataView(bytes.buffer, bytes.byteOffset, LAST_STORES.size);
  for (let index = LAST_STORES.count - 1; index >= 0; index--) {
    spare.push({ view, at: LAST_STORES.pairs + LAST_STORES.pairSize * index });
  }
  if (last) last.setBigUint64(LAST_STORES.next, address, true);
  else begin(address);
  last = view;
}

/** Has the lists carried out when the thread ends, by the C library, or the main isolate, by its event. */
function begin(lists: bigint): void {
  const storeAll = coreImage()!.image.address("storeAll");
  callAtThreadEnd("storeAll", lists);
  // Drivers and layers call back as late as in the process's exit handlers, when the main isolate is gone.
  globalThis.addEventListener("unload", () => invoke(storeAll, "v:q", [lists]));
}
