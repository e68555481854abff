import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { serveLayers } from "../../../loader/layers.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";
import halved from "../../../examples/half_viewport.ts";
import { swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { APP, driverManifest, NEEDS_PROGRAMS, runServed } from "./programs.ts";

/** What an X server shows: 32 bits a pixel. */
interface Screen {
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

/** How many pixels have a colour, which grey is not, and how wide and high they spread. */
function colourful({ width, pixels }: Screen): { count: number; across: number; down: number } {
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
function looking(folder: string, display: string, seen: Screen[]): Layer {
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

const passing = defineLayer({
  name: "VK_LAYER_TEST_passing",
  anyCommand: () => (next, ...args) => next(...args),
});

Deno.test(
  "serveLayers(): layers that pass on leave vkcube's pixels, and one that halves the viewport halves the cube",
  NEEDS_PROGRAMS,
  () =>
    withFolderAsync(async (folder) => {
      await using server = await startXServer("640x480x24", ["-fbdir", folder]);
      const shown = async (...layers: Layer[]) => {
        const seen: Screen[] = [];
        await using own = await serveLayers({ layers: [looking(folder, server.display, seen), ...layers] });
        const { code, stderr } = await runServed(own, ["vkcube", "--c", "1"], { DISPLAY: server.display });
        assertEquals([code, seen.length], [0, 1], stderr);
        return seen[0];
      };
      const plain = await shown(), passed = await shown(passing), small = await shown(passing, halved);
      assert(colourful(plain).count > 1000, `${colourful(plain).count} pixels`);
      assertEquals(passed, plain);
      const [whole, half] = [plain, small].map(colourful);
      for (const side of ["across", "down"] as const) {
        assert(Math.abs(whole[side] / half[side] - 2) < 0.1, `${side}: ${whole[side]}, then ${half[side]}`);
      }
    }),
);

Deno.test(
  "serveLayers(): vulkaninfo and threads are answered on SwiftShader as on lavapipe",
  { ignore: NEEDS_PROGRAMS.ignore || needs("SwiftShader", swiftshaderPath()).ignore },
  () =>
    withFolderAsync(async (folder) => {
      const manifest = driverManifest(folder, swiftshaderPath());
      const more = { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
      await using server = await serveLayers({ layers: [passing] });
      const listed = { ...more, VK_ADD_LAYER_PATH: server.folder }; // the list of layers is part of what is printed
      const plain = await new Deno.Command("vulkaninfo", { env: listed }).output();
      const served = await runServed(server, ["vulkaninfo"], more);
      assertEquals([served.code, served.stdout], [0, new TextDecoder().decode(plain.stdout)]);
      assertStringIncludes(served.stdout, "SwiftShader");
      assertEquals((await runServed(server, [APP!, "threads", "5"], more)).stdout, "500 buffers\n");
    }),
);
