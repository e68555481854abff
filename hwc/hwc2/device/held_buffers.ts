import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";

/** How many presents after it was replaced a buffer may still be read: until the release fence of the frame behind it. */
const FRAMES = 2;

/**
 * Keeps the buffers that a device behind C knows by their handles alone: as
 * long as they are set, and until the device cannot be reading them any more.
 */
export class HeldBuffers {
  /** The buffers in use, by display and place: a layer, or a name. */
  readonly #current = new Map<bigint, Map<bigint | string, GraphicBuffer>>();
  /** The replaced buffers, the newest frame first. */
  readonly #replaced = new Map<bigint, GraphicBuffer[][]>();
  #isClosed = false;

  /** Sets a place's buffer, of which an owner of its own is kept. */
  set(display: bigint, place: bigint | string, buffer: GraphicBuffer | null): void {
    this.#drop(display, place);
    if (!buffer || buffer.isClosed || this.#isClosed) return;
    const places = this.#current.get(display) ?? new Map();
    this.#current.set(display, places.set(place, buffer.retain()));
  }

  /** Moves the buffer in use to the replaced ones. */
  #drop(display: bigint, place: bigint | string): void {
    const places = this.#current.get(display), before = places?.get(place);
    if (!before) return;
    places!.delete(place);
    this.#frames(display)[0].push(before);
  }

  /** Notes a presented frame: buffers replaced long enough ago are released. */
  presented(display: bigint): void {
    const frames = this.#frames(display);
    frames.unshift([]);
    for (const old of frames.splice(FRAMES)) closeAll(old);
  }

  /** A display is no more. */
  forget(display: bigint): void {
    closeAll([...this.#current.get(display)?.values() ?? [], ...this.#frames(display).flat()]);
    this.#current.delete(display);
    this.#replaced.delete(display);
  }

  /** Lets everything go, for good. */
  close(): void {
    this.#isClosed = true;
    for (const display of new Set([...this.#current.keys(), ...this.#replaced.keys()])) this.forget(display);
  }

  #frames(display: bigint): GraphicBuffer[][] {
    let frames = this.#replaced.get(display);
    if (!frames) this.#replaced.set(display, frames = [[]]);
    return frames;
  }
}

function closeAll(buffers: readonly GraphicBuffer[]): void {
  for (const buffer of buffers) buffer.close();
}
