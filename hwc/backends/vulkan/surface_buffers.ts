import { copyMemory } from "../../../ffi/machine.ts";
import type { VkBuffer } from "../../../loader/gen/types_core_gen.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { Rect } from "../../types.ts";
import { KeptBuffers } from "../shader/kept_buffers.ts";
import type { Source } from "../plan/step.ts";
import type { Surface } from "../surface.ts";
import type { ComposeDevice } from "./device.ts";
import { type GpuBuffer, hostBuffer, importedBuffer, localBuffer, STORAGE } from "./gpu_buffer.ts";

/** Whether pixels are words that are each read once and in order: the device may then read them in place. */
function isReadOnce({ surface: { kind }, isFiltered, map }: Source): boolean {
  return !isFiltered && map.xi === 1 && WORDS.has(kind);
}

const WORDS: ReadonlySet<string> = new Set(["rgba8888", "rgbx8888", "bgra8888", "rgba1010102"]);

/** The entry of a graphic buffer. */
interface Entry {
  /** The buffer's memory, or a copy of it. */
  readonly main: GpuBuffer;
  readonly isImported: boolean;
  /** The copy in the device's own memory. */
  local?: GpuBuffer;
  isLocalGood: boolean;
  isCopyGood: boolean;
  /** The frame in which it was last copied to the device. */
  copied: number;
  close(): void;
}

/** A copy that the device is to make first. */
export interface PendingCopy {
  readonly from: VkBuffer;
  readonly to: VkBuffer;
  readonly size: number;
}

/** Graphic buffers as the device sees them: their memory itself where it can be imported, else copies. */
export class SurfaceBuffers {
  readonly #on: ComposeDevice;
  /** The entries kept for buffers; this map ends and forgets them. */
  readonly kept: KeptBuffers<Entry> = new KeptBuffers((buffer) => this.#make(buffer));

  /** Makes a store without buffers. */
  constructor(on: ComposeDevice) {
    this.#on = on;
  }

  /** A buffer to read. Pending copies on the device are added to `copies`. */
  source(source: Source, copies: PendingCopy[]): VkBuffer {
    const { buffer, isUnchanged } = source, entry = this.kept.of(buffer!), { main } = entry;
    if (!isUnchanged && entry.copied !== this.kept.frame) entry.isLocalGood = entry.isCopyGood = false;
    if (!entry.isImported && !entry.isCopyGood) copyMemory(main.address, buffer!.memory.address, main.size);
    entry.isCopyGood = true;
    if (!this.#on.deviceMemory || !isUnchanged && isReadOnce(source)) return main.buffer;
    entry.local ??= localBuffer(this.#on, main.size);
    if (!entry.isLocalGood) copies.push({ from: main.buffer, to: entry.local.buffer, size: main.size });
    entry.isLocalGood = true;
    entry.copied = this.kept.frame;
    return entry.local.buffer;
  }

  /** A buffer to write. With `keeps`, the buffer holds the present pixels. */
  target(buffer: GraphicBuffer, keeps: boolean): VkBuffer {
    const entry = this.kept.of(buffer), { main } = entry;
    entry.isLocalGood = entry.isCopyGood = false;
    if (keeps && !entry.isImported) copyMemory(main.address, buffer.memory.address, main.size);
    return main.buffer;
  }

  /** A buffer that was drawn into in this frame or the one before. */
  drawn(buffer: GraphicBuffer): VkBuffer {
    return this.kept.of(buffer).main.buffer;
  }

  /** Copies all of a written buffer to the graphic buffer, unless it was written in place. */
  finishAll(buffer: GraphicBuffer): void {
    const { isImported, main } = this.kept.of(buffer);
    if (!isImported) copyMemory(buffer.memory.address, main.address, main.size);
  }

  /** Copies the written pixels to the graphic buffer, unless they were written in place. */
  finish(buffer: GraphicBuffer, { pitch, address }: Surface, area: readonly Rect[]): void {
    const entry = this.kept.of(buffer);
    if (entry.isImported) return;
    for (const { left, top, right, bottom } of area) {
      for (let y = top; y < bottom; y++) {
        const at = BigInt(y * pitch + 4 * left);
        copyMemory(address + at, entry.main.address + at, 4 * (right - left));
      }
    }
  }

  #make({ memory: { address, size } }: GraphicBuffer): Entry {
    const imported = importedBuffer(this.#on, address, size), main = imported ?? hostBuffer(this.#on, size, STORAGE);
    return {
      main,
      isImported: imported !== undefined,
      isLocalGood: false,
      isCopyGood: false,
      copied: -1,
      close() {
        main.close();
        this.local?.close();
      },
    };
  }
}
