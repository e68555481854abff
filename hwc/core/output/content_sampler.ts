import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { ContentSample } from "../../composer_records.ts";
import { FORMAT, type Rect } from "../../types.ts";

/** Hue, saturation, value. */
const COMPONENTS = 3, BINS = 64, MOST_FRAMES = 256;
/** The components that are sampled: all of HSV. */
export const SAMPLED_MASK = 0b111;

interface Sampled {
  readonly time: bigint;
  readonly bins: readonly Uint32Array[];
}

/** Counts the colours of a panel's pictures, frame by frame. */
export class ContentSampler {
  #mask = 0;
  /** The sampled components. */
  #sampled = SAMPLED_MASK;
  #most = 0;
  #frames: Sampled[] = [];
  #scratch: GraphicBuffer | undefined;

  /** Whether frames are sampled. */
  get isEnabled(): boolean {
    return this.#mask !== 0;
  }

  /** Begins anew. Components as bits; 0 frames: as many as there is room for. */
  enable(mask: number, frames: bigint): void {
    this.#mask = this.#sampled = mask & SAMPLED_MASK;
    this.#most = frames === 0n || frames > MOST_FRAMES ? MOST_FRAMES : Number(frames);
    this.#frames = [];
  }

  /** Samples no more; what there is can still be read. */
  disable(): void {
    this.#mask = 0;
    this.#closeScratch();
  }

  /** Samples a frame, which is composed into the buffer given. */
  sample(time: bigint, screen: Rect, compose: (into: GraphicBuffer) => void): void {
    const { right: width, bottom: height } = screen;
    if (this.#scratch?.width !== width || this.#scratch.height !== height) {
      this.#closeScratch();
      const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
      this.#scratch = allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage });
    }
    compose(this.#scratch);
    this.#frames.push({ time, bins: count(this.#scratch) });
    if (this.#frames.length > this.#most) this.#frames.shift();
  }

  /** The histograms of the last frames since a time; 0 means all kept frames. */
  read(maxFrames: bigint, since: bigint): ContentSample {
    const recent = this.#frames.filter(({ time }) => time >= since);
    const frames = maxFrames === 0n || maxFrames >= recent.length ? recent : recent.slice(-Number(maxFrames));
    const samples = Array.from(
      { length: 4 },
      (_, component) =>
        (this.#sampled & 1 << component) === 0 ? [] : Array.from(
          { length: BINS },
          (_, bin) => frames.reduce((sum, { bins }) => sum + BigInt(bins[component][bin]), 0n),
        ),
    );
    return { frameCount: BigInt(frames.length), samples };
  }

  /** Gives back its memory. */
  close(): void {
    this.disable();
    this.#frames = [];
  }

  #closeScratch(): void {
    this.#scratch?.close();
    this.#scratch = undefined;
  }
}

function count(buffer: GraphicBuffer): Uint32Array[] {
  const bins = Array.from({ length: COMPONENTS }, () => new Uint32Array(BINS)), bytes = buffer.lock();
  for (let y = 0; y < buffer.height; y++) {
    const start = y * buffer.rowPitch;
    for (let at = start; at < start + buffer.width * 4; at += 4) {
      const value = Math.max(bytes[at], bytes[at + 1], bytes[at + 2]);
      const spread = value - Math.min(bytes[at], bytes[at + 1], bytes[at + 2]);
      bins[0][Math.min(BINS - 1, Math.floor(hue(bytes[at], bytes[at + 1], bytes[at + 2], value, spread) * BINS))]++;
      bins[1][value === 0 ? 0 : Math.floor(spread * 255 / value) * BINS >> 8]++;
      bins[2][value * BINS >> 8]++;
    }
  }
  buffer.unlock();
  return bins;
}

/** 0 to 1; 0 for grey. */
function hue(r: number, g: number, b: number, value: number, spread: number): number {
  if (spread === 0) return 0;
  const sixth = value === r ? (g - b) / spread : value === g ? 2 + (b - r) / spread : 4 + (r - g) / spread;
  return (sixth + 6) % 6 / 6;
}
