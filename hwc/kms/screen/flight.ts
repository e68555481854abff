import { NativeBlock } from "../../../ffi/block.ts";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { timeOver } from "../../../wsi/fence/careful_fence.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { AtomicState, SettableObject } from "../card/commit.ts";

/** A flip event that is late by so many nanoseconds, though its fence has signalled, is not waited for any longer. */
const LOST = 1_000_000_000n;
/** Events tell their time without what is below a microsecond. */
const MICROSECOND = 1000n;

/** The fences that the kernel gave for a frame. */
export interface FlightFences {
  /** The fence of the frame's copy; `undefined` for a frame that is not copied. */
  readonly written: NativeFence | undefined;
  /** The fence of the flip; `undefined` where the card gives none. */
  readonly flipped: NativeFence | undefined;
}

/** A frame that was committed and has not appeared. */
export class Flight {
  /** The number that comes back with the event. */
  readonly user: bigint;
  readonly #fences: FlightFences;
  readonly #since = monotonicNow();
  #appeared: (time: bigint) => void;
  /** The time of the flip. */
  #time: bigint | undefined;

  /** Begins now; owns the fences. `appeared` is called when the frame has landed. */
  constructor(user: bigint, fences: FlightFences, appeared: (time: bigint) => void) {
    this.user = user;
    this.#fences = fences;
    this.#appeared = appeared;
  }

  /** The event of the flip has come. Returns the time of the flip, which the fence knows better. */
  flip(event: bigint): bigint {
    return this.#time = timeOfFlip(event, this.#fences.flipped);
  }

  /** Calls back once the copy of the frame is complete. */
  whenWritten(wake: () => void): void {
    this.#fences.written?.ready().then(wake, wake);
  }

  /** Returns when the frame appeared; `undefined` before. A frame that is copied counts when its copy is complete. */
  landing(countsCopies: boolean): bigint | undefined {
    const { written } = this.#fences;
    if (this.#time === undefined && this.#isLost()) this.#time = monotonicNow();
    if (this.#time === undefined || written?.poll() === false) return undefined;
    return (countsCopies && written && timeOver(written)) || this.#time;
  }

  /** Forgets who wanted the time at which the frame appears. */
  desert(): void {
    this.#appeared = () => {};
  }

  /** Gives the fences back. Returns what is to be called with the time. */
  close(): (time: bigint) => void {
    this.#fences.written?.close();
    this.#fences.flipped?.close();
    return this.#appeared;
  }

  /** Whether the kernel has shown the frame and the event does not come. */
  #isLost(): boolean {
    return monotonicNow() - this.#since > LOST && this.#fences.flipped?.poll() !== false;
  }
}

/** The fence knows the nanoseconds. Some drivers' events tell no time for the first picture of a mode. */
function timeOfFlip(event: bigint, fence: NativeFence | undefined): bigint {
  const exact = fence && timeOver(fence);
  if (event === 0n) return exact ?? monotonicNow();
  return exact !== undefined && exact >= event && exact - event < MICROSECOND ? exact : event;
}

const NO_FENCE = -1;

/** A place where the kernel puts the fence of a commit. */
export class OutFence {
  readonly #place = new NativeBlock(4);

  /** Asks for a fence by a property, which has the address of the place. Does nothing if the object has no such property. */
  ask(state: AtomicState, object: SettableObject, property: string): void {
    this.#place.view.setInt32(0, NO_FENCE, true);
    if (object.properties[property]) state.tell(object, property, this.#place.address);
  }

  /** After the commit. Returns the fence, which the caller owns; `undefined` if there is none. */
  take(): NativeFence | undefined {
    const descriptor = this.#place.view.getInt32(0, true);
    this.#place.view.setInt32(0, NO_FENCE, true);
    return descriptor === NO_FENCE ? undefined : NativeFence.adopt(descriptor);
  }

  /** Frees the place. */
  close(): void {
    this.#place.close();
  }
}
