import { monotonicNow } from "../../ffi/file/file_descriptor.ts";
import type { Frame, FrameConsumer, FrameSource } from "../contract/frame_consumer.ts";
import { WsiError } from "../error.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { DamageHistory, type RowRange } from "./damage_history.ts";
import { type Picture, pictureOf } from "./picture.ts";
import type { WindowInfo } from "./protocol.ts";

/** The pages that show the windows of a viewer. */
export interface Audience {
  /** Whether a page is ready for the newest frame of a window and does not have that frame yet. */
  wants(window: ViewerWindow): boolean;
  /** Gives a picture to the pages that are ready for it. */
  show(window: ViewerWindow, picture: Picture): void;
  /** Called when a frame was queued, so that pages without the frame may count it. */
  count(window: ViewerWindow): void;
  /** Called when a window was opened or closed. */
  announce(window: ViewerWindow): void;
}

/**
 * The longest time that a producer waits for a buffer while the frame that it has just queued is shown, in
 * milliseconds.
 */
const LONGEST_WAIT = 100;
/**
 * The first and the last interval between two looks at a fence while a page waits, in milliseconds. The interval
 * doubles each time.
 */
const FIRST_LOOK = 1, LAST_LOOK = 4;

/** The times at which a frame was queued and drawn, in CLOCK_MONOTONIC milliseconds. */
export interface FrameTimes {
  readonly queued: number;
  readonly fence: number;
}

/**
 * One window of a viewer. Like a display, the window holds the newest frame until the next one comes. Without a page, a
 * frame is neither waited for nor copied; a page that connects later still gets the frame.
 */
export class ViewerWindow implements FrameConsumer {
  /** A number that no other window of the viewer has. */
  readonly id: number;
  readonly name: string;
  readonly size?: { readonly width: number; readonly height: number };
  /** The number of queued frames. */
  queued = 0;
  /** The number of copies and conversions of pixels. */
  copies = 0;
  #audience: Audience;
  #source: FrameSource | undefined;
  #state: WindowInfo["state"] = "waiting";
  #held: Frame | undefined;
  #sequence = 0;
  #damage = new DamageHistory();
  #queuedAt = 0;
  #drawnAt = 0;
  /**
   * The picture of the newest frame, once a page asked for it: of the held frame, or a copy that was kept when the
   * frame was released.
   */
  #picture: Picture | undefined;
  /** Whether the picture was made from the held frame. */
  #isFresh = false;
  #scratch = new Uint8Array(0);
  /** The time of each queued frame. */
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

  /** The number of acquired frames. A shared buffer is acquired again and again under one frame number. */
  get sequence(): number {
    return this.#sequence;
  }

  /** The newest frame's number; 0 before the first. */
  get newest(): bigint {
    return this.#held?.number ?? this.#picture?.number ?? 0n;
  }

  /**
   * The rows of the buffer that changed after a frame, given by its sequence; `undefined` if any row may have changed.
   */
  changedSince(sequence: number): RowRange | undefined {
    return this.#damage.since(sequence);
  }

  /** The times at which the newest frame was queued and drawn. */
  get times(): FrameTimes {
    return { queued: this.#queuedAt, fence: Math.max(this.#queuedAt, this.#drawnAt) };
  }

  /** The description of the window for pages. */
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
    while (this.#times.length > source.pending) this.#times.shift(); // times of frames that the queue itself dropped
    // A frame that a page waits for is shown before newer ones. Otherwise frames whose fences are late would never be
    // shown.
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

  /** Closes the window with its native window. The last picture stays. */
  close(): void {
    if (this.#state === "closed") return;
    this.#keep(this.#isOver ? 0 : LONGEST_WAIT);
    this.#release();
    this.#source = undefined;
    clearTimeout(this.#timer);
    this.#setState("closed");
  }

  /** Ends the window with its viewer. From now on frames are released at once. */
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

  /** The picture of the newest frame, if that frame is drawn. Valid until the next frame comes. */
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

  /** Checks the fence again from the event loop. */
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

  /** Acquires the queued frames, keeps the newest one and releases the others. */
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

  /** Releases the held frame. The buffer may be drawn over as soon as its own drawing is done. */
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

  /** Copies the held frame's pixels if they are still in its buffer, after waiting for them some milliseconds. */
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

  /** Memory for the pixels of one frame. Frames of one size reuse it. */
  #memory(size: number): Uint8Array<ArrayBuffer> {
    if (this.#scratch.length !== size) this.#scratch = new Uint8Array(size);
    return this.#scratch;
  }

  #setState(state: WindowInfo["state"]): void {
    this.#state = state;
    this.#audience.announce(this);
  }
}

/** Whether a frame's fence is signalled within a number of milliseconds. A failed fence counts as signalled. */
function isDrawn({ fence }: Frame, milliseconds = 0): boolean {
  try {
    return fence.wait(milliseconds);
  } catch {
    return true;
  }
}

/** The time at which a drawn frame was drawn, if its fence knows the time. */
function drawnAt({ fence }: Frame): number {
  try {
    return Number(fence.signalTime ?? 0n) / 1e6;
  } catch {
    return 0;
  }
}

/** The current CLOCK_MONOTONIC time in milliseconds, the clock of fences. */
export function milliseconds(): number {
  return Number(monotonicNow()) / 1e6;
}
