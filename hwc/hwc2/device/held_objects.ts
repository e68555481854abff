import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { WsiError } from "../../../wsi/error.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";

/** The presents after which a replaced buffer is not read any more: the release fence of the frame behind it has come. */
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

/** Milliseconds that the call waits for a fence before a display is presented: longer than any frame. */
const LONGEST_WAIT = 5000;
/** The methods that replace or remove a buffer. */
const CHANGES = ["setClientTarget", "setOutputBuffer", "setReadbackBuffer", "setLayerBuffer", "destroyLayer"];

/**
 * Fences that a device could not import, so that it got -1 instead: they are
 * waited for before their display is presented, when their buffers are looked at.
 */
export class WithheldFences {
  /** Pending fences by display, and by layer or the name of the call. */
  readonly #pending = new Map<bigint, Map<unknown, readonly NativeFence[]>>();

  /** Notes the withheld fences of a call that succeeded. Fences of the buffer replaced by the call no longer count. */
  note(name: string, [display, layer]: readonly unknown[], fences: readonly NativeFence[]): void {
    if (!CHANGES.includes(name)) return;
    const places = this.#pending.get(display as bigint) ?? new Map(), place = name.includes("Layer") ? layer : name;
    closeAll(places.get(place) ?? []);
    places.set(place, fences);
    if (fences.length === 0) places.delete(place);
    this.#pending.set(display as bigint, places);
  }

  /** Waits for those of a display. Refuses when that takes too long; then they are waited for the next time, too. */
  async settle(display: bigint): Promise<void> {
    const places = this.#pending.get(display) ?? new Map<unknown, readonly NativeFence[]>();
    for (const [place, fences] of places) {
      for (const fence of fences) if (!await isOverInTime(fence)) refuse(ERROR.NO_RESOURCES, stillPending(fence));
      closeAll(fences);
      places.delete(place);
    }
  }

  /** The device is closed. */
  close(): void {
    for (const places of this.#pending.values()) for (const fences of places.values()) closeAll(fences);
    this.#pending.clear();
  }
}

function closeAll(owned: readonly { close(): void }[]): void {
  for (const each of owned) each.close();
}

/** Whether nobody has to wait for a fence any more: a broken one is over. */
async function isOverInTime(fence: NativeFence): Promise<boolean> {
  const ending = new AbortController(), timer = setTimeout(() => ending.abort(), LONGEST_WAIT);
  try {
    await fence.ready(ending.signal);
    return fence.poll();
  } catch (error) {
    if (error instanceof WsiError) return true;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function stillPending(fence: NativeFence): string {
  return `the ${fence.describe()} after ${LONGEST_WAIT} ms; the device takes sync_files alone, so signal it before`;
}
