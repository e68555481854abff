import { assert } from "@std/assert";
import { defineLayer, type Layer } from "../../../loader/mod.ts";

/** The picture of an X server: 32 bits a pixel. */
export interface Screen {
  readonly width: number;
  readonly pixels: Uint32Array;
}

/** Reads the picture that Xvfb keeps in a folder, in the format of xwd: a header of 32-bit numbers, colours, pixels. */
function screenIn(folder: string): Screen {
  const file = Deno.readFileSync(`${folder}/Xvfb_screen0`), view = new DataView(file.buffer);
  const [size, width, height, colours] = [0, 16, 20, 76].map((at) => view.getUint32(at));
  const start = size + 12 * colours;
  return { width, pixels: new Uint32Array(file.slice(start, start + 4 * width * height).buffer) };
}

/** The number of pixels that have a colour, which grey is not, and the width and height of their spread. */
export function colourful({ width, pixels }: Screen): { count: number; across: number; down: number } {
  let count = 0, left = width, right = 0, top = Infinity, bottom = 0;
  pixels.forEach((pixel, at) => {
    const [red, green, blue] = [pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255], x = at % width;
    if (Math.max(red, green, blue) - Math.min(red, green, blue) < 24) return;
    count++;
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, Math.floor(at / width)), Math.max(bottom, Math.floor(at / width))];
  });
  return { count, across: right - left, down: bottom - top };
}

/** Looks at the screen at the end, once the one frame is shown, and shown as a whole. */
export function looking(folder: string, display: string, seen: Screen[]): Layer {
  return defineLayer({
    name: "VK_LAYER_TEST_looking",
    commands: {
      vkDestroySwapchainKHR(next, ...args) {
        for (let tries = 0; tries < 500 && colourful(screenIn(folder)).count === 0; tries++) {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
        }
        // a client that connects now is answered once the server is through with the picture
        new Deno.Command("vulkaninfo", { args: ["--summary"], env: { DISPLAY: display } }).outputSync();
        seen.push(screenIn(folder));
        next(...args);
      },
    },
  });
}

/** Passes everything on. */
export const passing = defineLayer({
  name: "VK_LAYER_TEST_passing",
  anyCommand: () => (next, ...args) => next(...args),
});

/** Asserts that the second picture shows at half the size what the first one shows. */
export function assertHalved(plain: Screen, small: Screen): void {
  assert(colourful(plain).count > 1000, `${colourful(plain).count} pixels`);
  const [whole, half] = [plain, small].map(colourful);
  for (const side of ["across", "down"] as const) {
    assert(Math.abs(whole[side] / half[side] - 2) < 0.1, `${side}: ${whole[side]}, then ${half[side]}`);
  }
}
