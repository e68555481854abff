import type { Flip } from "./flip_fence.ts";
import type { Scanout, ScanoutDevice } from "./scanout.ts";
import type { FrameWriter, VirtualFrame } from "./virtual_output.ts";

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
