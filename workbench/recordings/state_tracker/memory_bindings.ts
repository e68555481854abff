import type { Fields } from "../record/line.ts";

/** A buffer in recorded memory. */
export interface Home {
  /** The buffer's name. */
  readonly buffer: string;
  /** Offset of the buffer in the memory. */
  readonly start: number;
  /** Bytes of the buffer. */
  readonly size: number;
}

/** Bytes of a buffer, from an offset to the one behind the last. */
export interface BufferRange {
  readonly buffer: string;
  readonly from: number;
  readonly to: number;
}

/** The buffers in recorded memory, by their places, and the images that have memory: where their texels are is the driver's choice. */
export class MemoryBindings {
  readonly #bindings = new Map<string, Home[]>();
  /** The images in each memory. An image with planes may be in several. */
  readonly #images = new Map<string, Set<string>>();

  /** Notes that a buffer of a size is bound, by the arguments of vkBindBufferMemory or a VkBindBufferMemoryInfo. */
  bind({ buffer, memory, memoryOffset = 0 }: Fields, size: number): Home {
    const home = { buffer, start: Number(memoryOffset), size };
    this.#bindings.set(memory, [...this.in(memory), home]);
    return home;
  }

  /** Notes that an image is bound, by the arguments of vkBindImageMemory or a VkBindImageMemoryInfo. */
  bindImage({ image, memory }: Fields): void {
    if (memory) this.#images.set(memory, new Set([...this.imagesIn(memory), image]));
  }

  /** Returns the images in some memory. */
  imagesIn(memory: string): ReadonlySet<string> {
    return this.#images.get(memory) ?? new Set();
  }

  /** Returns the buffers in some memory. */
  in(memory: string): readonly Home[] {
    return this.#bindings.get(memory) ?? [];
  }

  /** Returns the place of a buffer and its memory; `undefined` for a buffer without memory. */
  of(buffer: string): (Home & { readonly memory: string }) | undefined {
    for (const [memory, bindings] of this.#bindings) {
      const home = bindings.find((each) => each.buffer === buffer);
      if (home) return { ...home, memory };
    }
  }

  /** Returns the bytes of buffers that some bytes of memory are. */
  within(memory: string, offset: number, length: number): BufferRange[] {
    return this.in(memory).flatMap((home) => sharedRange(home, offset, length) ?? []);
  }

  /** Notes the end of a buffer, of an image or of memory. */
  forget(name: string): void {
    this.#images.delete(name);
    if (name.startsWith("VkImage#")) { for (const images of this.#images.values()) images.delete(name); }
    if (this.#bindings.delete(name) || !name.startsWith("VkBuffer#")) return;
    for (const [memory, bindings] of this.#bindings) {
      if (bindings.some(({ buffer }) => buffer === name)) {
        this.#bindings.set(memory, bindings.filter(({ buffer }) => buffer !== name));
      }
    }
  }
}

/** Returns the bytes of a buffer that some bytes of its memory are; `undefined` if there are none. */
export function sharedRange({ buffer, start, size }: Home, offset: number, length: number): BufferRange | undefined {
  const from = Math.max(offset - start, 0), to = Math.min(offset + length - start, size);
  return from < to ? { buffer, from, to } : undefined;
}
