import { monotonicNow } from "../../ffi/file/file_descriptor.ts";
import type { Frame, FrameConsumer, FrameSource } from "../contract/frame_consumer.ts";
import { WsiError } from "../error.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { DamageHistory, type RowRange } from "./damage_history.ts";
import { type Picture, pictureOf } from "./picture.ts";
import type { WindowInfo } from "./protocol.ts";

/** The pages that look at the windows of a viewer. */
export interface Audience {
  /** Whether a page is ready for the newest frame of a window and has not got it. */
  wants(window: ViewerWindow): boolean;
  /** Gives a picture to the pages that are ready for it. */
  show(window: ViewerWindow, picture: Picture): void;
  /** A frame was queued: pages that don't get it may count it. */
  count(window: ViewerWindow): void;
  /** A window was opened or closed. */
  announce(window: ViewerWindow): void;
}

/** How long a producer that waits for a buffer may be kept waiting for the frame it has just queued, milliseconds. */
const LONGEST_WAIT = 100;
/** How often a fence is looked at while a page waits for it, milliseconds: twice as long each time. */
const FIRST_LOOK = 1, LAST_LOOK = 4;

/** When a frame was queued and when it was drawn, CLOCK_MONOTONIC milliseconds. */
export interface FrameTimes {
  readonly queued: number;
  readonly fence: number;
}

/**
 * One window of a viewer. As a display does, it holds the newest frame until
 * the next one comes: with no page to show it to, a frame is neither waited for
 * nor copied, and a page that comes late still finds it.
 */
export class ViewerWindow implements FrameConsumer {
  /** No other window of the viewer has it. */
  readonly id: number;
  readonly name: string;
  readonly size?: { readonly width: number; readonly height: number };
  /** How many frames were queued. */
  queued = 0;
  /** How often pixels were copied or converted. */
  copies = 0;
  #audience: Audience;
  #source: FrameSource | undefined;
  #state: WindowInfo["state"] = "waiting";
  #held: Frame | undefined;
  #sequence = 0;
  #damage = new DamageHistory();
  #queuedAt = 0;
  #drawnAt = 0;
  /** The newest frame's picture, once somebody asked for it: the held one's, or, when that is given back, what was kept of it. */
  #picture: Picture | undefined;
  /** Whether it was made of the held frame. */
  #isFresh = false;
  #scratch = new Uint8Array(0);
  /** When each queued frame came. */
  #times: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #look = FIRST_LOOK;
  #isOver = false;

  constructor(id: number, name: string, size: FrameConsumer["size"], audience: Audience) {
    this.id = id;
    this.name = name;
    this.size = size;
    this.#audience = audience;
  }

  /** Counts the frames that were taken: a shared buffer's is taken again and again, by one number. */
  get sequence(): number {
    return this.#sequence;
  }

  /** The newest frame's number; 0 before the first. */
  get newest(): bigint {
    return this.#held?.number ?? this.#picture?.number ?? 0n;
  }

  /** Which rows of the buffer changed after a frame, by its sequence; `undefined` when that may be any. */
  changedSince(sequence: number): RowRange | undefined {
    return this.#damage.since(sequence);
  }

  /** When the newest frame was queued and drawn. */
  get times(): FrameTimes {
    return { queued: this.#queuedAt, fence: Math.max(this.#queuedAt, this.#drawnAt) };
  }

  /** What pages are told of it. */
  get info(): WindowInfo {
    return { id: this.id, name: this.name, state: this.#state };
  }

  attach(source: FrameSource): void {
    if (this.#state !== "waiting") {
      throw new WsiError(
        "not-allowed",
        `Cannot show two windows as "${this.name}": make another with viewer.window({ name })`,
      );
    }
    this.#source = source;
    this.#setState("open");
  }

  onFrame(source: FrameSource): void {
    this.queued++;
    this.#times.push(milliseconds());
    while (this.#times.length > source.pending) this.#times.shift(); // those of frames that the queue dropped itself
    // A frame that a page waits for is shown before newer ones: else those whose fences are late would never be.
    if (this.#held && this.#audience.wants(this) && !this.#offer()) return this.#lookLater();
    this.#takeNewest(source);
    this.offer();
    this.#audience.count(this);
  }

  pump(source: FrameSource): void {
    if (this.#held && this.#audience.wants(this) && isDrawn(this.#held, LONGEST_WAIT)) this.#offer();
    if (source.pending > 0) return this.#takeNewest(source);
    this.#keep(LONGEST_WAIT);
    this.#release();
  }

  /** The native window is gone; its last picture stays. */
  close(): void {
    if (this.#state === "closed") return;
    this.#keep(this.#isOver ? 0 : LONGEST_WAIT);
    this.#release();
    this.#source = undefined;
    clearTimeout(this.#timer);
    this.#setState("closed");
  }

  /** The viewer is gone: from now on frames are given back at once. */
  end(): void {
    if (this.#isOver) return;
    this.#keep(LONGEST_WAIT);
    this.#isOver = true;
    this.#release();
    clearTimeout(this.#timer);
  }

  /** Shows the newest frame to the pages that are ready for it, now or when it is drawn. */
  offer(): void {
    if (this.#audience.wants(this) && !this.#offer()) this.#lookLater();
  }

  /** The newest frame, if there is one and it is drawn. Good until the next one comes. */
  picture(): Picture | undefined {
    if (this.#held === undefined || this.#isFresh) return this.#picture;
    if (!isDrawn(this.#held)) return undefined;
    this.#drawnAt = drawnAt(this.#held);
    this.#picture = pictureOf(this.#held, (size) => this.#memory(size));
    this.#isFresh = true;
    if (this.#picture.rows && !this.#picture.rows.isBuffer) this.copies++;
    return this.#picture;
  }

  #offer(): boolean {
    const picture = this.picture();
    if (picture === undefined) return false;
    this.#look = FIRST_LOOK;
    this.#audience.show(this, picture);
    return true;
  }

  /** Looks at the fence again from the event loop. */
  #lookLater(): void {
    if (this.#timer !== undefined || !this.#held) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look = Math.min(LAST_LOOK, 2 * this.#look);
      this.offer();
      if (this.#timer === undefined && this.#source) this.#takeNewest(this.#source);
      this.offer();
    }, this.#look);
  }

  /** Takes what is queued and keeps the newest, giving back the others. */
  #takeNewest(source: FrameSource): void {
    while (source.pending > 0) {
      this.#release();
      this.#queuedAt = this.#times.shift() ?? milliseconds();
      this.#held = source.acquire();
      if (this.#held === undefined) return;
      this.#damage.add(++this.#sequence, this.#held);
      source.presented(this.#held.number, monotonicNow());
    }
    if (this.#isOver) this.#release();
  }

  /** Gives the held frame back; what is still being drawn may be drawn over when it is done. */
  #release(): void {
    const frame = this.#held;
    if (frame === undefined) return;
    this.#held = undefined;
    const isLocked = this.#isFresh && this.#picture?.rows?.isBuffer;
    if (isLocked) frame.buffer.unlock();
    if (isLocked || !this.#isFresh) this.#picture = undefined;
    this.#isFresh = false;
    frame.release(isDrawn(frame) ? NativeFence.signaled() : frame.fence.dup());
  }

  /** Copies the held frame's pixels if they are its buffer's, after waiting for them some milliseconds. */
  #keep(milliseconds: number): void {
    if (!this.#held || !isDrawn(this.#held, milliseconds)) return;
    const picture = this.picture(), rows = picture?.rows;
    if (!picture || !rows?.isBuffer) return;
    const data = this.#memory(rows.data.length);
    data.set(rows.data);
    this.#picture = { ...picture, rows: { ...rows, data, isBuffer: false } };
    this.#held.buffer.unlock();
    this.copies++;
  }

  /** Memory for the pixels of one frame, the same again for frames of one size. */
  #memory(size: number): Uint8Array<ArrayBuffer> {
    if (this.#scratch.length !== size) this.#scratch = new Uint8Array(size);
    return this.#scratch;
  }

  #setState(state: WindowInfo["state"]): void {
    this.#state = state;
    this.#audience.announce(this);
  }
}

/** Whether a frame's fence is signalled, after some milliseconds at most. One that failed will not say more than it does. */
function isDrawn({ fence }: Frame, milliseconds = 0): boolean {
  try {
    return fence.wait(milliseconds);
  } catch {
    return true;
  }
}

/** When a drawn frame was drawn, as far as its fence knows. */
function drawnAt({ fence }: Frame): number {
  try {
    return Number(fence.signalTime ?? 0n) / 1e6;
  } catch {
    return 0;
  }
}

/** CLOCK_MONOTONIC, milliseconds: the clock of fences. */
export function milliseconds(): number {
  return Number(monotonicNow()) / 1e6;
}
