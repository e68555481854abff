import { arena, inFrame } from "../../../ffi/arena.ts";
import { libc } from "../../../ffi/libc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { fourcc } from "../../../wsi/buffer/hal_format.ts";
import type { OpenCard } from "./card.ts";

const PROT_READ_WRITE = 3, MAP_SHARED = 1, MAP_FAILED = 0xffff_ffff_ffff_ffffn, BITS = 32;
/** The formats that pixels of RGBA_8888 can be copied to: as they are, and with red and blue exchanged. */
const SAME: readonly number[] = ["AB24", "XB24"].map(fourcc),
  EXCHANGED: readonly number[] = ["XR24", "AR24"].map(fourcc);

/** Pictures that the card shows in turn, so that none is written while it is on the screen. */
const TURNS = 2;

/** A buffer of the card itself. */
interface OwnBuffer {
  readonly handle: number;
  readonly framebuffer: number;
  readonly pitch: number;
  readonly size: number;
  readonly address: bigint;
  readonly words: Uint32Array;
}

/** Buffers of the card, to which pictures are copied whose memory the card cannot read. */
export class Staging {
  readonly #card: OpenCard;
  #buffers: OwnBuffer[] = [];
  #key = "";
  #turn = 0;

  /** Has none yet. */
  constructor(card: OpenCard) {
    this.#card = card;
  }

  /**
   * Returns the framebuffer with a copy of a picture of RGBA_8888; 0 if the card has no fitting format. Without `copies`
   * the framebuffer is only asked about.
   */
  of(buffer: GraphicBuffer, formats: readonly number[], copies: boolean): number {
    const { width, height } = buffer, format = [...SAME, ...EXCHANGED].find((each) => formats.includes(each));
    if (format === undefined) return 0;
    const key = `${width} ${height} ${format}`;
    if (key !== this.#key) {
      this.close();
      this.#key = key;
      this.#buffers = Array.from({ length: TURNS }, () => this.#make(width, height, format)).filter((each) => !!each);
    }
    if (copies) this.#turn = (this.#turn + 1) % TURNS;
    const own = this.#buffers[this.#turn];
    if (own && copies) copyPixels(buffer, own, EXCHANGED.includes(format));
    return own?.framebuffer ?? 0;
  }

  /** Gives the buffers back. */
  close(): void {
    const { drm, fd } = this.#card;
    for (const { framebuffer, handle, address, size } of this.#buffers) {
      drm.int("drmModeRmFB", fd, framebuffer);
      libc().munmap(address, BigInt(size));
      drm.int("drmModeDestroyDumbBuffer", fd, handle);
    }
    this.#buffers = [];
    this.#key = "";
  }

  #make(width: number, height: number, format: number): OwnBuffer | undefined {
    const { drm, fd } = this.#card;
    return inFrame((memory) => {
      const [handleAt, pitchAt, framebufferAt] = [0, 0, 0].map(() => memory.alloc(16)), sizeAt = memory.alloc(8);
      if (drm.int("drmModeCreateDumbBuffer", fd, width, height, BITS, 0, handleAt, pitchAt, sizeAt) !== 0) {
        return undefined;
      }
      const number = (at: number) => memory.view.getUint32(at, true),
        handle = number(handleAt),
        pitch = number(pitchAt);
      const size = Number(memory.view.getBigUint64(sizeAt, true)), offsets = memory.alloc(16);
      for (const each of [handleAt, pitchAt]) memory.bytes.fill(0, each + 4, each + 16);
      memory.bytes.fill(0, offsets, offsets + 16);
      drm.int("drmModeAddFB2", fd, width, height, format >>> 0, handleAt, pitchAt, offsets, framebufferAt, 0);
      const framebuffer = number(framebufferAt), address = this.#map(handle, size);
      if (address === undefined) return undefined;
      const pointer = Deno.UnsafePointer.create(address)!;
      const words = new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(pointer, size));
      return { handle, framebuffer, pitch, size, address, words };
    });
  }

  #map(handle: number, size: number): bigint | undefined {
    const { drm, fd } = this.#card, memory = arena(), at = memory.alloc(8);
    if (drm.int("drmModeMapDumbBuffer", fd, handle, at) !== 0) return undefined;
    const offset = memory.view.getBigUint64(at, true);
    const address = libc().mmap(0n, BigInt(size), PROT_READ_WRITE, MAP_SHARED, fd, offset);
    return address === MAP_FAILED ? undefined : address;
  }
}

function copyPixels(buffer: GraphicBuffer, { words, pitch }: OwnBuffer, exchanges: boolean): void {
  const { width, height, rowPitch } = buffer, pixels = new Uint32Array(buffer.lock().buffer);
  try {
    for (let y = 0; y < height; y++) {
      const row = pixels.subarray(y * rowPitch / 4, y * rowPitch / 4 + width), to = y * pitch / 4;
      if (!exchanges) words.set(row, to);
      else for (let x = 0; x < width; x++) words[to + x] = exchanged(row[x]);
    }
  } finally {
    buffer.unlock();
  }
}

function exchanged(pixel: number): number {
  return pixel & 0xff00_ff00 | (pixel & 0xff) << 16 | pixel >>> 16 & 0xff;
}
