import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { NativeFence } from "../../wsi/fence/native_fence.ts";
import { BLEND, COMPOSITION, ERROR, FORMAT, type FRect, type Rect } from "../types.ts";
import { HwcError } from "../hwc_error.ts";
import { pixelOf, type Rgb } from "./paint.ts";
import type { ComposerSession } from "./session.ts";

/** A layer of a frame. Default: the whole buffer over the whole display, opaque, for the device. */
export interface LayerSpec {
  /** The layer's buffer. */
  readonly buffer: GraphicBuffer;
  /** The shown part of the buffer. */
  readonly crop?: FRect;
  /** The place on the display. */
  readonly frame?: Rect;
  /** BLEND. */
  readonly blend?: number;
  /** 0 to 1. */
  readonly alpha?: number;
  /** COMPOSITION. */
  readonly type?: number;
  /** The fence that the device waits for and owns. */
  readonly fence?: NativeFence;
}

/** The result of presenting a frame. */
export interface ShownFrame {
  /** The number of layers that the device left to the client. */
  readonly changed: number;
  /** The colour of a pixel of the display; `undefined` where it cannot be read back. */
  pixel(x: number, y: number): Rgb | undefined;
}

const SET_READBACK_BUFFER = 47;

/** Puts layers on a display, from the bottom up. */
export async function putLayers(
  session: ComposerSession,
  specs: readonly LayerSpec[],
  display = session.display,
): Promise<bigint[]> {
  const layers: bigint[] = [];
  for (const [z, spec] of specs.entries()) layers.push(await putLayer(session, spec, z, display));
  return layers;
}

async function putLayer(session: ComposerSession, spec: LayerSpec, z: number, display: bigint): Promise<bigint> {
  const { composer, screen } = session, layer = await session.createLayer(display), { width, height } = spec.buffer;
  const all = { left: 0, top: 0, right: width, bottom: height };
  await composer.setLayerBuffer(display, layer, spec.buffer, spec.fence ?? null);
  await composer.setLayerSourceCrop(display, layer, spec.crop ?? all);
  await composer.setLayerDisplayFrame(display, layer, spec.frame ?? screen);
  await composer.setLayerBlendMode(display, layer, spec.blend ?? BLEND.NONE);
  await composer.setLayerPlaneAlpha(display, layer, spec.alpha ?? 1);
  await composer.setLayerZOrder(display, layer, z);
  await composer.setLayerCompositionType(display, layer, spec.type ?? COMPOSITION.DEVICE);
  return layer;
}

/** Validates and accepts: how many layers were left to the client, which then has nothing for them. */
export async function validate(session: ComposerSession, display = session.display): Promise<number> {
  const { composer } = session, { numTypes } = await composer.validateDisplay(display);
  if (numTypes === 0) return 0;
  await composer.acceptDisplayChanges(display);
  return numTypes;
}

/**
 * Shows layers on the first display, waits until they are shown, and reads the picture back if the composer can. A
 * composer may leave a picture that rests to the client once, and nobody knows how long a check's own work took: layers
 * that were left to the client are shown once more at once, and that frame counts.
 */
export async function showFrame(session: ComposerSession, specs: readonly LayerSpec[]): Promise<ShownFrame> {
  const layers = await putLayers(session, specs), first = await showLayers(session);
  if (first.changed === 0) return first;
  await askAgain(session, layers, specs);
  return await showLayers(session);
}

/** Puts layers on the first display: how many are left to the client by a composer that does not rest. */
export async function countLeft(session: ComposerSession, specs: readonly LayerSpec[]): Promise<number> {
  const layers = await putLayers(session, specs);
  if (await validate(session) === 0) return 0;
  await presentLayers(session);
  await askAgain(session, layers, specs);
  return await validate(session);
}

async function showLayers(session: ComposerSession): Promise<ShownFrame> {
  const { composer, display } = session, into = await readback(session), changed = await validate(session);
  await presentLayers(session);
  const isRead = into !== undefined && await session.signals(await composer.getReadbackBufferFence(display));
  for (const { fence } of await composer.getReleaseFences(display)) fence.close();
  return { changed, pixel: (x, y) => isRead ? pixelOf(into, x, y) : undefined };
}

async function presentLayers(session: ComposerSession): Promise<void> {
  const { composer, display } = session, shown = await session.signals(await composer.presentDisplay(display));
  if (!shown) throw new HwcError("presentDisplay", ERROR.NO_RESOURCES, "the present fence of a frame does not signal");
}

/** Asks for the types that a client asked for before it accepted others. */
async function askAgain(
  { composer, display }: ComposerSession,
  layers: readonly bigint[],
  specs: readonly LayerSpec[],
) {
  for (const [index, { type = COMPOSITION.DEVICE }] of specs.entries()) {
    await composer.setLayerCompositionType(display, layers[index], type);
  }
}

/** A buffer that the next frame is copied to; `undefined` where that cannot be done. */
async function readback(session: ComposerSession): Promise<GraphicBuffer | undefined> {
  const { composer, display } = session;
  if (!await session.has(SET_READBACK_BUFFER)) return undefined;
  try {
    const { format } = await composer.getReadbackBufferAttributes(display);
    if (format !== FORMAT.RGBA_8888) return undefined;
    const into = session.allocate();
    await composer.setReadbackBuffer(display, into, null);
    return into;
  } catch (error) {
    if (error instanceof HwcError && error.code === ERROR.UNSUPPORTED) return undefined;
    throw error;
  }
}
