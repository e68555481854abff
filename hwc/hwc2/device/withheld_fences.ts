import { WsiError } from "../../../wsi/error.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";

/** How long the call waits for a fence before a display is presented, in milliseconds: longer than any frame. */
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

function closeAll(fences: readonly NativeFence[]): void {
  for (const fence of fences) fence.close();
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
