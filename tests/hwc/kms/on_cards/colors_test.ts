import { assertEquals } from "@std/assert";
import { explainText } from "../../../../loader/driver/report/finding.ts";
import { COLOR_TRANSFORM } from "../../../../hwc/device_types.ts";
import { opaqueLayer } from "../../core/frame.ts";
import { ON_CARDS, SIZE, Vkms } from "./on_vkms.ts";

const INVERTED = [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 1, 1, 1, 1];
const NIGHT = [1, 0, 0, 0, 0, 0.8, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1];
const GREY = [0.3, 0.3, 0.3, 0, 0.6, 0.6, 0.6, 0, 0.1, 0.1, 0.1, 0, 0, 0, 0, 1];
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

Deno.test(
  "the card transforms the colours of layers on planes, to the bit, and leaves what it cannot to the client",
  ON_CARDS,
  async () => {
    await using vkms = new Vkms();
    const { composer, display } = vkms;
    opaqueLayer(
      composer,
      display,
      vkms.buffer(SIZE.width, SIZE.height, (x, y) => (0xff000000 | x << 16 | y << 7 | x ^ y) >>> 0),
    );
    const frame = { left: 100, top: 50, right: 164, bottom: 98 };
    opaqueLayer(composer, display, vkms.buffer(64, 48, () => 0xff40c020), { frame, z: 1 });
    const plain = await vkms.shown();
    for (const matrix of [INVERTED, NIGHT, IDENTITY]) {
      composer.setColorTransform(display, matrix, COLOR_TRANSFORM.ARBITRARY_MATRIX);
      const pixels = await vkms.shown(), plan = composer.plan(display)!;
      assertEquals(plan.stack.length, 2, explainText(plan.explain()));
      const wrong = pixels.findIndex((pixel, at) => (pixel & 0xffffff) !== transformed(plain[at], matrix));
      assertEquals(wrong, -1, `pixel ${wrong}: ${plain[wrong]?.toString(16)} became ${pixels[wrong]?.toString(16)}`);
    }
    composer.setColorTransform(display, GREY, COLOR_TRANSFORM.ARBITRARY_MATRIX);
    assertEquals(composer.validateDisplay(display).numTypes, 2);
    assertEquals(vkms.errors, []);
  },
);

/** A pixel without its alpha, its channels times the matrix. */
function transformed(pixel: number, matrix: readonly number[]): number {
  return [0, 1, 2].reduce((word, channel) => {
    const value = (pixel >>> 8 * channel & 255) * matrix[5 * channel] + 255 * matrix[12 + channel];
    return word | Math.max(0, Math.min(255, Math.round(value))) << 8 * channel;
  }, 0);
}
