import { BLEND, COMPOSITION, type Rect } from "../../types.ts";
import { type LayerSpec, putLayers, showFrame, type ShownFrame } from "../frame.ts";
import { isNear, paint, type Rgb } from "../paint.ts";
import { failed, passed } from "../../../loader/requirements/requirement.ts";
import type { Outcome } from "../../../loader/requirements/verdict.ts";
import { GUIDE, type Probe, VTS } from "../probe.ts";
import type { ComposerSession } from "../session.ts";

const RED: Rgb = [255, 0, 0], GREEN: Rgb = [0, 255, 0], BLUE: Rgb = [0, 0, 255], BLACK: Rgb = [0, 0, 0];
const MANY = 20;
/** Half of 128 of 255 over black. */
const HALF_OF_HALF: Rgb = [64, 0, 0];

/** S1 to S5, as far as layers of RGBA show them. */
export const LAYER_PROBES: readonly Probe[] = [
  {
    id: "S1",
    rule: "composer.layers.composed",
    requirement: "The composer shows the layers it is given, and spares the GPU the work.",
    source: `${GUIDE}; ${VTS}#SetLayerBuffer`,
    advice: "show at least one opaque RGBA layer of the display's size on a plane",
    check: async (session) => {
      const frame = await showFrame(session, [{ buffer: paint(session.allocate(), RED) }]);
      return byDevice(frame, [[1, 1, RED]], "a layer of the display's size is shown without the GPU");
    },
  },
  {
    id: "S2",
    rule: "composer.layers.any-number",
    requirement: "Overlays and blitters stay behind the interface: layers that they cannot show go back to the client.",
    source: `${GUIDE}; ${VTS}#VALIDATE_DISPLAY`,
    advice: "take any number of layers; change those without a plane to CLIENT, each once",
    check: manyLayers,
  },
  {
    id: "S3",
    rule: "composer.overlays.four",
    requirement: "At least four overlays are shown at once: status bar, system bar, application and wallpaper.",
    source: `${GUIDE}, requirements`,
    advice: "give the display controller four planes at least, or combine layers with a blitter",
    check: fourOverlays,
  },
  {
    id: "S4",
    rule: "composer.layers.larger",
    requirement: "Layers may be larger than the display, as wallpapers are.",
    source: `${GUIDE}, requirements`,
    advice: "read the crop of a layer's buffer, whatever the buffer's size, and clip frames to the display",
    check: largerLayer,
  },
  {
    id: "S5",
    rule: "composer.blend.both-alphas",
    requirement: "Premultiplied alpha of the pixels and alpha of the plane work at the same time.",
    source: `${GUIDE}, requirements; ${VTS}#SetLayerPlaneAlphaPremultiplied`,
    advice: "multiply the pixels by the plane's alpha before they are blended, on a plane",
    check: bothAlphas,
  },
];

/** Passes if the device shows every layer itself, and these pixels have their colours. */
export function byDevice(
  frame: ShownFrame,
  wanted: readonly (readonly [x: number, y: number, rgb: Rgb])[],
  found: string,
): Outcome {
  if (frame.changed > 0) return failed(`${frame.changed} of the layers were left to the client`);
  for (const [x, y, rgb] of wanted) {
    const seen = frame.pixel(x, y);
    if (!seen) return passed(`${found}; its picture cannot be read back`);
    if (!isNear(seen, rgb)) return failed(`the pixel at ${x}, ${y} is ${seen.join()} instead of ${rgb.join()}`);
  }
  return passed(found);
}

/** Each lets the others show through, so that none can be left out. */
async function manyLayers(session: ComposerSession): Promise<Outcome> {
  const { composer, display } = session, buffer = paint(session.allocate(), [32, 0, 0], 32);
  const specs = Array.from({ length: MANY }, () => ({ buffer, blend: BLEND.PREMULTIPLIED }));
  const layers = await putLayers(session, specs);
  const { numTypes } = await composer.validateDisplay(display);
  const changes = await composer.getChangedCompositionTypes(display), wrong = wrongChanges(layers, changes, numTypes);
  if (wrong) return failed(wrong);
  await composer.acceptDisplayChanges(display);
  if (!await session.signals(await composer.presentDisplay(display))) return failed("the frame is never shown");
  return passed(`of ${MANY} layers ${MANY - changes.length} are shown by the device, the others go to the client`);
}

function wrongChanges(
  layers: readonly bigint[],
  changes: readonly { readonly layer: bigint; readonly type: number }[],
  counted: number,
): string | undefined {
  if (counted !== changes.length) {
    return `validateDisplay() counted ${counted} changes, and there are ${changes.length}`;
  }
  if (new Set(changes.map(({ layer }) => layer)).size < changes.length) return "a layer is changed twice";
  if (changes.some(({ layer }) => !layers.includes(layer))) return "a layer is changed that there is not";
  const other = changes.find(({ type }) => type !== COMPOSITION.CLIENT);
  return other && `a DEVICE layer is changed to ${other.type}, which is not CLIENT`;
}

async function fourOverlays(session: ComposerSession): Promise<Outcome> {
  const { screen } = session, { right: width, bottom: height } = screen, bar = Math.max(2, height >> 3);
  const above: Rect = { ...screen, bottom: bar }, below: Rect = { ...screen, top: height - bar };
  const wallpaper = session.allocate({ width: 2 * width });
  const strip = (rgb: Rgb): LayerSpec["buffer"] => paint(session.allocate({ height: bar }), rgb);
  const frame = await showFrame(session, [
    {
      buffer: paint(wallpaper, BLACK),
      crop: { left: width >> 1, top: 0, right: (width >> 1) + width, bottom: height },
    },
    { buffer: paint(session.allocate(), [0, 0, 0], 0), blend: BLEND.PREMULTIPLIED },
    { buffer: strip(GREEN), frame: above, blend: BLEND.PREMULTIPLIED },
    { buffer: strip(BLUE), frame: below, blend: BLEND.PREMULTIPLIED },
  ]);
  const middle = height >> 1;
  return byDevice(
    frame,
    [[1, 1, GREEN], [1, height - 1, BLUE], [1, middle, BLACK]],
    "wallpaper, application and both bars are shown by four overlays",
  );
}

/** The part that must be hidden is blue. */
async function largerLayer(session: ComposerSession): Promise<Outcome> {
  const { right: width, bottom: height } = session.screen, left = width >> 2, top = height >> 2;
  const crop = { left, top, right: left + width, bottom: top + height };
  const buffer = paint(session.allocate({ width: 2 * width, height: 2 * height }), BLUE);
  const frame = await showFrame(session, [{ buffer: paint(buffer, RED, 255, crop), crop }]);
  const found = `a part of a buffer of ${2 * width} by ${2 * height} is shown on ${width} by ${height}`;
  return byDevice(frame, [[0, 0, RED], [width - 1, height - 1, RED]], found);
}

async function bothAlphas(session: ComposerSession): Promise<Outcome> {
  const half = paint(session.allocate(), [128, 0, 0], 128);
  const frame = await showFrame(session, [
    { buffer: paint(session.allocate(), BLACK) },
    { buffer: half, blend: BLEND.PREMULTIPLIED, alpha: 0.5 },
  ]);
  return byDevice(frame, [[1, 1, HALF_OF_HALF]], "half of a translucent layer is blended over another one");
}
