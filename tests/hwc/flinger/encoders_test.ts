/** Virtual displays whose consumers want YUV: what they get from the composer, and what an encoder makes of it. */
import { assert, assertEquals } from "@std/assert";
import { blitterPlane } from "../../../hwc/planes/models.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { BLEND, COMPOSITION, FORMAT } from "../../../hwc/types.ts";
import { ffmpegPath } from "../../../tools/setup/parts.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { layOut } from "../../../wsi/buffer/layout.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { memoryOf } from "../backends/canvas.ts";
import { BLUE, draw, GREEN, onStage, RED, type Stage } from "./stage.ts";

const WIDTH = 64, HEIGHT = 48;
const CPU = USAGE.CPU_READ_OFTEN, ENCODER = USAGE.VIDEO_ENCODER;

/** A frame as its consumer got it: the samples without padding, Y, then Cb and Cr as they lie. */
interface Seen {
  readonly format: number;
  readonly arrangement: string;
  readonly dataspace: number;
  readonly bytes: Uint8Array;
}

function consumer(seen: Seen[], usage: bigint, defaultFormat: number): NativeWindow {
  const onFrame = (source: NativeWindow["frames"]) => {
    const frame = source.acquire();
    if (!frame) return;
    const { buffer, dataspace } = frame, { format, pixelFormat: { arrangement } } = buffer;
    assert(frame.fence.wait(1000));
    seen.push({ format, arrangement, dataspace, bytes: packed(buffer) });
    frame.release();
  };
  return new NativeWindow({ width: WIDTH, height: HEIGHT, defaultFormat, consumer: { usage, attach() {}, onFrame } });
}

function packed(buffer: GraphicBuffer): Uint8Array {
  const { planes } = layOut(buffer.pixelFormat, buffer.width, buffer.height), memory = memoryOf(buffer);
  return new Uint8Array(
    planes.flatMap(({ offset, rowPitch, rowBytes, rows }) =>
      Array.from({ length: rows }, (_, y) => [...new Uint8Array(memory.buffer, offset + y * rowPitch, rowBytes)]).flat()
    ),
  );
}

/** Red at the left, green at the right, and a strip of half blue over both. */
function scene(stage: Stage): void {
  stage.layer("left", [32, 48], RED);
  stage.layer("right", [32, 48], GREEN, { position: { x: 32, y: 0 } });
  stage.layer("strip", [64, 16], [0, 0, 128, 128], { z: 1, position: { x: 0, y: 32 } });
}

/** Points in the middle of the areas, and their colours. */
const COLORS: readonly (readonly [x: number, y: number, color: readonly number[]])[] = [
  [16, 16, [255, 0, 0]],
  [48, 16, [0, 255, 0]],
  [16, 40, [127, 0, 128]],
  [48, 40, [0, 127, 128]],
];

/** The samples of a colour in BT.601 of limited range, by its definition. */
function bt601([r, g, b]: readonly number[]): number[] {
  const y = (0.299 * r + 0.587 * g + 0.114 * b) / 255;
  return [16 + 219 * y, 128 + 224 * (b / 255 - y) / 1.772, 128 + 224 * (r / 255 - y) / 1.402];
}

/** The samples at a point of a frame. */
function samplesAt({ bytes, arrangement }: Seen, x: number, y: number): number[] {
  const chroma = WIDTH * HEIGHT, half = WIDTH / 2, row = y >> 1, column = x >> 1, quarter = half * HEIGHT / 2;
  if (arrangement === "p010") {
    const halves = new Uint16Array(bytes.slice().buffer), pair = chroma + row * WIDTH + 2 * column;
    return [halves[y * WIDTH + x], halves[pair], halves[pair + 1]].map((word) => (word >> 6) / 4);
  }
  const at = arrangement === "nv12" ? chroma + row * WIDTH + 2 * column : chroma + row * half + column;
  const [cb, cr] = arrangement === "nv12" ? [at, at + 1] : [at + quarter, at]; // YV12: Cr first
  return [bytes[y * WIDTH + x], bytes[cb], bytes[cr]];
}

function assertColors(seen: Seen): void {
  for (const [x, y, color] of COLORS) {
    const samples = samplesAt(seen, x, y), expected = bt601(color);
    const apart = Math.max(...samples.map((sample, n) => Math.abs(sample - expected[n])));
    assert(apart < 1.1, `${samples} at ${x}, ${y} instead of ${expected}`);
  }
}

/** Planes for opaque layers, and one that blends: all other blending is left to the client. */
const OPAQUE_PLANES = {
  name: "opaque",
  planes: ["left", "right", "above"].map((name, tier) => ({
    name,
    tier,
    formats: [FORMAT.RGBA_8888],
    planeAlpha: false,
    blends: name === "above" ? [BLEND.PREMULTIPLIED] : [BLEND.NONE],
  })),
};

const panels = [{ modes: [{ width: WIDTH, height: HEIGHT, refreshRate: 60 }] }];

for (
  const [what, usage, wanted, copiesByHwc, force, mode, arrangement] of [
    ["an encoder's frame by the composer alone", ENCODER, FORMAT.RGBA_8888, false, "none", "HWC", "nv12"],
    ["an encoder's frame by client and composer", ENCODER, FORMAT.RGBA_8888, false, "some", "MIXED", "nv12"],
    ["an encoder's frame by the client, copied", ENCODER, FORMAT.RGBA_8888, true, "all", "MIXED", "nv12"],
    ["a CPU's frame in its format, YV12", CPU, FORMAT.YV12, false, "none", "HWC", "yv12"],
    ["a CPU's frame in its format, P010", CPU, FORMAT.YCBCR_P010, false, "some", "MIXED", "p010"],
    ["a CPU's frame beside an encoder's", CPU | ENCODER, FORMAT.YV12, false, "none", "HWC", "yv12"],
  ] as const
) {
  Deno.test(
    `S35 S37 S38 S40 ${what} is YUV of the right colours`,
    onStage((stage) => {
      const seen: Seen[] = [];
      using window = consumer(seen, usage, wanted);
      stage.flinger.createVirtualDisplay({ window, name: "encoder", copiesByHwc });
      scene(stage);
      if (force === "some") {
        stage.flinger.layers.slice(0, 2).forEach((layer) => layer.set({ blend: BLEND.NONE }));
        stage.flinger.layers[2].set({ alpha: 0.999 }); // per-plane alpha is not for these planes
      }
      if (force === "all") stage.flinger.setForceClient(true);
      stage.vsyncs(3);
      assertEquals(stage.said, []);
      const last = seen.at(-1)!, { mode: found, failed, handle } = stage.flinger.displays[1];
      assertEquals([last.arrangement, failed, handle !== undefined], [arrangement, 0, true]);
      assertEquals(found, mode);
      assertColors(last);
      stage.flinger.close();
    }, { panels, ...force === "some" ? { virtualDisplays: { planes: OPAQUE_PLANES } } : {} }),
  );
}

Deno.test(
  "S39 an encoder's frame by the client alone has the renderer's format",
  onStage((stage) => {
    const seen: Seen[] = [];
    using window = consumer(seen, ENCODER, FORMAT.RGBA_8888);
    stage.flinger.createVirtualDisplay({ window });
    scene(stage);
    stage.vsyncs(3);
    assertEquals([stage.flinger.displays[1].mode, seen.at(-1)!.arrangement], ["GLES", "packed"]);
    assertEquals(stage.flinger.displays[0].layers.every(({ composition }) => composition === COMPOSITION.CLIENT), true);
    stage.flinger.close();
  }, { panels, strategy: clientOnly(), virtualDisplays: { planes: blitterPlane() } }),
);

Deno.test(
  "a virtual display's colour transform reaches YUV, and formats that are not of four bytes",
  onStage((stage) => {
    const seen: Seen[] = [], inverted = [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 1, 1, 1, 1];
    using window = consumer(seen, ENCODER, FORMAT.RGBA_8888);
    stage.flinger.createVirtualDisplay({ window, copiesByHwc: true });
    stage.layer("all", [WIDTH, HEIGHT], BLUE);
    stage.vsyncs(2);
    stage.composer.setColorTransform(stage.handle(1), inverted, 1);
    draw(stage.flinger.layers[0].window!, BLUE);
    stage.flinger.layers[0].set({ alpha: 1 });
    stage.vsyncs(3);
    const samples = samplesAt(seen.at(-1)!, 16, 16), expected = bt601([255, 255, 0]);
    assert(samples.every((sample, n) => Math.abs(sample - expected[n]) < 1.1), `${samples} instead of ${expected}`);
    stage.flinger.close();
  }, { panels, virtualDisplays: {} }),
);

/** Runs ffmpeg with arguments. */
function ffmpeg(...args: string[]): void {
  const { success, stderr } = new Deno.Command(ffmpegPath()!, { args: ["-v", "error", "-y", ...args] }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

Deno.test(
  "libx264 gets YCbCr from the composer, and its film has the layers' colours",
  needs("ffmpeg", ffmpegPath()),
  () =>
    withFolder((folder) =>
      onStage((stage) => {
        const seen: Seen[] = [];
        using window = consumer(seen, ENCODER, FORMAT.RGBA_8888);
        stage.flinger.createVirtualDisplay({ window, name: "film" });
        scene(stage);
        stage.vsyncs(3);
        for (const color of [BLUE, RED]) { // frames that move
          draw(stage.flinger.layers[0].window!, color);
          stage.vsyncs(2);
        }
        assert(seen.length >= 3, `${seen.length} frames`);
        const raw = `${folder}/film.nv12`, film = `${folder}/film.mp4`, back = `${folder}/film.rgb`;
        const frames = seen.map(({ bytes }) => bytes);
        Deno.writeFileSync(raw, new Uint8Array(frames.flatMap((frame) => [...frame])));
        const size = `${WIDTH}x${HEIGHT}`, tags = ["-colorspace", "smpte170m", "-color_range", "tv"];
        const input = ["-f", "rawvideo", "-pixel_format", "nv12", "-video_size", size, "-framerate", "60", "-i", raw];
        ffmpeg(...input, "-c:v", "libx264", "-qp", "0", "-pix_fmt", "yuv420p", ...tags, film);
        ffmpeg(
          "-i",
          film,
          "-vf",
          "scale=in_color_matrix=smpte170m:in_range=tv",
          "-f",
          "rawvideo",
          "-pix_fmt",
          "rgb24",
          back,
        );
        const rgb = Deno.readFileSync(back), last = rgb.subarray(rgb.length - 3 * WIDTH * HEIGHT);
        assertEquals(rgb.length, seen.length * 3 * WIDTH * HEIGHT);
        for (const [x, y, color] of COLORS) {
          const found = [...last.subarray(3 * (y * WIDTH + x), 3 * (y * WIDTH + x) + 3)];
          assert(
            found.every((level, n) => Math.abs(level - color[n]) <= 3),
            `${found} at ${x}, ${y} instead of ${color}`,
          );
        }
        stage.flinger.close();
      }, { panels })()
    ),
);
