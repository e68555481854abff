import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { AsyncComposer } from "../../composer.ts";
import type { PerFrameMetadata } from "../../composer_records.ts";
import { HwcError } from "../../hwc_error.ts";
import { COMPOSITION, ERROR } from "../../types.ts";
import type { VisibleLayer } from "../layers/stack.ts";
import { settle, type Work } from "../work.ts";
import type { Frame } from "../../../wsi/contract/frame_consumer.ts";
import { METADATA_KEY } from "../../device_types.ts";
import { IDENTITY } from "../../backends/colors/color_matrix.ts";

const UNCHANGED = [{ left: 0, top: 0, right: 0, bottom: 0 }];
/** Methods that a composer may lack: the client composes then, or the picture has another brightness. */
const OPTIONAL: ReadonlySet<string> = new Set(["setLayerColorTransform", "setLayerPerFrameMetadata"]);

/** A layer on one display, with the state that the composer has of the layer. */
export class HwcLayer {
  /** The composer's handle. */
  readonly id: bigint;
  /** The composer of the layer: as requested, or as accepted. */
  type: number = COMPOSITION.INVALID;
  /** Whether the client must leave a hole for the layer in its picture. */
  isCleared = false;
  readonly #composer: AsyncComposer;
  readonly #display: bigint;
  readonly #sent = new Map<string, string>();
  #frame: bigint | undefined;
  #canTransformColors = true;
  #isTypeSaid = false;
  /** Methods that the composer has refused as unsupported. */
  readonly #lacks = new Set<string>();

  /** Makes the record of a display's layer, by the display's handle. */
  constructor(composer: AsyncComposer, display: bigint, id: bigint) {
    this.#composer = composer;
    this.#display = display;
    this.id = id;
  }

  /** Forgets the composer's state: the next frame sends everything. */
  forget(): void {
    this.#sent.clear();
    this.#frame = undefined;
    this.#isTypeSaid = false;
  }

  /** Whether the layer can do without a refused method; it is then not called again. */
  doesWithout(error: HwcError): boolean {
    const { command } = error;
    if (!isUnsupported(error) || !OPTIONAL.has(command) || this.#lacks.has(command)) return false;
    this.#lacks.add(command);
    return true;
  }

  /** Whether this is the frame that the composer had last. */
  shows(frame: bigint | undefined): boolean {
    return this.#frame === frame;
  }

  /** Sends the composer the changes. Returns whether the changes need a validation. */
  *write({ layer, shown }: VisibleLayer, isClients: boolean): Work<boolean> {
    const geometry = yield* this.#writeGeometry(shown);
    const colors = yield* this.#writeColorTransform(shown);
    if (layer.frame) yield* this.#writeMetadata(hdrMetadata(layer.frame));
    yield* this.#writeBuffer(layer.frame?.number, layer.frame?.fence, shown);
    const wanted = isClients || !this.#canTransformColors ? COMPOSITION.CLIENT : shown.composition;
    const isOther = wanted !== this.type || !this.#isTypeSaid;
    if (isOther) yield* settle(this.#composer.setLayerCompositionType(this.#display, this.id, wanted));
    this.type = wanted;
    this.#isTypeSaid = true;
    if (wanted !== COMPOSITION.SOLID_COLOR) {
      this.#sent.delete("color"); // which composers ignore for others
      return geometry || colors || isOther;
    }
    return (yield* this.#writeColor(shown)) || geometry || colors || isOther;
  }

  *#writeGeometry(shown: VisibleLayer["shown"]): Work<boolean> {
    const composer = this.#composer, display = this.#display, { id } = this;
    const { displayFrame, sourceCrop, z, transform, blend, planeAlpha, visibleRegion = [], dataspace } = shown;
    const steps = [
      this.#differs("frame", displayFrame) && (() => composer.setLayerDisplayFrame(display, id, displayFrame)),
      this.#differs("crop", sourceCrop) && (() => composer.setLayerSourceCrop(display, id, sourceCrop)),
      this.#differs("z", z) && (() => composer.setLayerZOrder(display, id, z)),
      this.#differs("transform", transform) && (() => composer.setLayerTransform(display, id, transform)),
      this.#differs("blend", blend) && (() => composer.setLayerBlendMode(display, id, blend)),
      this.#differs("alpha", planeAlpha) && (() => composer.setLayerPlaneAlpha(display, id, planeAlpha)),
      this.#differs("visible", visibleRegion) && (() => composer.setLayerVisibleRegion(display, id, visibleRegion)),
      this.#differs("dataspace", dataspace) && (() => composer.setLayerDataspace(display, id, dataspace)),
    ].filter((step) => step !== false);
    for (const step of steps) yield* settle(step());
    return steps.length > 0;
  }

  *#writeColorTransform({ colorTransform = IDENTITY }: VisibleLayer["shown"]): Work<boolean> {
    const isFirst = !this.#sent.has("matrix");
    if (!this.#differs("matrix", colorTransform) || (isFirst && colorTransform === IDENTITY)) return false;
    this.#canTransformColors = colorTransform === IDENTITY;
    if (this.#lacks.has("setLayerColorTransform")) return true;
    try {
      yield* settle(this.#composer.setLayerColorTransform(this.#display, this.id, colorTransform));
      this.#canTransformColors = true;
    } catch (error) {
      if (!isUnsupported(error)) throw error;
    }
    return true;
  }

  /** A composer without HDR does without. */
  *#writeMetadata(metadata: readonly PerFrameMetadata[]): Work {
    if (this.#lacks.has("setLayerPerFrameMetadata")) return;
    const isFirst = !this.#sent.has("metadata");
    if (!this.#differs("metadata", metadata) || (isFirst && metadata.length === 0)) return;
    try {
      yield* settle(this.#composer.setLayerPerFrameMetadata(this.#display, this.id, metadata));
    } catch (error) {
      if (!isUnsupported(error)) throw error;
    }
  }

  *#writeBuffer(
    frame: bigint | undefined,
    fence: NativeFence | undefined,
    { buffer, damage = [] }: VisibleLayer["shown"],
  ): Work {
    if (!buffer) return;
    const composer = this.#composer, isNew = this.#frame !== frame, dirty = isNew ? damage : UNCHANGED;
    if (this.#differs("damage", dirty)) yield* settle(composer.setLayerSurfaceDamage(this.#display, this.id, dirty));
    if (!isNew) return;
    const acquire = fence && !fence.poll() ? fence.dup() : null;
    try {
      yield* settle(composer.setLayerBuffer(this.#display, this.id, buffer, acquire));
    } catch (error) {
      acquire?.close(); // it stays ours
      throw error;
    }
    this.#frame = frame;
  }

  /** Alpha included: premultiplied, as the client composes it. */
  *#writeColor({ color }: VisibleLayer["shown"]): Work<boolean> {
    if (!color || !this.#differs("color", color)) return false;
    const { r, g, b, a } = color, byte = (value: number) => Math.round(255 * value);
    const bytes = { r: byte(r), g: byte(g), b: byte(b), a: byte(a) };
    yield* settle(this.#composer.setLayerColor(this.#display, this.id, bytes));
    return true;
  }

  #differs(name: string, value: unknown): boolean {
    const text = JSON.stringify(value);
    if (this.#sent.get(name) === text) return false;
    this.#sent.set(name, text);
    return true;
  }
}

/** Whether an error of a composer means that it lacks the function. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof HwcError && (error.code === ERROR.UNSUPPORTED || error.code === ERROR.NO_RESOURCES);
}

/** HDR metadata of a frame's producer, in the composer's form; empty for most frames. */
function hdrMetadata({ smpte2086, cta8613 }: Pick<Frame, "smpte2086" | "cta8613">): PerFrameMetadata[] {
  const found: [number, number][] = [];
  if (smpte2086) {
    const { red, green, blue, white, maxLuminance, minLuminance } = smpte2086;
    found.push(
      [METADATA_KEY.DISPLAY_RED_PRIMARY_X, red.x],
      [METADATA_KEY.DISPLAY_RED_PRIMARY_Y, red.y],
      [METADATA_KEY.DISPLAY_GREEN_PRIMARY_X, green.x],
      [METADATA_KEY.DISPLAY_GREEN_PRIMARY_Y, green.y],
      [METADATA_KEY.DISPLAY_BLUE_PRIMARY_X, blue.x],
      [METADATA_KEY.DISPLAY_BLUE_PRIMARY_Y, blue.y],
      [METADATA_KEY.WHITE_POINT_X, white.x],
      [METADATA_KEY.WHITE_POINT_Y, white.y],
      [METADATA_KEY.MAX_LUMINANCE, maxLuminance],
      [METADATA_KEY.MIN_LUMINANCE, minLuminance],
    );
  }
  if (cta8613) {
    found.push(
      [METADATA_KEY.MAX_CONTENT_LIGHT_LEVEL, cta8613.maxContentLightLevel],
      [METADATA_KEY.MAX_FRAME_AVERAGE_LIGHT_LEVEL, cta8613.maxFrameAverageLightLevel],
    );
  }
  return found.map(([key, value]) => ({ key, value }));
}
