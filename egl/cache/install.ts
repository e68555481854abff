import { readCString } from "../../ffi/cstring.ts";
import { invokeAddress } from "../../ffi/invoke.ts";
import type { Display } from "../api/display.ts";
import type { State } from "../api/state.ts";
import type { EglDriver } from "../driver/egl_driver.ts";
import { EGL_EXTENSIONS, EGL_SUCCESS } from "../gen/egl_constants_gen.js";
import type { BlobCache } from "./blob_cache.ts";
import { createThunk } from "../../ffi/thunk/thunk.ts";
import { NativeBlock } from "../../ffi/block.ts";
import { copyMemory } from "../../ffi/machine.ts";

/** A cache as a driver sees it: two functions that may be called on any thread. */
export interface BlobCacheCallbacks extends Disposable {
  /** The address of an `EGLSetBlobFuncANDROID`. */
  readonly set: bigint;
  /** The address of an `EGLGetBlobFuncANDROID`. */
  readonly get: bigint;
  /** Lets the functions find nothing and take nothing in; they stay callable. A second call does nothing. */
  close(): void;
  /** Closes, and gives everything back: only when no driver holds the functions any more. */
  free(): void;
}

/**
 * Makes a cache's functions for eglSetBlobCacheFuncsANDROID. On other threads
 * than this one nothing is found and nothing taken in, which a cache may always
 * do: waiting for this thread might be for ever, when it is waiting for the
 * driver.
 */
export function blobCacheCallbacks(cache: BlobCache): BlobCacheCallbacks {
  const memory = new NativeBytes();
  const skip = { onForeignThread: "skip" } as const;
  // void set(const void *key, EGLsizeiANDROID keySize, const void *value, EGLsizeiANDROID valueSize)
  const set = createThunk("v:qqqq", (key: bigint, keySize: bigint, value: bigint, valueSize: bigint) => {
    const sizes = [sizeOf(key, keySize, cache.limits.key), sizeOf(value, valueSize, cache.limits.value)] as const;
    if (sizes[0] >= 0 && sizes[1] >= 0) cache.set(memory.read(key, sizes[0]), memory.read(value, sizes[1]));
  }, skip);
  // EGLsizeiANDROID get(const void *key, EGLsizeiANDROID keySize, void *value, EGLsizeiANDROID valueSize)
  const get = createThunk("q:qqqq", (key: bigint, keySize: bigint, value: bigint, valueSize: bigint) => {
    const size = sizeOf(key, keySize, cache.limits.key), room = BigInt.asIntN(64, valueSize);
    if (size < 0 || room < 0n) return 0n;
    const found = cache.get(memory.read(key, size));
    if (!found) return 0n;
    if (value !== 0n && BigInt(found.length) <= room) memory.write(value, found);
    return BigInt(found.length);
  }, skip);
  const close = () => [set, get].forEach((thunk) => thunk.close());
  const free = () => {
    for (const thunk of [set, get]) thunk.free();
    memory.close();
  };
  return { set: set.address, get: get.address, close, free, [Symbol.dispose]: close };
}

/** A size that may be used; -1 for one that is negative or larger than all the cache takes, or where there is no address. */
function sizeOf(address: bigint, size: bigint, most: number): number {
  const wanted = BigInt.asIntN(64, size);
  return wanted < 0n || wanted > BigInt(most) || (address === 0n && wanted > 0n) ? -1 : Number(wanted);
}

const PIECE = 65536;

/**
 * Copies bytes between native memory and JavaScript's, piece by piece through
 * memory of its own: inside callbacks, no view of foreign memory can be made.
 */
class NativeBytes {
  readonly #block = new NativeBlock(PIECE);

  /** Takes bytes out of native memory. The caller vouches for the address, here and below. */
  read(address: bigint, size: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(size), block = this.#block;
    for (const [at, length] of piecesOf(size)) {
      copyMemory(block.address, address + BigInt(at), length);
      bytes.set(block.bytes.subarray(0, length), at);
    }
    return bytes;
  }

  /** Puts bytes into native memory. */
  write(address: bigint, bytes: Uint8Array): void {
    const block = this.#block;
    for (const [at, length] of piecesOf(bytes.length)) {
      block.bytes.set(bytes.subarray(at, at + length));
      copyMemory(address + BigInt(at), block.address, length);
    }
  }

  /** Gives the memory back. A second call does nothing. */
  close(): void {
    this.#block.close();
  }
}

function* piecesOf(size: number): Iterable<[at: number, length: number]> {
  for (let at = 0; at < size; at += PIECE) yield [at, Math.min(PIECE, size - at)];
}

const TOKEN = "EGL_ANDROID_blob_cache", FUNCTION = "eglSetBlobCacheFuncsANDROID";

/** A cache that a display uses. */
export interface InstalledBlobCache {
  /** The cache. */
  readonly cache: BlobCache;
  /**
   * For the moment before the display is terminated: saves the cache, and later lookups of the driver find no value. A
   * second call does nothing.
   */
  close(): void;
  /** Closes, and frees the functions that the driver had. To be called after the driver has terminated the display. */
  free(): void;
}

/** The result of installing a cache. */
export type BlobCacheInstallation = InstalledBlobCache | {
  /** The reason why the driver does not use the cache, a sentence without a full stop. */
  readonly refusal: string;
};

/**
 * Gives a driver a cache for a display that was just initialized. Only a driver that lists EGL_ANDROID_blob_cache gets
 * the cache: other drivers return a function all the same, whose call ends the process. The caller keeps and closes the
 * cache. The thread's EGL error is reset.
 *
 * @example
 * ```ts ignore
 * import { findEglDriver, installBlobCache, openBlobCache } from "@pumice/gfx/egl";
 *
 * using cache = openBlobCache();
 * using found = findEglDriver();
 * const display = 1n; // the driver's own EGLDisplay, which is initialized
 * const installed = installBlobCache(found.driver, display, cache);
 * if ("refusal" in installed) console.log(installed.refusal);
 * else installed.close();
 * ```
 */
export function installBlobCache(
  driver: Pick<EglDriver, "find">,
  display: bigint,
  cache: BlobCache,
): BlobCacheInstallation {
  const extensions = readCString(call(driver, "eglQueryString", "q:qs", display, EGL_EXTENSIONS) as bigint);
  if (!extensions.split(" ").includes(TOKEN)) return { refusal: `the driver does not list ${TOKEN}` };
  const setter = driver.find(FUNCTION, "egl");
  if (setter === 0n) return { refusal: `the driver lists ${TOKEN}, but has no ${FUNCTION}` };
  const callbacks = blobCacheCallbacks(cache);
  // void eglSetBlobCacheFuncsANDROID(EGLDisplay display, EGLSetBlobFuncANDROID set, EGLGetBlobFuncANDROID get)
  call(driver, "eglGetError", "s:");
  invokeAddress(setter, "v:qqq", [display, callbacks.set, callbacks.get]);
  const error = Number(call(driver, "eglGetError", "s:"));
  if (error !== EGL_SUCCESS) {
    callbacks.free();
    return { refusal: `${FUNCTION} failed: 0x${error.toString(16)}` };
  }
  const close = () => {
    callbacks.close();
    cache.save();
  };
  return { cache, close, free: () => (close(), callbacks.free()) };
}

function call(driver: Pick<EglDriver, "find">, name: string, signature: string, ...args: (number | bigint)[]) {
  const address = driver.find(name, "egl");
  return address === 0n ? 0n : invokeAddress(address, signature, args);
}

/** Lets a driver use a cache for every display from its initialization to its termination. The cache stays the caller's. */
export function useCache(state: State, cache: BlobCache): void {
  const inUse = new Map<Display, InstalledBlobCache>();
  state.onInitialize.push((display) => {
    const came = installBlobCache(state.driver, display.handle, cache);
    if ("refusal" in came) state.options.log?.(`the blob cache is not used: ${came.refusal}`);
    else inUse.set(display, came);
  });
  state.onTerminate.push((display) => inUse.get(display)?.close());
  state.onTerminated.push((display, isGone) => {
    // A driver whose display lives on for another loader still knows the functions: they stay, and find nothing.
    if (isGone) inUse.get(display)?.free();
    inUse.delete(display);
  });
}
