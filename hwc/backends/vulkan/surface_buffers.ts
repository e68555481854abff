import { copy } from "../../../ffi/machine.ts";
import type { VkBuffer } from "../../../loader/vk.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../../../wsi/buffer/known_buffers.ts";
import type { Rect } from "../../types.ts";
import type { Source } from "../step.ts";
import type { Surface } from "../surface.ts";
import type { ComposeDevice } from "./device.ts";
import { type GpuBuffer, hostBuffer, importedBuffer, localBuffer, STORAGE } from "./gpu_buffer.ts";

/** Frames that a buffer may go unused before it is let go. */
const PATIENCE = 120;

/** Pixels of words, each read once and in order: the device may as well read them where they are. */
function isReadOnce({ surface: { kind }, isFiltered, map }: Source): boolean {
  return !isFiltered && map.xi === 1 && WORDS.has(kind);
}

const WORDS: ReadonlySet<string> = new Set(["rgba8888", "rgbx8888", "bgra8888", "rgba1010102"]);

/** What is kept of a graphic buffer. */
interface Entry {
  /** Our share of it: its memory stays as long as the device sees it. */
  readonly owner: GraphicBuffer;
  /** Its memory, or a copy of it. */
  readonly main: GpuBuffer;
  readonly isImported: boolean;
  /** The copy in the device's own memory. */
  local?: GpuBuffer;
  isLocalGood: boolean;
  isCopyGood: boolean;
  /** The frame in which it was last copied to the device. */
  copied: number;
  used: number;
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
  readonly #entries = new Map<bigint, Entry>();
  #frame = 0;

  /** Empty. */
  constructor(on: ComposeDevice) {
    this.#on = on;
  }

  /** A buffer to read. What has to be copied on the device first is added to `copies`. */
  source(source: Source, copies: PendingCopy[]): VkBuffer {
    const { buffer, isUnchanged } = source, entry = this.#entry(buffer!), { main } = entry;
    if (!isUnchanged && entry.copied !== this.#frame) entry.isLocalGood = entry.isCopyGood = false;
    if (!entry.isImported && !entry.isCopyGood) copy(main.address, buffer!.memory.address, main.size);
    entry.isCopyGood = true;
    if (!this.#on.deviceMemory || !isUnchanged && isReadOnce(source)) return main.buffer;
    entry.local ??= localBuffer(this.#on, main.size);
    if (!entry.isLocalGood) copies.push({ from: main.buffer, to: entry.local.buffer, size: main.size });
    entry.isLocalGood = true;
    entry.copied = this.#frame;
    return entry.local.buffer;
  }

  /** A buffer to write, holding what is in it if that is to be gone on from. */
  target(buffer: GraphicBuffer, keeps: boolean): VkBuffer {
    const entry = this.#entry(buffer), { main } = entry;
    entry.isLocalGood = entry.isCopyGood = false;
    if (keeps && !entry.isImported) copy(main.address, buffer.memory.address, main.size);
    return main.buffer;
  }

  /** Brings what was written to the graphic buffer, if it was not written there. */
  finish(buffer: GraphicBuffer, { pitch, address }: Surface, area: readonly Rect[]): void {
    const entry = this.#entry(buffer);
    if (entry.isImported) return;
    for (const { left, top, right, bottom } of area) {
      for (let y = top; y < bottom; y++) {
        const at = BigInt(y * pitch + 4 * left);
        copy(address + at, entry.main.address + at, 4 * (right - left));
      }
    }
  }

  /** Ends a frame: what has not been used for a while is let go, and what all others that had it before have closed. */
  endFrame(): void {
    this.#frame++;
    for (const { owner, used } of this.#entries.values()) {
      if (used < this.#frame - PATIENCE || bufferOfHandle(owner.handle) === owner) this.forget(owner);
    }
  }

  /** Lets a buffer go. */
  forget({ id }: GraphicBuffer): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    entry.main.close();
    entry.local?.close();
    entry.owner.close();
  }

  /** Lets all go. */
  close(): void {
    for (const { owner } of [...this.#entries.values()]) this.forget(owner);
  }

  #entry(buffer: GraphicBuffer): Entry {
    const known = this.#entries.get(buffer.id);
    if (known) {
      known.used = this.#frame;
      return known;
    }
    const { address, size } = buffer.memory, imported = importedBuffer(this.#on, address, size);
    const main = imported ?? hostBuffer(this.#on, size, STORAGE);
    const owner = buffer.retain(), used = this.#frame, isImported = imported !== undefined;
    const entry = { owner, main, isImported, isLocalGood: false, isCopyGood: false, copied: -1, used };
    this.#entries.set(buffer.id, entry);
    return entry;
  }
}
