import type { NativeFence } from "../fence/native_fence.ts";
import type { FrameTimestamps } from "../contract/window.ts";
import { isOver, tryDuplicate } from "../fence/careful_fence.ts";
import { monotonicNow } from "../../ffi/file/file_descriptor.ts";

/** The number of frames with a record: MAX_FRAME_HISTORY. */
export const FRAME_HISTORY = 8;
/** NATIVE_WINDOW_TIMESTAMP_PENDING and _INVALID. */
export const TIMESTAMP_PENDING: bigint = -2n;
/** See {@linkcode TIMESTAMP_PENDING}. */
export const TIMESTAMP_INVALID: bigint = -1n;

type Times = { -readonly [Name in keyof FrameTimestamps]: bigint };

/** A frame, and the fences whose signal times are not known yet. */
interface Entry {
  readonly times: Times;
  acquire: NativeFence | undefined;
  release: NativeFence | undefined;
}

/** The timestamps of the last frames. Nothing is recorded before recording is enabled. */
export class FrameHistory {
  readonly #entries = new Map<bigint, Entry>();
  #enabled = false;
  #displays = false;

  /** Whether timestamps are recorded. */
  get enabled(): boolean {
    return this.#enabled;
  }

  /** Turns recording on or off; turning off deletes all records. */
  enable(on: boolean): void {
    this.#enabled = on;
    if (!on) this.clear();
  }

  /** Records that a frame was queued. */
  queued(frame: bigint, requestedPresent: bigint, fence: NativeFence): void {
    if (!this.#enabled) return;
    this.#look();
    const times = newTimes(requestedPresent), entry: Entry = { times, acquire: undefined, release: undefined };
    watch(entry, "acquire", fence);
    this.#entries.set(frame, entry);
    for (const [old, each] of this.#entries) {
      if (this.#entries.size <= FRAME_HISTORY) break;
      this.#entries.delete(old);
      closeFences(each);
    }
  }

  /** Records that the consumer acquired a frame. */
  latched(frame: bigint): void {
    const times = this.#entries.get(frame)?.times;
    if (!times) return;
    this.#look();
    times.latch = times.firstRefreshStart = times.lastRefreshStart = monotonicNow();
    times.gpuCompositionDone = TIMESTAMP_INVALID; // there is no composition in between
  }

  /** Records that the shared buffer is shown again. */
  refreshed(frame: bigint): void {
    const times = this.#entries.get(frame)?.times;
    if (times) times.lastRefreshStart = monotonicNow();
  }

  /** Records that a frame will never be shown. */
  dropped(frame: bigint): void {
    const times = this.#entries.get(frame)?.times;
    if (!times) return;
    const ready = monotonicNow();
    for (const name of SHOWN) if (times[name] === TIMESTAMP_PENDING) times[name] = TIMESTAMP_INVALID;
    times.dequeueReady = times.release = ready;
  }

  /** Records that a frame was on the display. Earlier frames that were not on the display never will be. */
  presented(frame: bigint, when: bigint): void {
    this.#displays = true;
    for (const [number, { times }] of this.#entries) {
      if (number === frame) times.displayPresent = when;
      else if (number < frame && times.displayPresent === TIMESTAMP_PENDING) times.displayPresent = TIMESTAMP_INVALID;
    }
  }

  /** Records that a frame was released. Without a display, the frame counts as shown. */
  released(frame: bigint, fence: NativeFence): void {
    const entry = this.#entries.get(frame);
    if (!entry) return;
    const { times } = entry;
    times.dequeueReady = monotonicNow();
    if (!this.#displays && times.displayPresent === TIMESTAMP_PENDING) times.displayPresent = TIMESTAMP_INVALID;
    entry.release?.close();
    watch(entry, "release", fence);
  }

  /** Returns the timestamps of a frame; `undefined` for a frame without a record. */
  of(frame: bigint): FrameTimestamps | undefined {
    const entry = this.#entries.get(frame);
    if (!entry) return undefined;
    settle(entry, "acquire");
    settle(entry, "release");
    return { ...entry.times };
  }

  /** Reads the times of the fences that are signalled by now, so that no time is later than necessary. */
  #look(): void {
    for (const entry of this.#entries.values()) {
      settle(entry, "acquire");
      settle(entry, "release");
    }
  }

  /** Deletes all records. */
  clear(): void {
    this.#entries.forEach(closeFences);
    this.#entries.clear();
  }
}

/** The timestamps that a dropped frame never gets. */
const SHOWN = ["latch", "firstRefreshStart", "lastRefreshStart", "gpuCompositionDone", "displayPresent"] as const;

function newTimes(requestedPresent: bigint): Times {
  const open = TIMESTAMP_PENDING;
  return {
    requestedPresent,
    acquire: open,
    latch: open,
    firstRefreshStart: open,
    lastRefreshStart: open,
    gpuCompositionDone: open,
    displayPresent: open,
    dequeueReady: open,
    release: open,
  };
}

/** Keeps a copy of a fence until the fence is signalled. */
function watch(entry: Entry, which: "acquire" | "release", fence: NativeFence): void {
  entry[which] = isOver(fence) ? undefined : tryDuplicate(fence);
  if (!entry[which]) entry.times[which] = isOver(fence) ? signalTime(fence) : TIMESTAMP_INVALID;
}

/** Records the signal time of a fence, if the fence is signalled. */
function settle(entry: Entry, which: "acquire" | "release"): void {
  const fence = entry[which];
  if (!fence || !isOver(fence)) return;
  entry.times[which] = signalTime(fence);
  fence.close();
  entry[which] = undefined;
}

/** The time at which a signalled fence was signalled, or was first seen to be. */
function signalTime(fence: NativeFence): bigint {
  return knownTime(fence) ?? monotonicNow();
}

function knownTime(fence: { readonly signalTime?: bigint }): bigint | undefined {
  try {
    return fence.signalTime;
  } catch {
    return undefined; // broken
  }
}

function closeFences(entry: Entry): void {
  entry.acquire?.close();
  entry.release?.close();
}
