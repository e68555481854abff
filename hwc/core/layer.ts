import { dropBuffer, holdBuffer } from "../../wsi/queue/buffer_hold.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { NativeFence } from "../../wsi/fence/native_fence.ts";
import type { PerFrameMetadata, PerFrameMetadataBlob } from "../composer_records.ts";
import { BLEND, type Color, COMPOSITION, DATASPACE, ERROR, type FRect, type Rect, TRANSFORM } from "../types.ts";
import type { ComposeLayer } from "../backends/compose_layer.ts";
import { refuse } from "./refusal.ts";
import { IDENTITY } from "../backends/colors/color_matrix.ts";

const NOWHERE: Rect = { left: 0, top: 0, right: 0, bottom: 0 };

/** A layer of the client's: the state its setters have left. */
export class Layer implements ComposeLayer {
  /** The layer's handle. */
  readonly id: bigint;
  /** For messages: the name that the client gave the layer, otherwise the layer's number. */
  name: string;
  composition: number = COMPOSITION.INVALID;
  blend: number = BLEND.NONE;
  planeAlpha = 1;
  transform: number = TRANSFORM.NONE;
  sourceCrop: FRect = NOWHERE;
  displayFrame: Rect = NOWHERE;
  z = 0;
  dataspace: number = DATASPACE.UNKNOWN;
  color: Color = { r: 0, g: 0, b: 0, a: 0 };
  damage: readonly Rect[] = [];
  visibleRegion: readonly Rect[] = [];
  blockingRegion: readonly Rect[] = [];
  matrix: readonly number[] | undefined;
  brightness = 1;
  sideband = 0n;
  metadata: readonly PerFrameMetadata[] = [];
  blobs: readonly PerFrameMetadataBlob[] = [];
  readonly generic: Map<string, Uint8Array> = new Map();
  #buffer: GraphicBuffer | undefined;
  #fence: NativeFence | undefined;

  /** A layer that shows nothing yet, with the name that it has at first. */
  constructor(id: bigint, name: string) {
    this.id = id;
    this.name = name;
  }

  /** The layer's buffer. */
  get buffer(): GraphicBuffer | undefined {
    return this.#buffer;
  }

  /** The layer's own transform and its dimming, which is linear in light. */
  get colorTransform(): readonly number[] | undefined {
    if (this.brightness >= 1) return this.matrix;
    const { matrix = IDENTITY, brightness } = this;
    return matrix.map((value, index) => index % 4 < 3 ? value * brightness : value);
  }

  /** The layer's present state, z included: the client goes on changing the layer. */
  copy(): ComposeLayer {
    // No spread, which is slow: every layer of every frame is copied.
    return {
      handle: this.id,
      name: this.name,
      buffer: this.buffer,
      composition: this.composition,
      blend: this.blend,
      planeAlpha: this.planeAlpha,
      transform: this.transform,
      sourceCrop: this.sourceCrop,
      displayFrame: this.displayFrame,
      z: this.z,
      dataspace: this.dataspace,
      color: this.color,
      damage: this.damage,
      visibleRegion: this.visibleRegion,
      colorTransform: this.colorTransform,
      metadata: this.metadata,
      isCursor: this.composition === COMPOSITION.CURSOR,
    };
  }

  /**
   * Shows another buffer, drawn when the fence is signalled. The layer owns the
   * fence from now on. Returns whether planes may now be able to do something
   * else with the layer.
   */
  setBuffer(buffer: GraphicBuffer, fence: NativeFence | null): boolean {
    if (buffer.isClosed) {
      refuse(ERROR.BAD_PARAMETER, `buffer ${buffer.id} is closed; keep it open until it was handed over`);
    }
    const before = this.#buffer;
    if (before?.id !== buffer.id) {
      this.#buffer = holdBuffer(buffer.retain());
      if (before) dropBuffer(before);
    }
    this.#fence?.close();
    this.#fence = fence ?? undefined;
    return !before || !isAlike(before, buffer);
  }

  /** The fence its buffer has to be waited for with, if nobody has taken it. */
  takeFence(): NativeFence | undefined {
    const fence = this.#fence;
    this.#fence = undefined;
    return fence;
  }

  /** Gives back its buffer and its fence. */
  close(): void {
    this.takeFence()?.close();
    if (this.#buffer) dropBuffer(this.#buffer);
    this.#buffer = undefined;
  }
}

function isAlike(one: GraphicBuffer, other: GraphicBuffer): boolean {
  return one.width === other.width && one.height === other.height && one.format === other.format &&
    one.usage === other.usage;
}
