import { NativeBlock } from "../../ffi/block.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";
import type { PixelLibraries } from "../../hwc/backends/pixman/library.ts";

/** Numbers of calls, as bench/c/compose.c has them. */
const CALL = { BITS: 0, SOLID: 1, TRANSFORM: 2, FILTER: 3, REPEAT: 4, UNREF: 5, COMPOSITE: 6, YUV420: 7 };
const WORDS = 16, MOST = 512;

/** Calls of pixman and libyuv, written down while they are made, for C to make them again. */
export class RecordedCalls {
  /** The libraries to be called. */
  readonly libraries: PixelLibraries;
  /** The list. */
  readonly block = new NativeBlock(8 * WORDS * MOST);
  /** The number of entries. */
  count = 0;
  /** Whether calls are written down now. */
  isOn = false;
  readonly #places = new Map<bigint, number>();

  /** Calls go on to `real`. */
  constructor(real: PixelLibraries) {
    this.libraries = {
      ...real,
      createBits: (format, width, height, bits, pitch) => {
        const image = real.createBits(format, width, height, bits, pitch);
        this.#write(CALL.BITS, [this.#enter(image), format, width, height, bits, pitch]);
        return image;
      },
      createSolid: (color) => {
        const image = real.createSolid(color);
        this.#write(CALL.SOLID, [this.#enter(image), peek64(color)]);
        return image;
      },
      setTransform: (image, transform) => {
        const pairs = [0, 8, 16, 24, 32].map((at) =>
          at < 32 ? peek64(transform + BigInt(at)) : BigInt(peek32(transform + 32n))
        );
        this.#write(CALL.TRANSFORM, [this.#place(image), ...pairs]);
        return real.setTransform(image, transform);
      },
      setFilter: (image, filter) => {
        this.#write(CALL.FILTER, [this.#place(image), filter]);
        return real.setFilter(image, filter);
      },
      setRepeat: (image, repeat) => {
        this.#write(CALL.REPEAT, [this.#place(image), repeat]);
        real.setRepeat(image, repeat);
      },
      unref: (image) => {
        this.#write(CALL.UNREF, [this.#place(image)]);
        real.unref(image);
      },
      composite: (op, source, mask, target, at) => {
        const images = [source, mask, target].map((image) => image === 0n ? -1 : this.#place(image));
        this.#write(CALL.COMPOSITE, [op, ...images, ...at]);
        real.composite(op, source, mask, target, at);
      },
      callYuv: (name, args) => {
        if (this.isOn && name !== "Android420ToARGBMatrix") {
          throw new Error(`Cannot write ${name} down: bench/c/compose.c has it not`);
        }
        this.#write(CALL.YUV420, args);
        real.callYuv(name, args);
      },
    };
  }

  #enter(image: bigint): number {
    if (this.isOn) this.#places.set(image, this.#next++);
    return this.#place(image);
  }

  #next = 0;

  #place(image: bigint): number {
    return this.#places.get(image) ?? -1;
  }

  #write(call: number, values: readonly (bigint | number)[]): void {
    if (!this.isOn) return;
    const at = 8 * WORDS * this.count++;
    [call, ...values].forEach((value, n) =>
      this.block.view.setBigInt64(at + 8 * n, BigInt.asIntN(64, BigInt(value)), true)
    );
  }
}
