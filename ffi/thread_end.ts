import { LASTING } from "./block.ts";
import { LAST_STORES, LEAVE } from "./emit/layout.ts";
import { coreImage } from "./image/core.ts";
import { invokeAddress } from "./invoke.ts";
import { libcAddress } from "./libc.ts";

/** An entry in a list of stores. */
interface Pair {
  readonly view: DataView;
  readonly at: number;
}

/** Unused pairs. */
const spare: Pair[] = [];
/** The newest list, to which the next list is linked. */
let last: DataView | undefined;

/**
 * Lets native code store `value` at an 8-aligned address when this isolate's
 * thread ends. The memory must stay mapped. JavaScript cannot do the store: a
 * `Worker` that is terminated, closes itself or fails gets no event, and native
 * code on other threads continues. For the main isolate, the stores happen in
 * its `unload` event. The stores happen in about the order of these calls.
 * Returns a function that cancels the store.
 *
 * Without emitted code nothing is stored. Safe inside callbacks after
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

/** Links an empty list to the others, and tells the thread about the first one. */
function addList(): void {
  const { address, bytes } = LASTING.take(LAST_STORES.size)!;
  const view = new DataView(bytes.buffer, bytes.byteOffset, LAST_STORES.size);
  for (let index = LAST_STORES.count - 1; index >= 0; index--) {
    spare.push({ view, at: LAST_STORES.pairs + LAST_STORES.pairSize * index });
  }
  if (last) last.setBigUint64(LAST_STORES.next, address, true);
  else begin(address);
  last = view;
}

/**
 * Registers the lists for the end of the thread: with the C library for a
 * Worker, with the `unload` event for the main isolate.
 */
function begin(lists: bigint): void {
  const { image, leave } = coreImage()!, takeLeave = image.address("takeLeave");
  leave.setBigUint64(LEAVE.storeAll, image.address("storeAll"), true);
  leave.setBigUint64(LEAVE.lists, lists, true);
  callAtThreadEnd("takeLeave", 0n);
  callInForkedChildren(takeLeave);
  // Drivers and layers may call back even in the process's exit handlers, when the main isolate is gone.
  globalThis.addEventListener("unload", () => invokeAddress(takeLeave, "v:", []));
}

/**
 * Lets the C library call a function in each child that a program forks, before
 * the fork returns there. A child has none of the threads that V8 needs, so
 * JavaScript that native code enters there ends the child: for the child, every
 * isolate has ended.
 */
function callInForkedChildren(address: bigint): void {
  const glibc = libcAddress("__register_atfork"), register = glibc || libcAddress("pthread_atfork");
  // int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)), in glibc with the library behind
  if (register !== 0n) invokeAddress(register, "s:qqqq", [0n, 0n, address, 0n]);
}

/**
 * Lets the C library call an emitted function with an argument when this thread
 * ends, for whatever reason. Nothing is called without emitted code, or if the
 * C library has no such function.
 */
export function callAtThreadEnd(name: "callLast" | "takeLeave", argument: bigint): void {
  const core = coreImage(), register = libcAddress("__cxa_thread_atexit_impl");
  if (!core || register === 0n) return;
  const address = core.image.address(name);
  // int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *addressInItsLibrary)
  invokeAddress(register, "s:qqq", [address, argument, address]);
}
