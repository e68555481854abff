import { assertEquals } from "@std/assert";
import { poke32 } from "../../../ffi/machine.ts";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";
import { VK_FORMAT_B8G8R8A8_UNORM, VK_SUCCESS } from "../../../loader/vk.ts";
import halved from "../../../examples/half_viewport.ts";
import { CACHE, CHROMIUM_FOLDER, SWIFTSHADER_FOLDER, systemLoaderPath } from "../../../tools/setup/parts.ts";
import { Browser } from "../../support/browser.ts";
import { needs } from "../../support/require.ts";
import { NEEDS_PROGRAMS } from "./programs.ts";
import { passing } from "./screen.ts";

const PARTS = [`${CHROMIUM_FOLDER}/chromium`, `${SWIFTSHADER_FOLDER}/libGLESv2.so`, systemLoaderPath()];
const NEEDS_CHROMIUM = needs(
  "Chromium with ANGLE, and the Vulkan loader",
  PARTS.every((path) => path && isThere(path)),
);
/** Draws by Vulkan, in a process of its own that may open the layers' file. */
const DRAWING = ["--use-gl=angle", "--use-angle=vulkan", "--ignore-gpu-blocklist", "--disable-gpu-sandbox"];

/** Draws a triangle as large as the canvas, and returns the pixels. */
const DRAW = `(() => {
  const gl = Object.assign(document.createElement("canvas"), { width: 64, height: 64 }).getContext("webgl");
  if (!gl) return "no WebGL";
  const program = gl.createProgram();
  const add = (type, source) => {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  };
  add(gl.VERTEX_SHADER, "attribute vec2 at; void main() { gl_Position = vec4(at, 0., 1.); }");
  add(gl.FRAGMENT_SHADER, "void main() { gl_FragColor = vec4(.2, .4, .6, 1.); }");
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  const pixels = new Uint32Array(64 * 64);
  gl.readPixels(0, 0, 64, 64, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.buffer));
  const counts = {};
  for (const pixel of pixels) counts[pixel.toString(16)] = (counts[pixel.toString(16)] ?? 0) + 1;
  return JSON.stringify(counts);
})()`;
/** The pixels that {@linkcode DRAW} draws, as text: alpha, blue, green and red of all. */
const COLOUR = "ff996633", PIXELS = 64 * 64;

/**
 * Tells Chromium which formats surfaces have. Chromium asks without a surface,
 * as VK_GOOGLE_surfaceless_query of the driver allows, and Debian's loader
 * 1.3.239 reads from address 0 then.
 */
const answering = defineLayer({
  name: "VK_LAYER_TEST_answering",
  commands: {
    vkGetPhysicalDeviceSurfaceFormats2KHR(next, gpu, pInfo, pCount, pFormats) {
      if (this.read("VkPhysicalDeviceSurfaceInfo2KHR", pInfo).surface !== 0n) return next(gpu, pInfo, pCount, pFormats);
      poke32(pCount, 1);
      if (pFormats !== 0n) poke32(pFormats + 16n, VK_FORMAT_B8G8R8A8_UNORM);
      return VK_SUCCESS;
    },
  },
});

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Puts Chromium beside ANGLE and the system's Vulkan loader, where Chromium looks for both, for as long as `use` takes. */
async function withChromium(use: (path: string) => Promise<void>): Promise<void> {
  const folder = Deno.makeTempDirSync({ dir: CACHE }), [chromium, gles, loader] = PARTS as string[];
  try {
    try {
      Deno.linkSync(Deno.realPathSync(chromium), `${folder}/chromium`);
    } catch {
      Deno.copyFileSync(chromium, `${folder}/chromium`); // another file system
    }
    for (const name of ["lib", "locales", "fonts", "fonts.conf"]) {
      Deno.symlinkSync(`${CHROMIUM_FOLDER}/${name}`, `${folder}/${name}`);
    }
    Deno.symlinkSync(gles, `${folder}/libGLESv2.so`);
    Deno.symlinkSync(gles.replace("libGLESv2", "libEGL"), `${folder}/libEGL.so`);
    Deno.symlinkSync(loader, `${folder}/libvulkan.so.1`);
    await use(`${folder}/chromium`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test(
  "serveLayers(): Chromium's GPU process draws under layers, the same with one that passes on, less with one that halves",
  { ignore: NEEDS_PROGRAMS.ignore || NEEDS_CHROMIUM.ignore },
  () =>
    withChromium(async (path) => {
      const drawn = async (...layers: Layer[]) => {
        await using server = await serveLayers({ layers: [...layers, answering], timeout: Infinity });
        const driver = `${SWIFTSHADER_FOLDER}/vk_swiftshader_icd.json`;
        const env = server.environment({ VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver, NODEVICE_SELECT: "1" });
        await using browser = await Browser.start({ path, drawing: DRAWING, env });
        const counts = await (await browser.open("about:blank")).evaluate<string>(DRAW);
        assertEquals(server.connected > 0, true, "no process of Chromium connected");
        return JSON.parse(counts);
      };
      assertEquals(await drawn(), { [COLOUR]: PIXELS });
      assertEquals(await drawn(passing), { [COLOUR]: PIXELS });
      assertEquals(await drawn(halved), { [COLOUR]: PIXELS / 4, 0: 3 * PIXELS / 4 });
    }),
);
