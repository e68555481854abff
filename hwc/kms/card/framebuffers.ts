import { inFrame } from "../../../ffi/arena.ts";
import { errorName, lastError } from "../../../ffi/file/file_descriptor.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { MODIFIER, modifierName } from "../../../wsi/buffer/modifier.ts";
import type { OpenCard } from "./card.ts";

/** `DRM_MODE_FB_MODIFIERS`. */
const MODIFIERS = 2;
/** Room for the four planes that a framebuffer can have, as numbers of 32 and of 64 bits. */
const FOUR = 16, FOUR_WIDE = 32;
/** Frames after which a framebuffer that was not shown again is removed, and how many pass between two looks. */
const KEPT = 120, LOOK = 16;

/** A framebuffer, or the reason why there is none. */
export interface Framebuffer {
  /** The kernel's number; 0 if the card refused the buffer. */
  readonly id: number;
  /** The reason for the refusal, such as `is no memory that the card reads: EINVAL (22)`. */
  readonly why?: string;
}

/** A framebuffer, and the frame that used it last. */
type Used = Framebuffer & { used: number };

/** The framebuffers of a card, one for each buffer and each format in which its bytes are shown. */
export class Framebuffers {
  readonly #card: OpenCard;
  /** By format, then by the buffers' numbers. */
  readonly #known = new Map<number, Map<bigint, Used>>();
  #frame = 0;

  /** Has none yet. */
  constructor(card: OpenCard) {
    this.#card = card;
  }

  /** Number of framebuffers that the kernel keeps. */
  get count(): number {
    return [...this.#known.values()].flatMap((known) => [...known.values()]).filter(({ id }) => id !== 0).length;
  }

  /** Returns a buffer's framebuffer. The buffer's memory stays until the framebuffer is removed. */
  of(buffer: GraphicBuffer, format: number): Framebuffer {
    let known = this.#known.get(format);
    if (!known) this.#known.set(format, known = new Map());
    let found = known.get(buffer.id);
    if (!found) known.set(buffer.id, found = { ...this.#make(buffer, format), used: 0 });
    found.used = this.#frame;
    return found;
  }

  /** A frame was shown: removes the framebuffers that were not shown for long. */
  shown(): void {
    if (++this.#frame % LOOK !== 0) return;
    for (const known of this.#known.values()) {
      for (const [buffer, { id, used }] of known) {
        if (this.#frame - used <= KEPT) continue;
        known.delete(buffer);
        this.#remove(id);
      }
    }
  }

  /** Removes all. What is on a screen goes dark. */
  close(): void {
    for (const known of this.#known.values()) for (const { id } of known.values()) this.#remove(id);
    this.#known.clear();
  }

  #remove(id: number): void {
    if (id !== 0) this.#card.drm.int("drmModeRmFB", this.#card.fd, id);
  }

  #make(buffer: GraphicBuffer, format: number): Framebuffer {
    if (buffer.memory.fd < 0) return { id: 0, why: "has no file that the card could read" };
    if (format === 0) return { id: 0, why: "has a format that cards have no name for" };
    if (!this.#reads(buffer, format)) {
      return { id: 0, why: `lies in ${modifierName(buffer.modifier)}, which no plane of the card reads` };
    }
    const { drm, fd } = this.#card;
    return inFrame((memory) => {
      const at = memory.alloc(4);
      if (drm.int("drmPrimeFDToHandle", fd, buffer.memory.fd, at) < 0) {
        return { id: 0, why: `is no memory that the card reads: ${errorName(lastError())}` };
      }
      const handle = memory.view.getUint32(at, true);
      try {
        const { result, id } = this.#add(buffer, format, handle);
        return result < 0 ? { id: 0, why: `cannot be shown: ${errorName(-result)}` } : { id };
      } finally {
        drm.int("drmCloseBufferHandle", fd, handle); // the framebuffer keeps the memory
      }
    });
  }

  /** Whether some plane reads a buffer as it lies in memory. Rows are the kernel's affair: it knows the formats. */
  #reads({ modifier }: GraphicBuffer, format: number): boolean {
    if (modifier === MODIFIER.LINEAR) return true;
    const { planes, capabilities } = this.#card;
    return capabilities.modifiers && planes.some(({ modifiers }) => modifiers.get(format)?.includes(modifier));
  }

  #add(
    { width, height, planes, modifier }: GraphicBuffer,
    format: number,
    handle: number,
  ): { result: number; id: number } {
    const { drm, fd, capabilities } = this.#card;
    return inFrame((memory) => {
      const [handles, pitches, offsets] = [handle, 0, 0].map(() => memory.alloc(FOUR)), id = memory.alloc(4);
      const modifiers = memory.alloc(FOUR_WIDE);
      for (const each of [handles, pitches, offsets]) memory.bytes.fill(0, each, each + FOUR);
      memory.bytes.fill(0, modifiers, modifiers + FOUR_WIDE);
      planes.forEach(({ offset, rowPitch }, index) => {
        memory.view.setUint32(handles + 4 * index, handle, true);
        memory.view.setUint32(pitches + 4 * index, rowPitch, true);
        memory.view.setUint32(offsets + 4 * index, offset, true);
        memory.view.setBigUint64(modifiers + 8 * index, modifier, true);
      });
      const where = [fd, width, height, format >>> 0, handles, pitches, offsets];
      const result = capabilities.modifiers
        ? drm.int("drmModeAddFB2WithModifiers", ...where, modifiers, id, MODIFIERS)
        : drm.int("drmModeAddFB2", ...where, id, 0);
      return { result, id: memory.view.getUint32(id, true) };
    });
  }
}
