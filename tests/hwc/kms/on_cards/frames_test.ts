import { assert, assertEquals } from "@std/assert";
import { explainText } from "../../../../loader/driver/report/finding.ts";
import { BLEND, COMPOSITION, TRANSFORM } from "../../../../hwc/types.ts";
import { opaqueLayer } from "../../core/frame.ts";
import { ON_CARDS, pixelsOf, SIZE, Vkms } from "./on_vkms.ts";

const RED = 0xff0000ff, GREEN = 0xff00ff00, BLACK = 0xff000000;

Deno.test("createKmsComposer() shows layers on planes, as the card's writeback sees them", ON_CARDS, async () => {
  await using vkms = new Vkms();
  const { composer, display } = vkms;
  opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, (x) => x % 2 ? RED : BLACK));
  const frame = { left: 100, top: 50, right: 164, bottom: 98 };
  opaqueLayer(composer, display, vkms.buffer(64, 48, () => GREEN), { frame, z: 1 });
  const pixels = await vkms.shown();
  const plan = composer.plan(display)!;
  assertEquals(plan.stack.map(({ plane }) => plane), ["primary", "overlay1"], explainText(plan.explain()));
  const wrong = pixels.findIndex((pixel, at) => {
    const x = at % SIZE.width, y = Math.floor(at / SIZE.width);
    const isInside = x >= frame.left && x < frame.right && y >= frame.top && y < frame.bottom;
    return pixel !== (isInside ? GREEN : x % 2 ? RED : BLACK);
  });
  assertEquals(wrong, -1, `pixel ${wrong} is ${pixels[wrong]?.toString(16)}`);
  assertEquals(vkms.errors, []);
});

Deno.test("createKmsComposer() turns and flips on planes as the client's composition does", ON_CARDS, async () => {
  await using vkms = new Vkms();
  const { composer, display } = vkms;
  opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => BLACK));
  const spotted = (x: number, y: number) => (0xff000000 | x * 3 << 16 | y * 5 << 8 | (x < 4 && y < 4 ? 255 : 0)) >>> 0;
  const transforms = [TRANSFORM.FLIP_H, TRANSFORM.FLIP_V, TRANSFORM.ROT_180, TRANSFORM.ROT_90, TRANSFORM.ROT_270];
  transforms.forEach((transform, index) => {
    const isTurned = (transform & TRANSFORM.ROT_90) !== 0, [width, height] = isTurned ? [30, 40] : [40, 30];
    const left = 60 * index, frame = { left, top: 20, right: left + width, bottom: 20 + height };
    const layer = opaqueLayer(composer, display, vkms.buffer(40, 30, spotted), { frame, z: 1 + index });
    composer.setLayerTransform(display, layer, transform);
  });
  const pixels = await vkms.shown(), own = vkms.buffer(SIZE.width, SIZE.height, () => 0);
  assertEquals(
    composer.plan(display)!.stack.length,
    1 + transforms.length,
    explainText(composer.plan(display)!.explain()),
  );
  composer.capture(display, own);
  assertEquals(pixels, pixelsOf(own));
});

Deno.test("createKmsComposer() leaves to the client what the card cannot do, and says why", ON_CARDS, async () => {
  await using vkms = new Vkms();
  const { composer, display } = vkms;
  opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => BLACK));
  const scaled = opaqueLayer(composer, display, vkms.buffer(64, 48, () => GREEN), {
    frame: { left: 0, top: 0, right: 128, bottom: 96 },
    z: 1,
  });
  const alpha = opaqueLayer(composer, display, vkms.buffer(64, 48, () => RED), {
    frame: { left: 300, top: 0, right: 364, bottom: 48 },
    z: 2,
  });
  composer.setLayerBlendMode(display, alpha, BLEND.PREMULTIPLIED);
  composer.setLayerPlaneAlpha(display, alpha, 0.5);
  composer.nameLayer(display, scaled, "scaled");
  composer.nameLayer(display, alpha, "faint");
  const { numTypes } = composer.validateDisplay(display), changed = composer.getChangedCompositionTypes(display);
  assertEquals(numTypes, changed.length);
  assertEquals(new Set(changed.map(({ type }) => type)), new Set([COMPOSITION.CLIENT]));
  const text = explainText(composer.plan(display)!.explain());
  assert(/scaled .*cannot scale/.test(text) && /faint .*has no opacity of its own/.test(text), text);
  await Promise.resolve();
});
