import { EGL_BAD_DISPLAY, EGL_EXTENSIONS } from "../gen/egl_constants_gen.js";
import type { RawCommand, State } from "./state.ts";
import { words } from "./strings.ts";

/**
 * A command of drivers that Android's loader hides from applications, as do displays of ours, which have the loader's
 * cache. Displays of the driver's own have the command where they list its extension: other drivers return an address
 * all the same, and a call ends the process.
 */
export const BLOB_CACHE_SETTER = "eglSetBlobCacheFuncsANDROID";
const EXTENSION = "EGL_ANDROID_blob_cache";

/** The address of the command; 0n while no initialized display of the driver's own lists the extension. */
export function blobCacheSetter(state: State): bigint {
  const isListed = [...state.driverDisplays.values()].some(({ handle, shared }) => shared && lists(state, handle));
  return isListed ? state.calls.address(BLOB_CACHE_SETTER) : 0n;
}

/** The command on a display of the driver's own. */
export function setBlobCache(state: State): RawCommand {
  const refuse = refuseBlobCache(state);
  return (dpy, set, get) => {
    const isOwn = state.driverDisplays.get(dpy as bigint)?.shared !== undefined;
    if (!isOwn || !lists(state, dpy as bigint)) return refuse();
    state.clearError();
    return state.calls.call(BLOB_CACHE_SETTER, dpy, set, get);
  };
}

/** The command on other displays. */
export function refuseBlobCache(state: State): RawCommand {
  return () => {
    state.clearError();
    return state.fail(EGL_BAD_DISPLAY, 0, `the display does not list ${EXTENSION}`);
  };
}

function lists({ calls }: State, display: bigint): boolean {
  return words(calls.string(display, EGL_EXTENSIONS)).includes(EXTENSION);
}
