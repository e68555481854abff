import { assert, assertEquals } from "@std/assert";
import { explainText } from "../../../../loader/driver/report/finding.ts";
import { BLEND, FORMAT, type Rect, TRANSFORM } from "../../../../hwc/types.ts";
import { count } from "../../../support/counts.ts";
import { colorLayer, opaqueLayer } from "../../core/frame.ts";
import { framebuffers, ON_CARDS, pixelsOf, SIZE, Vkms } from "./on_vkms.ts";

/** The same scenes each time: 200 were right on the virtual card. */
const SCENES = count(50, 50, 200);
const MOST_LAYERS = 9;
const COLORS = 20;
/** The transforms that cards do exactly as compositions do. */
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

Deno.test("random scenes of up to nine layers are shown to the bit, all on planes", ON_CARDS, async () => {
  await using vkms = new Vkms();
  const { width, height } = SIZE, background = vkms.buffer(width, height, (x, y) => 0xff000000 | x * 2654435 ^ y);
  for (let seed = 1; seed <= SCENES; seed++) {
    const pick = random(seed * 0x9e3779b9), layers = [opaqueLayer(vkms.composer, vkms.display, background)];
    for (let z = pick(MOST_LAYERS); z > 0; z--) layers.push(addLayer(vkms, pick, z));
    await assertExact(vkms, `seed ${seed}`);
    for (const layer of layers) vkms.composer.destroyLayer(vkms.display, layer);
  }
});

Deno.test("the home screen is shown to the bit, all on planes", ON_CARDS, async () => {
  await using vkms = new Vkms();
  const { composer, display } = vkms, { width, height } = SIZE, bar = 24;
  const veil = (x: number, y: number) => {
    const alpha = (x * 7 + y * 13) & 255, color = (part: number) => Math.floor(alpha * (part & 255) / 255);
    return (alpha << 24 | color(x) << 16 | color(y) << 8 | color(x + y)) >>> 0;
  };
  const wallpaper = vkms.buffer(2 * width, height, (x, y) => x * y * 77, FORMAT.RGBX_8888);
  const scrolled = opaqueLayer(composer, display, wallpaper, { frame: rect(0, 0, width, height) });
  const parts: [z: number, frame: Rect][] = [
    [1, rect(0, bar, width, height - bar)], // the launcher
    [2, rect(0, 0, width, bar)], // the status bar
    [3, rect(0, height - bar, width, height)], // the navigation bar
  ];
  for (const [z, frame] of parts) {
    const buffer = vkms.buffer(frame.right - frame.left, frame.bottom - frame.top, veil);
    const layer = opaqueLayer(composer, display, buffer, { frame, z });
    composer.setLayerBlendMode(display, layer, BLEND.PREMULTIPLIED);
  }
  for (let frame = 0; frame < 5; frame++) {
    composer.setLayerSourceCrop(display, scrolled, rect(frame * 50, 0, frame * 50 + width, height));
    await assertExact(vkms, `frame ${frame}`);
  }
});

Deno.test(
  "layers of one colour are on planes to the bit, and a colour that changes keeps no memory",
  ON_CARDS,
  async () => {
    await using vkms = new Vkms();
    const { composer, display } = vkms, { width, height } = SIZE;
    opaqueLayer(composer, display, vkms.buffer(width, height, (x, y) => 0xff000000 | x * 2654435 ^ y));
    colorLayer(composer, display, { r: 9, g: 8, b: 7, a: 255 }, rect(5, 5, 6, 6), 3); // smaller than vkms' smallest buffer
    const veil = colorLayer(composer, display, { r: 60, g: 30, b: 0, a: 120 }, rect(-20, 50, 300, height + 30), 1);
    composer.setLayerBlendMode(display, veil, BLEND.PREMULTIPLIED);
    const changed = colorLayer(composer, display, { r: 1, g: 2, b: 3, a: 255 }, rect(350, 10, 500, 410), 2);
    await assertExact(vkms, "first");
    const before = framebuffers();
    for (let frame = 0; frame < COLORS; frame++) {
      composer.setLayerColor(display, changed, { r: frame * 12, g: 255 - frame, b: frame, a: 255 });
      composer.setLayerDisplayFrame(display, changed, rect(350 - frame, 10, 500, 410));
      await assertExact(vkms, `frame ${frame}`);
    }
    const most = before + 3;
    assert(framebuffers() <= most, `${framebuffers()} framebuffers, ${before} before`);
    composer.setLayerColor(display, veil, { r: 255, g: 0, b: 0, a: 10 });
    composer.validateDisplay(display);
    const said = explainText(composer.plan(display)!.explain());
    assert(said.includes("the client composes it: its colour is brighter than its alpha allows"), said);
  },
);

function rect(left: number, top: number, right: number, bottom: number): Rect {
  return { left, top, right, bottom };
}

/** Shows a frame. Fails unless all is on planes, and the card's pixels are those of the client's composition. */
async function assertExact(vkms: Vkms, what: string): Promise<void> {
  const pixels = await vkms.shown(), plan = vkms.composer.plan(vkms.display)!, said = explainText(plan.explain());
  assertEquals(plan.target, undefined, `${what}: ${said}`);
  vkms.composer.capture(vkms.display, vkms.own);
  const composed = pixelsOf(vkms.own), wrong = pixels.findIndex((pixel, at) => (pixel ^ composed[at]) << 8 !== 0);
  const at = `pixel ${wrong} is ${pixels[wrong]?.toString(16)}, not ${composed[wrong]?.toString(16)}`;
  assertEquals(wrong, -1, `${what}: ${at}\n${said}`);
  assertEquals(vkms.errors, []);
}

/** A layer of one opaque colour, partly outside of the screen. */
function addColor({ composer, display }: Vkms, pick: (limit: number) => number, z: number): bigint {
  const left = pick(SIZE.width) - 20, top = pick(SIZE.height) - 20, color = pick(1 << 24);
  const frame = rect(left, top, left + 10 + pick(200), top + 10 + pick(200));
  return colorLayer(composer, display, { r: color & 255, g: color >> 8 & 255, b: color >> 16, a: 255 }, frame, z);
}

/** A layer whose alpha is 0 or 1 everywhere, cropped, turned, partly outside of the screen. */
function addLayer(vkms: Vkms, pick: (limit: number) => number, z: number): bigint {
  const { composer, display } = vkms;
  if (pick(4) === 0) return addColor(vkms, pick, z);
  const width = 32 + pick(96), height = 32 + pick(96), isBlended = pick(2) === 1;
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
  return layer;
}
