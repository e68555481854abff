import { poke32, poke64 } from "../../ffi/machine.ts";
import { closeDescriptor, createEvent, duplicate, monotonicNow, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { isFenceDescriptor } from "../../wsi/fence/descriptor.ts";
import { NativeFence } from "../../wsi/fence/native_fence.ts";
import { type Pair, readAttributes } from "../api/attributes.ts";
import type { Display } from "../api/display.ts";
import type { Word } from "../api/driver_calls.ts";
import { freshHandle } from "../api/objects.ts";
import type { RawCommand, State } from "../api/state.ts";
import {
  EGL_BAD_ACCESS,
  EGL_BAD_ALLOC,
  EGL_BAD_ATTRIBUTE,
  EGL_BAD_MATCH,
  EGL_BAD_PARAMETER,
  EGL_CONDITION_SATISFIED,
  EGL_SIGNALED,
  EGL_SYNC_CONDITION,
  EGL_SYNC_FENCE,
  EGL_SYNC_NATIVE_FENCE_ANDROID,
  EGL_SYNC_NATIVE_FENCE_FD_ANDROID,
  EGL_SYNC_NATIVE_FENCE_SIGNALED_ANDROID,
  EGL_SYNC_PRIOR_COMMANDS_COMPLETE,
  EGL_SYNC_STATUS,
  EGL_SYNC_TYPE,
  EGL_TIMEOUT_EXPIRED,
  EGL_UNSIGNALED,
} from "../gen/egl_constants_gen.js";

const NO_FENCE = -1n, MOST_FD = 2n ** 31n - 1n;
/** The timeout of eglWaitSync in milliseconds, because a fence of this thread would never be signalled meanwhile. */
const LONGEST_WAIT = 5000;
const FOREVER = 2n ** 64n - 1n, FLUSH = 1;

interface Sync {
  readonly display: bigint;
  /** The fence that the application gave. */
  readonly fence?: NativeFence;
  /** The driver's fence after the drawings so far. */
  readonly driver?: bigint;
}

/**
 * EGL_ANDROID_native_fence_sync over EGL_KHR_fence_sync. The CPU waits for a given fence, also in eglWaitSync.
 * eglDupNativeFenceFDANDROID waits for the drawing, and then returns a signalled file descriptor.
 */
export class NativeFences {
  readonly #state: State;
  readonly #syncs = new Map<bigint, Sync>();

  /** Keeps the syncs of a loader. */
  constructor(state: State) {
    this.#state = state;
  }

  /** Whether a display's driver lacks the extension and has the one that it can be built on. */
  static fits({ driverExtensions: has }: Display): boolean {
    return has.has("EGL_KHR_fence_sync") && !has.has("EGL_ANDROID_native_fence_sync");
  }

  /** The commands, with the former commands for other arguments. */
  commands(before: (name: string) => RawCommand): Record<string, RawCommand> {
    const pair = (name: string, make: (name: string, wide: boolean) => RawCommand) => ({
      [name]: make(name, true),
      [`${name}KHR`]: make(`${name}KHR`, false),
    });
    const on = (work: (sync: Sync, handle: bigint, ...args: Word[]) => Word) => (name: string, wide: boolean) =>
      this.#onSync(before(name), (sync, handle, ...args) => work(sync, handle, ...args, wide ? 1 : 0));
    return {
      ...pair("eglCreateSync", (name, wide) => this.#creation(before(name), wide)),
      ...pair("eglDestroySync", on((sync, handle) => this.#destroy(sync, handle))),
      ...pair("eglClientWaitSync", on((sync, _handle, flags, timeout) => this.#wait(sync, flags, timeout as bigint))),
      ...pair("eglWaitSync", on((sync, _handle, flags) => this.#serverWait(sync, flags))),
      ...pair("eglGetSyncAttrib", on((sync, _handle, name, value, wide) => this.#attribute(sync, name, value, wide))),
      eglDupNativeFenceFDANDROID: this.#dup(before("eglDupNativeFenceFDANDROID")),
    };
  }

  /** Destroys the syncs of a display that is about to end. */
  leave({ handle }: Display): void {
    for (const [sync, each] of this.#syncs) if (each.display === handle) this.#destroy(each, sync);
  }

  #creation(before: RawCommand, wide: boolean): RawCommand {
    return (dpy, type, attributes) => {
      const display = this.#state.displays.get(dpy as bigint);
      if (type !== EGL_SYNC_NATIVE_FENCE_ANDROID || !display?.initialized || !NativeFences.fits(display)) {
        return before(dpy, type, attributes);
      }
      this.#state.clearError();
      return this.#create(display.handle, readAttributes(attributes as bigint, wide));
    };
  }

  #create(display: bigint, pairs: readonly Pair[]): bigint {
    if (pairs.some(([name]) => name !== EGL_SYNC_NATIVE_FENCE_FD_ANDROID)) {
      return this.#state.fail(EGL_BAD_ATTRIBUTE, 0n);
    }
    const fd = pairs.findLast(([name]) => name === EGL_SYNC_NATIVE_FENCE_FD_ANDROID)?.[1] ?? NO_FENCE;
    if (this.#state.current?.display.handle !== display) {
      return this.#state.fail(EGL_BAD_MATCH, 0n, "no context of this display is current on this thread");
    }
    return fd === NO_FENCE ? this.#createDriverSync(display) : this.#adopt(display, fd);
  }

  /** Takes a file descriptor over. A duplicate is kept: a program that closes its number all the same closes no other file. */
  #adopt(display: bigint, wanted: bigint): bigint {
    const fd = Number(wanted), state = this.#state;
    if (wanted < 0n || wanted > MOST_FD || !isFenceDescriptor(fd)) {
      return state.fail(
        EGL_BAD_ATTRIBUTE,
        0n,
        `file descriptor ${wanted} is no fence: give a sync_file, or another fence`,
      );
    }
    const kept = duplicate(fd);
    if (kept < 0) return state.fail(EGL_BAD_ALLOC, 0n, "there is no file descriptor left for the fence");
    closeDescriptor(fd);
    const handle = freshHandle();
    this.#syncs.set(handle, { display, fence: NativeFence.adopt(kept) });
    return handle;
  }

  #createDriverSync(display: bigint): bigint {
    const driver = this.#call("eglCreateSync", display, EGL_SYNC_FENCE, 0n) as bigint;
    if (driver === 0n) return 0n;
    const handle = freshHandle();
    this.#syncs.set(handle, { display, driver });
    return handle;
  }

  #onSync(before: RawCommand, work: (sync: Sync, handle: bigint, ...args: Word[]) => Word): RawCommand {
    return (dpy, handle, ...rest) => {
      const sync = this.#syncs.get(handle as bigint);
      if (!sync || sync.display !== dpy || !this.#state.displays.get(dpy)?.initialized) {
        return before(dpy, handle, ...rest);
      }
      this.#state.clearError();
      return work(sync, handle as bigint, ...rest);
    };
  }

  #destroy({ fence, driver, display }: Sync, handle: bigint): Word {
    this.#syncs.delete(handle);
    fence?.close();
    return driver === undefined ? 1 : this.#call("eglDestroySync", display, driver);
  }

  #wait({ fence, driver, display }: Sync, flags: Word, timeout: bigint): Word {
    if (driver !== undefined) return this.#call("eglClientWaitSync", display, driver, flags, timeout);
    const milliseconds = timeout === FOREVER ? Infinity : Math.ceil(Number(timeout) / 1e6);
    return fence!.wait(milliseconds) ? EGL_CONDITION_SATISFIED : EGL_TIMEOUT_EXPIRED;
  }

  #serverWait({ fence, driver, display }: Sync, flags: Word): Word {
    if (flags !== 0) return this.#state.fail(EGL_BAD_PARAMETER, 0);
    if (driver !== undefined) return this.#call("eglWaitSync", display, driver, 0);
    if (fence!.wait(LONGEST_WAIT)) return 1;
    this.#state.say(
      `eglWaitSync: its ${fence!.describe()} after ${LONGEST_WAIT} ms; signal it before, or wait in turns`,
    );
    return this.#state.fail(EGL_BAD_ACCESS, 0);
  }

  #attribute({ fence, driver, display }: Sync, name: Word, value: Word, wide: Word): Word {
    if (value === 0n) return this.#state.fail(EGL_BAD_PARAMETER, 0);
    const isDone = () =>
      fence ? fence.poll() : this.#call("eglClientWaitSync", display, driver!, 0, 0n) !== EGL_TIMEOUT_EXPIRED;
    const answers: Readonly<Record<number, () => number>> = {
      [EGL_SYNC_TYPE]: () => EGL_SYNC_NATIVE_FENCE_ANDROID,
      [EGL_SYNC_STATUS]: () => isDone() ? EGL_SIGNALED : EGL_UNSIGNALED,
      [EGL_SYNC_CONDITION]: () => fence ? EGL_SYNC_NATIVE_FENCE_SIGNALED_ANDROID : EGL_SYNC_PRIOR_COMMANDS_COMPLETE,
    };
    const answer = answers[name as number]?.();
    if (answer === undefined) return this.#state.fail(EGL_BAD_ATTRIBUTE, 0);
    if (wide) poke64(value as bigint, BigInt(answer));
    else poke32(value as bigint, answer);
    return 1;
  }

  #dup(before: RawCommand): RawCommand {
    return (dpy, handle) => {
      const display = this.#state.displays.get(dpy as bigint);
      if (!display?.initialized || !NativeFences.fits(display)) return before(dpy, handle);
      this.#state.clearError();
      const sync = this.#syncs.get(handle as bigint);
      if (!sync || sync.display !== dpy) return this.#state.fail(EGL_BAD_PARAMETER, -1);
      if (sync.driver !== undefined) this.#call("eglClientWaitSync", sync.display, sync.driver, FLUSH, FOREVER);
      const fd = sync.fence && !sync.fence.poll() ? sync.fence.dup().take() : signaledDescriptor();
      return fd < 0 ? this.#state.fail(EGL_BAD_ALLOC, -1, "there is no file descriptor left for the fence") : fd;
    };
  }

  /** Calls the command of EGL 1.5 if the display has it, otherwise the extension's. */
  #call(name: string, display: bigint, ...args: Word[]): Word {
    const { calls, displays } = this.#state, isNew = displays.get(display)?.is15 ?? false;
    return calls.call(isNew ? name : `${name}KHR`, display, ...args);
  }
}

/** Returns a file descriptor that is readable. -1 would mean that there is none. */
function signaledDescriptor(): number {
  const fd = createEvent();
  if (fd >= 0) signalEvent(fd, monotonicNow());
  return fd;
}
