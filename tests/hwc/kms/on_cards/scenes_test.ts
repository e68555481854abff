import { assertEquals } from "@std/assert";
import { explainText } from "../../../../loader/driver/report/finding.ts";
import { BLEND, FORMAT, type Rect, TRANSFORM } from "../../../../hwc/types.ts";
import { opaqueLayer } from "../../reference/frame.ts";
import { ON_CARDS, pixelsOf, SIZE, Vkms } from "./on_vkms.ts";

/** How many random scenes are shown; the machine is emulated. */
const SCENES = Number(Deno.env.get("PUMICE_SCENES") ?? 20);
const MOST_LAYERS = 9;
/** What cards do exactly as compositions do. */
const EXACT = [
  TRANSFORM.NONE,
  TRANSFORM.FLIP_H,
  TRANSFORM.FLIP_V,
  TRANSFORM.ROT_90,
  TRANSFORM.ROT_180,
  TRANSFORM.ROT_270,
];
const FORMATS = [FORMAT.RGBA_8888, FORMAT.RGBX_8888, FORMAT.BGRA_8888];

/** A generator of numbers below a limit, the same for the same seed. */
function random(seed: number): (limit: number) => number {
  let state = seed >>> 0 || 1;
  return (limit) => {
    state ^= state << 13, state ^= state >>> 17, state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

Deno.test(`random scenes of up to nine layers are shown to the bit, all on planes (${SCENES})`, ON_CARDS, async () => {
  for (let seed = 1; seed <= SCENES; seed++) {
    await using vkms = new Vkms();
    const pick = random(seed * 0x9e3779b9), layers = 1 + pick(MOST_LAYERS);
    opaqueLayer(
      vkms.composer,
      vkms.display,
      vkms.buffer(SIZE.width, SIZE.height, (x, y) => 0xff000000 | x * 2654435 ^ y),
    );
    for (let z = 1; z < layers; z++) addLayer(vkms, pick, z);
    const pixels = await vkms.shown(), plan = vkms.composer.plan(vkms.display)!, said = explainText(plan.explain());
    assertEquals(plan.target, undefined, `seed ${seed}: ${said}`);
    const own = vkms.buffer(SIZE.width, SIZE.height, () => 0);
    vkms.composer.capture(vkms.display, own);
    const composed = pixelsOf(own), wrong = pixels.findIndex((pixel, at) => (pixel ^ composed[at]) << 8 !== 0);
    assertEquals(wrong, -1, `seed ${seed}: pixel ${wrong} is ${pixels[wrong]?.toString(16)}\n${said}`);
    assertEquals(vkms.errors, []);
  }
});

/** A layer whose alpha is 0 or 1 everywhere, cropped, turned, partly outside of the screen. */
function addLayer(vkms: Vkms, pick: (limit: number) => number, z: number): void {
  const { composer, display } = vkms, width = 32 + pick(96), height = 32 + pick(96), isBlended = pick(2) === 1;
  const colors = [pick(1 << 24), pick(1 << 24)];
  const buffer = vkms.buffer(width, height, (x, y) => {
    const isClear = isBlended && (x >> 3 ^ y >> 3) & 1;
    return isClear ? 0 : (0xff000000 | colors[x < y ? 0 : 1]) >>> 0;
  }, isBlended ? FORMAT.RGBA_8888 : FORMATS[pick(FORMATS.length)]);
  const transform = EXACT[pick(EXACT.length)], left = pick(16), top = pick(16);
  const crop: Rect = { left, top, right: width - pick(8), bottom: height - pick(8) };
  const [across, down] = [crop.right - crop.left, crop.bottom - crop.top];
  const [w, h] = transform & TRANSFORM.ROT_90 ? [down, across] : [across, down];
  const x = pick(SIZE.width) - 20, y = pick(SIZE.height) - 20;
  const layer = opaqueLayer(composer, display, buffer, { frame: { left: x, top: y, right: x + w, bottom: y + h }, z });
  composer.setLayerSourceCrop(display, layer, crop);
  composer.setLayerTransform(display, layer, transform);
  if (isBlended) composer.setLayerBlendMode(display, layer, BLEND.PREMULTIPLIED);
}
