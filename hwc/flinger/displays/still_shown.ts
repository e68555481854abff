import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";

/** A frame of a layer, by its number. */
export interface ShownFrame {
  readonly layer: FlingerLayer;
  readonly number: bigint;
}

/**
 * The frames that a display still shows because a new frame failed or the display is suspended. The composer gives no
 * release fences for these frames, but the panel reads their buffers. A layer that gives a buffer back gets a fence of
 * the next frame that is presented.
 */
export class StillShown {
  #frames = new Map<FlingerLayer, bigint>();
  #end: ReturnType<typeof NativeFence.create> | undefined;

  /** Whether a frame is in the list. */
  has({ layer, number }: ShownFrame): boolean {
    return this.#frames.get(layer) === number;
  }

  /** Returns the number of a layer's frame in the list. */
  number(layer: FlingerLayer): bigint | undefined {
    return this.#frames.get(layer);
  }

  /** Returns the frames of layers that the display shows and these frames do not have. */
  without(frames: readonly ShownFrame[]): ShownFrame[] {
    const others = new Set(frames.map(({ layer }) => layer));
    return [...this.#frames].flatMap(([layer, number]) => others.has(layer) ? [] : [{ layer, number }]);
  }

  /** Returns a fence of the next frame. */
  untilNext(): NativeFence {
    this.#end ??= NativeFence.create();
    return this.#end.fence.dup();
  }

  /** Notes that another frame is on its way; the result is called when the frame has appeared. */
  replace(frames: readonly ShownFrame[]): () => void {
    const end = this.#end;
    this.#frames = new Map(frames.map(({ layer, number }) => [layer, number]));
    this.#end = undefined;
    return () => {
      end?.signal();
      end?.fence.close();
    };
  }

  /** Forgets all frames: the display shows nothing any more. */
  clear(): void {
    this.replace([])();
  }
}
