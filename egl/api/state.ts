import { Dispatch, type HookVersion } from "../dispatch/dispatch.ts";
import { denoHost } from "../../loader/driver/host/host.ts";
import { type Platform, platformOf } from "../../loader/driver/search/search.ts";
import {
  EGL_BAD_CONTEXT,
  EGL_BAD_DISPLAY,
  EGL_BAD_SURFACE,
  EGL_NOT_INITIALIZED,
  EGL_SUCCESS,
} from "../gen/egl_constants_gen.js";
import { HandleTable } from "./handle_table.ts";
import type { Guard } from "../command/method.ts";
import type { Display } from "./display.ts";
import { DriverCalls, type Word } from "./driver_calls.ts";
import type { EglOptions, UsableDriver } from "./options.ts";
import type { ContextObject, Doomed, SurfaceObject } from "./objects.ts";

/** The loader's own error on its isolate's thread: a word that machine code can read and clear, too. */
class ErrorWord {
  #view: DataView = new DataView(new ArrayBuffer(8));
  #at = 0;

  /** Begins without an error. */
  constructor() {
    this.value = EGL_SUCCESS;
  }

  /** The error. */
  get value(): number {
    return this.#view.getUint32(this.#at, true);
  }
  set value(code: number) {
    this.#view.setUint32(this.#at, code, true);
  }

  /** Moves the word to another place in memory. */
  moveTo({ view, at }: { readonly view: DataView; readonly at: number }): void {
    const { value } = this;
    [this.#view, this.#at] = [view, at];
    this.value = value;
  }

  /** Takes it back to memory of its own. */
  moveBack(): void {
    this.moveTo({ view: new DataView(new ArrayBuffer(8)), at: 0 });
  }
}

/** A raw command of the loader's: C parameters as numbers and bigints. */
export type RawCommand = (...args: Word[]) => Word;

/** The current objects of this isolate's thread. */
export interface Current {
  /** The context. */
  readonly context: ContextObject;
  /** Handles as callers have them; 0n for none. */
  readonly draw: bigint;
  /** The surface that is read from. */
  readonly read: bigint;
  /** The context's display. */
  readonly display: Display;
}

/** The state of one loader: the driver, its tables and displays, and what is current. */
export class State {
  /** As given to `loadEgl()`. */
  readonly options: EglOptions;
  /** The opened driver. */
  readonly driver: UsableDriver;
  /** The driver's functions. */
  readonly calls: DriverCalls;
  /** The loader's tables. */
  readonly dispatch: Dispatch;
  /** The rules that displays follow. */
  readonly platform: Platform;
  /** Displays of ours by the driver's handle. */
  readonly displays: Map<bigint, Display> = new Map();
  /** The same displays by the handle that callers have. */
  readonly shown: Map<bigint, Display> = new Map();
  /** Displays of the driver's own, as far as this thread has seen them. */
  readonly driverDisplays: Map<bigint, Display> = new Map();
  /** The address of the client extensions. */
  clientExtensions = 0n;
  /** Functions that native code gets in the place of some of the driver's, in contexts of displays of ours. */
  answers: ((version: HookVersion) => ReadonlyMap<number, bigint>) | undefined;
  /** Whether libglvnd's desktop OpenGL is told what is current. */
  followsDispatch = false;
  /** Extensions that the loader provides where the driver lacks them; shown as if they were the driver's. */
  readonly provided: Set<string> = new Set();
  /** Called when a display has been initialized. */
  readonly onInitialize: ((display: Display) => void)[] = [];
  /** Called before a display is terminated: what the loader made in it for itself is given back then. */
  readonly onTerminate: ((display: Display) => void)[] = [];
  /** Called afterwards; `isGone` if the driver has terminated it, which it does when no other loader has it. */
  readonly onTerminated: ((display: Display, isGone: boolean) => void)[] = [];
  /** The current objects; `undefined` without a context. */
  current: Current | undefined;
  /** Objects that were destroyed while current, and that live until they are no longer current. */
  readonly #doomed = new Map<bigint, Doomed>();
  /** Functions that run when the loader is closed. */
  readonly onClose: (() => void)[] = [];
  /** The reason of the last command's failure, if the error alone tells too little. */
  reason: string | undefined;
  /** The driver's handles behind those of displays of ours, for other threads. */
  readonly handles: HandleTable = new HandleTable();
  /** Called when there is a display of ours. */
  onOurs: (() => void) | undefined;
  /** Finds objects that other threads made. */
  adopt: {
    context(display: Display, handle: bigint): ContextObject | undefined;
    surface(display: Display, handle: bigint): SurfaceObject | undefined;
  } | undefined;
  /** The check of draws, once a typed array was given as a client array. */
  readonly draws: Guard = {};
  /** The loader's own error. */
  readonly error: ErrorWord = new ErrorWord();

  /** Finds out what an opened driver can do. */
  constructor(driver: UsableDriver, options: EglOptions) {
    this.driver = driver;
    this.options = options;
    this.platform = platformOf(options.platform, options.host ?? denoHost());
    this.dispatch = new Dispatch(driver, driver.answersAnyName, (message) => this.say(message));
    this.calls = new DriverCalls(this.dispatch.egl, driver.path);
  }

  /** Logs a likely mistake of the caller. */
  say(message: string): void {
    this.options.log?.(message);
  }

  /** Whether listed bugs of Android's own loader are wanted. */
  get quirks(): boolean {
    return this.options.quirks === "aosp";
  }

  /** Clears the error, as every command except eglGetError does first. */
  clearError(): void {
    this.calls.error();
    this.error.value = EGL_SUCCESS;
    this.reason = undefined;
  }

  /**
   * Notes an error of the loader's own and returns what the command returns. `reason` is a sentence without a full stop
   * for scripts, where the error alone would tell too little.
   */
  fail<T extends Word>(code: number, result: T, reason?: string): T {
    this.error.value = code;
    this.reason = reason;
    return result;
  }

  /** Forgets the error before a command of the driver's own displays: the driver resets its own error itself. */
  forgetError(): void {
    this.error.value = EGL_SUCCESS;
  }

  /** The driver's error, else the loader's, which is reset by asking. */
  takeError(): number {
    const driver = this.calls.error();
    if (driver !== EGL_SUCCESS) return driver;
    const error = this.error.value;
    this.error.value = EGL_SUCCESS;
    return error;
  }

  /** An initialized display; otherwise the error is noted. */
  display(handle: Word): Display | undefined {
    const display = this.displays.get(handle as bigint);
    if (display?.initialized) return display;
    this.fail(display ? EGL_NOT_INITIALIZED : EGL_BAD_DISPLAY, 0);
  }

  /** A context of a display by callers' handle; otherwise the error is noted. */
  context(display: Display, handle: Word): ContextObject | undefined {
    const context = display.contexts.get(handle as bigint) ?? this.adopt?.context(display, handle as bigint);
    if (!context) this.fail(EGL_BAD_CONTEXT, 0);
    return context;
  }

  /** A surface of a display by callers' handle; otherwise the error is noted. */
  surface(display: Display, handle: Word): SurfaceObject | undefined {
    const surface = display.surfaces.get(handle as bigint) ?? this.adopt?.surface(display, handle as bigint);
    if (!surface) this.fail(EGL_BAD_SURFACE, 0);
    return surface;
  }

  /** Destroys an object, or once it is no longer current, as drivers should but don't all. */
  destroy(object: Doomed): Word {
    if (this.#isCurrent(object.handle)) this.#doomed.set(object.handle, object);
    else return end(object);
    return 1;
  }

  /** Destroys what waits for its end in a display that ends: what the driver has of it is gone afterwards. */
  destroyAll(display: bigint, objects: readonly Doomed[]): void {
    const waiting = [...this.#doomed.values()].filter((each) => each.display === display);
    for (const object of [...waiting, ...objects]) {
      object.destroy?.();
      this.destroy({ ...object, destroy: undefined });
    }
  }

  /** Sets what is current on this thread; `undefined` for no context. */
  setCurrent(current: Current | undefined): void {
    this.current = current;
    this.dispatch.use(
      current?.context.hooks,
      current?.display.isOurs ? this.answers?.(current.context.hooks) : undefined,
    );
    for (const object of this.#doomed.values()) {
      if (this.#isCurrent(object.handle)) continue;
      this.#doomed.delete(object.handle);
      end(object);
    }
  }

  #isCurrent(handle: bigint): boolean {
    const current = this.current;
    return current !== undefined && [current.context.handle, current.draw, current.read].includes(handle);
  }
}

function end({ destroy, forget }: Doomed): Word {
  const result = destroy?.() ?? 1;
  forget?.(); // the driver may use that until it has destroyed the object
  return result;
}
