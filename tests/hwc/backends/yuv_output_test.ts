/** YUV targets of every backend, beside double precision and beside ffmpeg's conversion. */
import { assert, assertEquals } from "@std/assert";
import { loadEgl } from "../../../egl/mod.ts";
import {
  createCpuBackend,
  createEglBackend,
  createThreadedBackend,
  createVulkanBackend as createGpuBackend,
} from "../../../hwc/backends/create.ts";
import { BLEND, DATASPACE, FORMAT, type Rect } from "../../../hwc/types.ts";
import { defineLayer, loadVulkan } from "../../../loader/mod.ts";
import { ffmpegPath, lavapipePath } from "../../../tools/setup/parts.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { layOut } from "../../../wsi/buffer/layout.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { drivers } from "../../egl/drivers.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { type Candidate, CANDIDATES, layerOf, memoryOf, picture, wordsOf } from "./canvas.ts";
import { CPU, noiseBuffer } from "./scene.ts";

/** A dataspace with its factors of red and blue in Y, its range, and where chroma samples lie from the first pixel. */
interface Space {
  readonly name: string;
  readonly dataspace: number;
  readonly kr: number;
  readonly kb: number;
  readonly isFull: boolean;
  readonly place: readonly [number, number];
  /** The words of ffmpeg's zscale for all of this. */
  readonly words: string;
}

const LEFT = [0, 0.5] as const, CENTER = [0.5, 0.5] as const, CORNER = [0, 0] as const;
const FULL = 1 << 27, LIMITED = 2 << 27, BT709 = 1 << 16, BT601 = 2 << 16, BT2020 = 6 << 16, SMPTE_170M = 3 << 22;

function space(
  name: string,
  bits: number,
  kr: number,
  kb: number,
  place: readonly [number, number],
  words: string,
): Space {
  const isFull = (bits & FULL) !== 0, range = isFull ? "full" : "limited";
  return { name, dataspace: bits | SMPTE_170M, kr, kb, isFull, place, words: `${words}:range=${range}` };
}

const SPACES = [
  space("BT.601, limited", BT601 | LIMITED, 0.299, 0.114, LEFT, "matrix=170m:chromal=left"),
  space("BT.601, full", BT601 | FULL, 0.299, 0.114, CENTER, "matrix=170m:chromal=center"),
  space("BT.709, limited", BT709 | LIMITED, 0.2126, 0.0722, LEFT, "matrix=709:chromal=left"),
  space("BT.709, full", BT709 | FULL, 0.2126, 0.0722, LEFT, "matrix=709:chromal=left"),
  space("BT.2020, limited", BT2020 | LIMITED, 0.2627, 0.0593, CORNER, "matrix=2020_ncl:chromal=topleft"),
  space("BT.2020, full", BT2020 | FULL, 0.2627, 0.0593, CORNER, "matrix=2020_ncl:chromal=topleft"),
];

const FORMATS = {
  NV12: FORMAT.IMPLEMENTATION_DEFINED,
  YCBCR_420_888: FORMAT.YCBCR_420_888,
  NV21: FORMAT.YCRCB_420_SP,
  YV12: FORMAT.YV12,
  P010: FORMAT.YCBCR_P010,
} as const;

function target(format: number, width: number, height: number): GraphicBuffer {
  const usage = format === FORMAT.IMPLEMENTATION_DEFINED ? USAGE.VIDEO_ENCODER : CPU;
  return allocateBuffer({ width, height, format, usage });
}

/** The samples of Y, then of Cb, then of Cr. */
function samplesOf(buffer: GraphicBuffer): number[] {
  const { width, height, pixelFormat } = buffer, isWide = pixelFormat.arrangement === "p010";
  const bytes = new Uint8Array(memoryOf(buffer).buffer);
  const { y, cb, cr, ystride, cstride, chromaStep } = layOut(pixelFormat, width, height).ycbcr!;
  const plane = (first: number, across: number, down: number, stride: number, step: number) =>
    Array.from({ length: across * down }, (_, n) => {
      const at = first + Math.floor(n / across) * stride + n % across * step;
      if (!isWide) return bytes[at];
      assertEquals(bytes[at] & 63, 0, "the lowest bits of 16 are not used");
      return (bytes[at] | bytes[at + 1] << 8) >> 6;
    });
  const [w, h] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const samples = [
    ...plane(y, width, height, ystride, isWide ? 2 : 1),
    ...plane(cb, w, h, cstride, chromaStep),
    ...plane(cr, w, h, cstride, chromaStep),
  ];
  return samples;
}

/** The same in double precision, not rounded; chroma by the overlap of a tent of two pixels, or a box between two. */
function exact(
  words: readonly number[],
  width: number,
  height: number,
  { kr, kb, isFull, place }: Space,
  bits: number,
): number[] {
  const unit = 2 ** (bits - 8),
    most = 2 ** bits - 1,
    color = (x: number, y: number) => {
      const word = words[Math.min(height - 1, Math.max(0, y)) * width + Math.min(width - 1, Math.max(0, x))];
      return [word & 255, word >> 8 & 255, word >> 16 & 255].map((c) => c / 255);
    };
  const lumaOf = ([r, g, b]: number[]) => kr * r + (1 - kr - kb) * g + kb * b;
  const weights = (at: number) => at === 0 ? [[-1, 0.25], [0, 0.5], [1, 0.25]] : [[0, 0.5], [1, 0.5]];
  const [luma, black, chroma] = isFull ? [most, 0, most] : [219 * unit, 16 * unit, 224 * unit];
  const found: number[] = [];
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) found.push(black + luma * lumaOf(color(x, y)));
  for (const channel of [2, 0]) {
    for (let j = 0; j < height; j += 2) {
      for (let i = 0; i < width; i += 2) {
        const mean = [0, 0, 0];
        for (const [dx, wx] of weights(place[0])) {
          for (const [dy, wy] of weights(place[1])) color(i + dx, j + dy).forEach((c, n) => mean[n] += wx * wy * c);
        }
        const k = channel === 2 ? kb : kr, value = (mean[channel] - lumaOf(mean)) / (2 * (1 - k));
        found.push(Math.min(most, 128 * unit + chroma * value));
      }
    }
  }
  return found;
}

const EGL: Candidate[] = drivers.map((driver) => ({
  name: `egl on ${driver.name}`,
  ...needs(driver.part, driver.found),
  create: () => {
    const egl = loadEgl({ driver: driver.open() }),
      backend = createEglBackend(egl, { specialise: false, layersAtOnce: 1 });
    const close = () => {
      backend.close();
      egl.close();
    };
    return { ...backend, close, [Symbol.dispose]: close };
  },
}));
const CPU_BACKEND: Candidate = { name: "cpu", ignore: false, create: createCpuBackend };
const THREADED: Candidate = {
  name: "ts on two threads",
  ignore: false,
  create: () => createThreadedBackend({ painter: "ts", leastPixels: 1 }),
};

for (const { name, ignore, create } of [...CANDIDATES, CPU_BACKEND, THREADED, ...EGL]) {
  Deno.test({
    name: `${name} writes YUV as double precision does, rounded`,
    ignore,
    fn() {
      using backend = create();
      for (const [kind, format] of Object.entries(FORMATS)) {
        const bits = kind === "P010" ? 10 : 8, isOdd = kind === "NV12" || kind === "YCBCR_420_888";
        const [width, height] = isOdd ? [19, 9] : [18, 10];
        using noise = noiseBuffer(FORMAT.RGBX_8888, width, height, 5), words = target(format, width, height);
        for (const each of SPACES) {
          const layer = layerOf(noise, { dataspace: each.dataspace & ~(7 << 27) | FULL });
          backend.compose(words, [layer], { dataspace: each.dataspace });
          const expected = exact(wordsOf(noise), width, height, each, bits);
          samplesOf(words).forEach((sample, n) => {
            const apart = Math.abs(sample - expected[n]);
            assert(apart <= 0.52, `${kind}, ${each.name}: sample ${n} is ${sample} instead of ${expected[n]}`);
          });
        }
      }
    },
  });

  Deno.test({
    name: `${name} writes a part of a YUV target as it writes all of it, and nothing else`,
    ignore,
    fn() {
      using backend = create(), before = noiseBuffer(FORMAT.RGBX_8888, 18, 10, 6);
      using below = noiseBuffer(FORMAT.RGBX_8888, 18, 10, 7), part = noiseBuffer(FORMAT.RGBX_8888, 5, 3, 8);
      for (const [kind, format] of Object.entries(FORMATS)) {
        using drawn = target(format, 18, 10), anew = target(format, 18, 10);
        for (const { dataspace } of [SPACES[0], SPACES[1], SPACES[4]]) {
          for (const [left, top] of [[0, 0], [4, 2], [5, 3], [13, 7]]) {
            const displayFrame: Rect = { left, top, right: left + 5, bottom: top + 3 };
            const now = [layerOf(below), layerOf(part, { displayFrame, z: 1 })];
            backend.compose(drawn, [layerOf(below)], { dataspace });
            backend.compose(drawn, now, { dataspace, damage: [displayFrame] });
            backend.compose(anew, now, { dataspace });
            assertEquals(samplesOf(drawn), samplesOf(anew), `${kind} at ${left}, ${top}`);
            const old = samplesOf(anew);
            backend.compose(anew, [layerOf(before)], { dataspace, damage: [] });
            assertEquals(samplesOf(anew), old, "no part");
          }
        }
      }
    },
  });
}

for (const hostImport of [true, false]) {
  Deno.test({
    name: `vulkan converts to YUV itself, as the processor does, ${hostImport ? "in place" : "in copies"}`,
    ...needs("Mesa lavapipe", lavapipePath()),
    fn() {
      let dispatches = 0;
      const counter = defineLayer({
        name: "VK_LAYER_TEST_dispatches",
        commands: { vkCmdDispatch: (next, ...args) => (dispatches++, next(...args)) },
      });
      using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [counter] });
      using ours = createGpuBackend(vulkan, { layersAtOnce: 1, hostImport }), theirs = createCpuBackend();
      using noise = noiseBuffer(FORMAT.RGBX_8888, 134, 70, 3);
      for (const format of Object.values(FORMATS)) {
        using a = target(format, 134, 70), b = target(format, 134, 70);
        for (const { dataspace } of SPACES) {
          const options = { dataspace, damage: [{ left: 3, top: 5, right: 131, bottom: 64 }] };
          dispatches = 0;
          ours.compose(a, [layerOf(noise)], options);
          assert(dispatches >= 3, "one for the picture, at least two for planes");
          theirs.compose(b, [layerOf(noise)], options);
          assertEquals(samplesOf(a), samplesOf(b));
        }
      }
    },
  });
}

Deno.test("layers in other colours are converted to those of a YUV target before they become YUV", () => {
  using backend = createCpuBackend(), buffer = target(FORMATS.NV12, 4, 2), red = picture(4, Array(8).fill(0xff0000ff));
  const dataspace = DATASPACE.DISPLAY_P3, to = BT709 | SMPTE_170M | LIMITED;
  using rgb = picture(4, Array(8).fill(0));
  const veil = { blend: BLEND.PREMULTIPLIED, planeAlpha: 0.5 };
  backend.compose(rgb, [layerOf(red, { dataspace, ...veil })], { dataspace: to & ~(7 << 27) | FULL });
  backend.compose(buffer, [layerOf(red, { dataspace, ...veil })], { dataspace: to });
  const expected = exact(wordsOf(rgb), 4, 2, SPACES[2], 8);
  samplesOf(buffer).forEach((sample, n) => assert(Math.abs(sample - expected[n]) <= 0.52));
});

/** The picture by ffmpeg's zscale, which is zimg. */
function byFfmpeg(
  folder: string,
  pixels: Uint8Array<ArrayBuffer>,
  size: string,
  words: string,
  format: string,
): number[] {
  Deno.writeFileSync(`${folder}/in.raw`, pixels);
  const input = ["-f", "rawvideo", "-pixel_format", "rgba", "-video_size", size, "-i", `${folder}/in.raw`];
  const filter = `format=gbrp,zscale=matrixin=gbr:rangein=full:${words}:filter=bilinear:dither=none,format=${format}`;
  const output = ["-vf", filter, "-f", "rawvideo", "-y", `${folder}/out.raw`];
  const { success, stderr } = new Deno.Command(ffmpegPath()!, { args: ["-v", "error", ...input, ...output] })
    .outputSync();
  assert(success, new TextDecoder().decode(stderr));
  const bytes = Deno.readFileSync(`${folder}/out.raw`);
  return format.endsWith("le") ? [...new Uint16Array(bytes.buffer)] : [...bytes];
}

Deno.test(
  "YUV of all standards, ranges and places of chroma is ffmpeg's",
  needs("ffmpeg", ffmpegPath()),
  () =>
    withFolder((folder) => {
      const width = 40, height = 24; // slopes, of which every filter keeps the means
      const ramp = Array.from({ length: width * height }, (_, n) => {
        const x = n % width, y = Math.floor(n / width);
        return (0xff000000 | (30 + 2 * x + 5 * y) << 16 | (220 - 4 * x - 2 * y) << 8 | 20 + 5 * x) >>> 0;
      });
      using backend = createCpuBackend(), from = picture(width, ramp);
      const pixels = new Uint8Array(new Uint32Array(ramp).buffer);
      for (const each of SPACES) {
        for (const [kind, format] of [["YV12", "yuv420p"], ["P010", "yuv420p10le"]] as const) {
          using to = target(FORMATS[kind], width, height);
          backend.compose(to, [layerOf(from)], { dataspace: each.dataspace });
          const ours = samplesOf(to), theirs = byFfmpeg(folder, pixels, `${width}x${height}`, each.words, format);
          const inner = ours.map((sample, n) => {
            const at = n - width * height, x = at % (width / 2), y = Math.floor(at / (width / 2)) % (height / 2);
            const isEdge = at >= 0 && (x < 2 || y < 2 || x > width / 2 - 3 || y > height / 2 - 3);
            return isEdge ? 0 : Math.abs(sample - theirs[n]); // filters differ at the edges
          });
          const mean = inner.reduce((sum, one) => sum + one, 0) / inner.length;
          const most = Math.max(...inner);
          assert(most <= 1 && mean < 0.05, `${kind}, ${each.name}: ${most} at most, ${mean} in the mean`);
        }
      }
    }),
);

Deno.test("memory around the rows of a YUV target stays as it is", () => {
  using backend = createCpuBackend(), noise = noiseBuffer(FORMAT.RGBX_8888, 18, 10, 9);
  for (const format of Object.values(FORMATS)) {
    using buffer = target(format, 18, 10), copy = target(format, 18, 10);
    const bytes = [buffer, copy].map((each) => new Uint8Array(memoryOf(each).buffer));
    bytes.forEach((each, n) => each.fill(n === 0 ? 0x11 : 0xee));
    for (const each of [buffer, copy]) backend.compose(each, [layerOf(noise)]);
    const written = bytes[0].filter((byte, n) => byte === bytes[1][n]).length;
    assertEquals(written, (18 * 10 + 2 * 9 * 5) * (format === FORMAT.YCBCR_P010 ? 2 : 1), "samples, and nothing else");
  }
});
