import { arena, inFrame } from "../../../ffi/arena.ts";
import { libc } from "../../../ffi/libc.ts";
import type { OpenCard } from "./card.ts";

const PROT_READ_WRITE = 3, MAP_SHARED = 1, MAP_FAILED = 0xffff_ffff_ffff_ffffn, BITS = 32;
/** Room for the numbers of the four planes that a framebuffer can have. */
const FOUR = 16;

/** A buffer of the card itself, with 32 bits a pixel, as a framebuffer that is mapped into this process. */
export interface DumbBuffer {
  /** The kernel's number of the memory. */
  readonly handle: number;
  /** The kernel's number of the framebuffer. */
  readonly framebuffer: number;
  /** Bytes from one row to the next. */
  readonly pitch: number;
  /** Bytes in all. */
  readonly size: number;
  /** The address of the first pixel. */
  readonly address: bigint;
  /** The pixels. */
  readonly words: Uint32Array;
}

/** Makes a buffer of the card; `undefined` if the card has no memory left, or does not show the format. */
export function createDumbBuffer(
  card: OpenCard,
  width: number,
  height: number,
  format: number,
): DumbBuffer | undefined {
  const { drm, fd } = card;
  return inFrame((memory) => {
    const [handles, pitches, offsets] = [0, 0, 0].map(() => memory.alloc(FOUR)), sizeAt = memory.alloc(8);
    for (const each of [handles, pitches, offsets]) memory.bytes.fill(0, each, each + FOUR);
    if (drm.int("drmModeCreateDumbBuffer", fd, width, height, BITS, 0, handles, pitches, sizeAt) !== 0) {
      return undefined;
    }
    const handle = memory.view.getUint32(handles, true), size = Number(memory.view.getBigUint64(sizeAt, true));
    const at = memory.alloc(4), pitch = memory.view.getUint32(pitches, true);
    const isShown = drm.int("drmModeAddFB2", fd, width, height, format >>> 0, handles, pitches, offsets, at, 0) === 0;
    const framebuffer = isShown ? memory.view.getUint32(at, true) : 0, address = isShown ? map(card, handle, size) : 0n;
    if (address !== 0n) return { handle, framebuffer, pitch, size, address, words: wordsAt(address, size) };
    if (framebuffer !== 0) drm.int("drmModeRmFB", fd, framebuffer);
    drm.int("drmModeDestroyDumbBuffer", fd, handle);
  });
}

/** Gives a buffer back. A plane that shows it goes dark. */
export function closeDumbBuffer({ drm, fd }: OpenCard, { framebuffer, handle, address, size }: DumbBuffer): void {
  drm.int("drmModeRmFB", fd, framebuffer);
  libc().munmap(address, BigInt(size));
  drm.int("drmModeDestroyDumbBuffer", fd, handle);
}

/** The address of a buffer's memory; 0n if it cannot be mapped. */
function map({ drm, fd }: OpenCard, handle: number, size: number): bigint {
  const memory = arena(), at = memory.alloc(8);
  if (drm.int("drmModeMapDumbBuffer", fd, handle, at) !== 0) return 0n;
  const offset = memory.view.getBigUint64(at, true);
  const address = libc().mmap(0n, BigInt(size), PROT_READ_WRITE, MAP_SHARED, fd, offset);
  return address === MAP_FAILED ? 0n : address;
}

function wordsAt(address: bigint, size: number): Uint32Array {
  return new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size));
}
