import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { fittedLong, fittedNumber } from "../../arguments.ts";
import type { VsyncPeriodChangeTimeline } from "../../composer_records.ts";
import type { Native } from "../values/numbers.ts";
import { OUT_TIMELINE } from "../values/outputs.ts";
import type { Call } from "./call.ts";

/** A callback of hwcomposer2.h behind its data and display. */
export interface CallbackShape {
  /** For ffi/, data and display first. */
  readonly signature: string;
  /** Converts C's arguments for TypeScript. */
  read(natives: readonly Native[]): unknown[];
  /** Converts TypeScript's arguments for C. */
  write(values: readonly unknown[], call: Call): Native[];
}

const NOTHING: CallbackShape = { signature: "v:qq", read: () => [], write: () => [] };

const CALLED_BACK = "what a callback is told";

function signed(time: Native): bigint {
  return BigInt.asIntN(64, time as bigint);
}

function unsigned(time: unknown): bigint {
  return BigInt.asUintN(64, fittedLong("i64", time, CALLED_BACK));
}

/** The callbacks by their `hwc2_callback_descriptor_t`. */
export const CALLBACK_SHAPES: Readonly<Record<number, CallbackShape>> = {
  1: {
    signature: "v:qqs",
    read: ([connection]) => [connection],
    write: ([connection]) => [fittedNumber("i32", connection, CALLED_BACK)],
  },
  2: NOTHING,
  3: { signature: "v:qqq", read: ([time]) => [signed(time)], write: ([time]) => [unsigned(time)] },
  4: {
    signature: "v:qqqw",
    read: ([time, period]) => [signed(time), period],
    write: ([time, period]) => [unsigned(time), fittedNumber("u32", period, CALLED_BACK)],
  },
  5: {
    signature: "v:qqq",
    read: ([at]) => [OUT_TIMELINE.read(at as bigint)],
    write: ([timeline], call) => {
      const at = call.place(OUT_TIMELINE.size);
      OUT_TIMELINE.write(at, timeline as VsyncPeriodChangeTimeline);
      return [at];
    },
  },
  6: NOTHING,
};

type Listener = (...args: unknown[]) => void;

/** The longest a timer can be; it only keeps the process alive. */
const FOR_EVER = 0x7fffffff;

/**
 * The functions that a device calls back. Each notes its arguments and returns;
 * the listeners are called a moment later. So a listener may call the device,
 * and no thread of the device waits for a listener.
 */
export class DeviceCallbacks {
  readonly #thunks = new Map<number, Thunk>();
  readonly #listeners = new Map<number, Listener>();
  #alive: ReturnType<typeof setInterval> | undefined;
  #isOpen = true;

  /** The address to register for a descriptor. */
  address(descriptor: number): bigint {
    let thunk = this.#thunks.get(descriptor);
    if (!thunk) this.#thunks.set(descriptor, thunk = this.#make(descriptor));
    return thunk.address;
  }

  /** Sets the callback; `null` removes it. While there is a callback, the process stays alive. */
  listen(descriptor: number, listener: Listener | null): void {
    if (listener) this.#listeners.set(descriptor, listener);
    else this.#listeners.delete(descriptor);
    this.#stayAlive(this.#listeners.size > 0);
  }

  /** Removes all callbacks; the device must no longer call them. */
  close(): void {
    this.#isOpen = false;
    this.#listeners.clear();
    this.#stayAlive(false);
    for (const thunk of this.#thunks.values()) thunk.free();
    this.#thunks.clear();
  }

  #make(descriptor: number): Thunk {
    const { signature, read } = CALLBACK_SHAPES[descriptor];
    return createThunk(signature, (_data, display, ...natives) => {
      const args = [display, ...read(natives)];
      queueMicrotask(() => this.#tell(descriptor, args));
    }, { onForeignThread: "block" });
  }

  #tell(descriptor: number, args: unknown[]): void {
    if (this.#isOpen) this.#listeners.get(descriptor)?.(...args);
  }

  #stayAlive(wanted: boolean): void {
    if (wanted) return void (this.#alive ??= setInterval(() => {}, FOR_EVER));
    clearInterval(this.#alive);
    this.#alive = undefined;
  }
}
