import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { isOver } from "../../../wsi/fence/careful_fence.ts";
import { dropBuffer } from "../../../wsi/queue/buffer_hold.ts";
import { Alarm } from "../time/alarm.ts";
import type { Clock } from "../time/clock.ts";
import { Flip, SLICE } from "./flip_fence.ts";
import type { QueuedFrame, Scanout, ScanoutDevice } from "./scanout.ts";

/** A frame of a virtual display. */
export interface VirtualFrame
  extends Pick<QueuedFrame, "layers" | "buffers" | "fences" | "handed" | "flip" | "queued" | "plan" | "planned"> {
  /** The buffer that the frame is written to. */
  readonly output: GraphicBuffer;
  /** Whether the client has written the picture there already. */
  readonly isThere: boolean;
  /** Writes it. */
  write(): void;
}

/** The writer of a virtual display's frames. */
export interface FrameWriter {
  /** A new flip, whose fences drive this. */
  newFlip(): Flip;
  /** Takes a frame. */
  queue(frame: VirtualFrame): void;
  /** Writes no more; who waits is let go. */
  close(): void;
  /** The device that shows the frames, if one does. */
  readonly device?: ScanoutDevice;
}

/** Nanoseconds between looks at pending fences. */
const LOOK = 1_000_000n;

/** Writes the frames of a virtual display in their order, each as soon as its fences have signalled. */
export class VirtualOutput implements FrameWriter {
  readonly #clock: Clock;
  readonly #timeout: bigint;
  readonly #alarm: Alarm;
  #pending: VirtualFrame[] = [];

  /** `timeout`: nanoseconds after which a fence is given up. */
  constructor(clock: Clock, timeout: bigint) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#alarm = new Alarm(clock, () => this.update());
  }

  /** A new flip, whose fences drive this. */
  newFlip(): Flip {
    return new Flip((nanoseconds) => {
      if (nanoseconds > 0n && !this.#clock.sleep(nanoseconds < SLICE ? nanoseconds : SLICE)) return false;
      this.update();
      return true;
    });
  }

  /** Takes a frame, and writes it at once if no fence is pending. */
  queue(frame: VirtualFrame): void {
    this.#pending.push(frame);
    this.update();
  }

  /** Writes the frames that are ready. */
  update(): void {
    const now = this.#clock.now();
    while (this.#pending.length > 0 && this.#isReady(this.#pending[0], now)) {
      const frame = this.#pending.shift()!;
      try {
        if (!frame.isThere) frame.write();
      } finally {
        this.#end(frame, now);
      }
    }
    if (this.#pending.length === 0) this.#alarm.clear();
    else this.#alarm.set(now + LOOK);
  }

  /** Writes no more; who waits is let go. */
  close(): void {
    for (const frame of this.#pending.splice(0)) this.#end(frame, this.#clock.now());
    this.#alarm.clear();
  }

  #isReady({ fences, handed, queued }: VirtualFrame, now: bigint): boolean {
    fences.push(...handed.values()); // no device waits for them
    handed.clear();
    while (fences.length > 0 && isOver(fences[0])) fences.shift()!.close();
    return fences.length === 0 || now - queued >= this.#timeout;
  }

  #end({ fences, handed, flip, buffers }: VirtualFrame, now: bigint): void {
    for (const fence of [...fences.splice(0), ...handed.values()]) fence.close();
    flip.signal(now);
    for (const buffer of buffers) dropBuffer(buffer);
  }
}

/** Writes the frames of a virtual display by a device that copies what it shows; frames that it cannot write, by another writer. */
export class DeviceOutput implements FrameWriter {
  readonly #scanout: Scanout;
  readonly #other: FrameWriter;

  /** Takes over both. */
  constructor(scanout: Scanout, other: FrameWriter) {
    this.#scanout = scanout;
    this.#other = other;
  }

  /** The device. */
  get device(): ScanoutDevice {
    return this.#scanout.device;
  }

  /** A new flip, whose fences drive this. */
  newFlip(): Flip {
    return this.#scanout.newFlip();
  }

  /** Takes a frame. What the client has written already needs no device. */
  queue(frame: VirtualFrame): void {
    const { output, isThere, write: _write, ...rest } = frame;
    if (isThere || !this.device.readsBack?.(output)) return this.#other.queue(frame);
    this.#scanout.queue({ ...rest, readback: output, notBefore: 0n });
  }

  /** Writes no more, and closes the device. */
  close(): void {
    this.#scanout.blank();
    this.device.close?.();
    this.#other.close();
  }
}
