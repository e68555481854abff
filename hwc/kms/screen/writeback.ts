import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { OpenCard } from "../card/card.ts";
import type { AtomicState } from "../card/commit.ts";
import type { CardConnector } from "../card/facts.ts";
import type { Framebuffers } from "../card/framebuffers.ts";
import { readBlob } from "../card/read_objects.ts";
import { halFormatOf } from "../../../wsi/buffer/hal_format.ts";
import { MODIFIER } from "../../../wsi/buffer/modifier.ts";
import { OutFence } from "./flight.ts";

/** A writeback connector: the card copies a frame into a buffer. */
export class Writeback {
  readonly #connector: CardConnector;
  readonly #crtc: number;
  /** The fence of the copy. */
  readonly #fence = new OutFence();
  #isAttached = false;

  readonly #formats: readonly number[];

  /** Is not attached yet. */
  constructor(card: OpenCard, connector: CardConnector, crtc: number) {
    this.#connector = connector;
    this.#crtc = crtc;
    const { drm, fd } = card, { value = 0n } = connector.properties.WRITEBACK_PIXEL_FORMATS ?? {};
    const { buffer, byteLength } = readBlob(drm, fd, Number(value));
    this.#formats = [...new Uint32Array(buffer, 0, byteLength >> 2)];
  }

  /** Whether it writes into a buffer: the card must know the format and reach the memory. */
  takes(into: GraphicBuffer, framebuffers: Framebuffers): boolean {
    const { drm } = halFormatOf(into.format) ?? {};
    if (into.modifier !== MODIFIER.LINEAR) return false; // the card says of rows alone that it writes them
    return drm !== undefined && this.#formats.includes(drm) && framebuffers.of(into, drm).id !== 0;
  }

  /** Whether the CRTC has the connector already; else the commit changes the mode. */
  get isAttached(): boolean {
    return this.#isAttached;
  }

  /** Adds the copy to a commit. */
  add(state: AtomicState, framebuffers: Framebuffers, into: GraphicBuffer): void {
    const { id } = framebuffers.of(into, halFormatOf(into.format)!.drm);
    state.set(this.#connector, "CRTC_ID", this.#crtc).tell(this.#connector, "WRITEBACK_FB_ID", id);
    this.#fence.ask(state, this.#connector, "WRITEBACK_OUT_FENCE_PTR");
  }

  /** After the commit. Returns the fence of the copy, which the caller owns; `undefined` if there is none. */
  finish(succeeded: boolean): NativeFence | undefined {
    const fence = this.#fence.take();
    if (succeeded && fence) this.#isAttached = true;
    return fence;
  }

  /** Adds to a commit that the connector has no CRTC. */
  detach(state: AtomicState): void {
    if (this.#isAttached) state.set(this.#connector, "CRTC_ID", 0);
    this.#isAttached = false;
  }

  /** Frees its memory. */
  close(): void {
    this.#fence.close();
  }
}
