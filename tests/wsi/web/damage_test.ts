import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { webViewer } from "../../../wsi/web/web_viewer.ts";
import { type Arrival, PageClient } from "./page_client.ts";
import { Producer } from "./producer.ts";

const WIDTH = 6, HEIGHT = 9;

/** A page's picture of a window: the value of each pixel. */
class Canvas {
  readonly rows = Array.from({ length: HEIGHT }, () => Array<number>(WIDTH).fill(-1));

  put({ top, stride, left, pixels }: Arrival): void {
    for (let y = 0; 4 * y * stride < pixels.length; y++) {
      this.rows[top + y] = Array.from({ length: WIDTH }, (_, x) => pixels[4 * (y * stride + left + x)]);
    }
  }
}

/** A picture that changes by rectangles, as a program that redraws little has it. */
const rect = fc.record({
  left: fc.nat(WIDTH - 1),
  top: fc.nat(HEIGHT - 1),
  width: fc.integer({ min: 1, max: WIDTH }),
  height: fc.integer({ min: 1, max: HEIGHT }),
}).map(({ left, top, width, height }) => ({
  left,
  top,
  right: Math.min(WIDTH, left + width),
  bottom: Math.min(HEIGHT, top + height),
}));
/** A step: the damage after a frame, whether it is told, and the pages that show what they have. */
const step = fc.record({ rects: fc.array(rect, { maxLength: 3 }), tells: fc.boolean(), shows: fc.subarray([0, 1]) });

Deno.test("webViewer() sends what changed, and every page has the whole picture whatever it missed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
      await using viewer = webViewer();
      using producer = new Producer(viewer.window({ name: "one", width: WIDTH, height: HEIGHT }));
      await using first = await PageClient.connect(viewer.url);
      await using second = await PageClient.connect(viewer.url);
      const pages = [first, second].map((page) => ({ page, canvas: new Canvas(), number: 0 }));
      const picture = Array.from({ length: HEIGHT }, () => Array<number>(WIDTH).fill(0));
      const show = async (each: typeof pages[number]) => {
        const frame = await each.page.show();
        each.canvas.put(frame);
        each.number = frame.number;
      };
      let number = 0;
      for (const { rects, tells, shows } of steps) {
        for (const { left, right, top, bottom } of rects) {
          for (let y = top; y < bottom; y++) picture[y].fill(number + 1, left, right);
        }
        if (tells) producer.window.setSurfaceDamage(rects);
        number = producer.draw((bytes, rowPitch) =>
          picture.forEach((row, y) => row.forEach((value, x) => bytes[y * rowPitch + 4 * x] = value))
        );
        for (const each of shows) if (pages[each].number < number) await show(pages[each]);
      }
      for (const each of pages) {
        while (each.number < number) await show(each);
        assertEquals(each.canvas.rows, picture);
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("webViewer() sends no more rows than changed", async () => {
  await using viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one", width: WIDTH, height: HEIGHT }));
  await using page = await PageClient.connect(viewer.url);
  const draw = async (...damage: [top: number, bottom: number][]) => {
    producer.window.setSurfaceDamage(damage.map(([top, bottom]) => ({ left: 1, right: 2, top, bottom })));
    producer.fill(1, 2, 3, 4);
    const { top, stride, pixels } = await page.show();
    await page.next("timing");
    return [top, top + pixels.length / 4 / stride];
  };
  assertEquals(await draw([3, 4]), [0, HEIGHT]); // the first one that the page gets
  assertEquals(await draw([3, 4]), [3, 4]);
  assertEquals(await draw([2, 3], [6, 8]), [2, 8]);
  assertEquals(await draw(), [0, HEIGHT]);
});
