import { assert, assertEquals } from "@std/assert";
import { DISPLAY_TYPE } from "../../../../hwc/device_types.ts";
import { BLEND, COMPOSITION, DATASPACE, ERROR, FORMAT, TRANSFORM } from "../../../../hwc/types.ts";
import { createReferenceBackend } from "../../../../hwc/backends/create.ts";
import { DEFAULT_DEVICE } from "../device_options.ts";
import { assertSignals, type Case, type Cases, NO_DISPLAY, NO_FENCE, type Stage } from "../stage.ts";
import { expectedPixels, type Pixels, type TestLayer } from "./virtual_pixels.ts";

const SIZES = [
  [320, 240],
  [640, 480],
  [800, 600],
  [1024, 768],
  [1280, 720],
  [1366, 768],
  [1600, 900],
  [1920, 1080],
  [2560, 1440],
  [4096, 2160],
];
const WIDTH = 48, HEIGHT = 40;

async function newDisplay(stage: Stage, width = WIDTH, height = HEIGHT): Promise<bigint> {
  return (await stage.composer.createVirtualDisplay(width, height, FORMAT.RGBA_8888)).display;
}

/** Numbers that look random and are the same every time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = state * 1103515245 + 12345 & 0x7fffffff) >>> 8;
}

function randomPixels(next: () => number, width: number, height: number): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < data.length; at++) data[at] = at % 4 === 3 ? 255 : next() & 255;
  return { width, height, data };
}

function randomLayer(next: () => number): TestLayer {
  const transform = [TRANSFORM.NONE, TRANSFORM.FLIP_H, TRANSFORM.FLIP_V, TRANSFORM.ROT_90][next() % 4];
  const width = 1 + next() % WIDTH, height = 1 + next() % HEIGHT;
  const place = { left: next() % (WIDTH - width + 1), top: next() % (HEIGHT - height + 1), width, height };
  if (next() % 5 === 0) {
    const [r, g, b] = [next() & 255, next() & 255, next() & 255];
    return { ...place, color: { r, g, b, a: 255 }, blend: BLEND.NONE, alpha: 1, transform: 0 };
  }
  const blend = [BLEND.NONE, BLEND.PREMULTIPLIED, BLEND.COVERAGE][next() % 3];
  const alpha = blend === BLEND.NONE ? 1 : [1, 0.75, 0.5, 0.25][next() % 4];
  const turned = transform === TRANSFORM.ROT_90;
  return {
    ...place,
    transform,
    blend,
    alpha,
    pixels: randomPixels(next, turned ? height : width, turned ? width : height),
  };
}

async function addLayer(stage: Stage, display: bigint, layer: TestLayer, z: number): Promise<void> {
  const { composer } = stage,
    id = await composer.createLayer(display),
    { left, top, width, height, color, pixels } = layer;
  await composer.setLayerZOrder(display, id, z);
  await composer.setLayerBlendMode(display, id, layer.blend);
  await composer.setLayerPlaneAlpha(display, id, layer.alpha);
  await composer.setLayerTransform(display, id, layer.transform);
  const frame = { left, top, right: left + width, bottom: top + height };
  const crop = { left: 0, top: 0, right: pixels?.width ?? 0, bottom: pixels?.height ?? 0 };
  await stage.place(id, crop, frame, display);
  await composer.setLayerCompositionType(display, id, color ? COMPOSITION.SOLID_COLOR : COMPOSITION.DEVICE);
  if (color) return await composer.setLayerColor(display, id, color);
  const buffer = stage.allocate(pixels!.width, pixels!.height), bytes = buffer.lock();
  for (let y = 0; y < buffer.height; y++) {
    bytes.set(pixels!.data.subarray(y * buffer.width * 4, (y + 1) * buffer.width * 4), y * buffer.rowPitch);
  }
  buffer.unlock();
  await composer.setLayerBuffer(display, id, buffer, NO_FENCE);
}

/** Frames of so many layers whose pixels have to be those of Hwc2Test's arithmetic, all of them. */
function pixelCase(count: number, frames: number): Case {
  const backend = createReferenceBackend();
  return {
    options: {
      ...DEFAULT_DEVICE,
      compositor: (target, layers, settings) => backend.compose(target, layers, { ...settings, rule: "hwc2trunc" }),
    },
    async run(stage) {
      const { composer } = stage, next = numbers(count * 977);
      for (let turn = 0; turn < frames; turn++) {
        const display = await newDisplay(stage), output = stage.allocate(WIDTH, HEIGHT);
        const layers = Array.from({ length: count }, () => randomLayer(next));
        for (const [z, layer] of layers.entries()) await addLayer(stage, display, layer, z);
        await composer.setOutputBuffer(display, output, NO_FENCE);
        const { numTypes } = await composer.validateDisplay(display);
        assertEquals(numTypes, 0, "the device composes all of it: a frame of the client's would prove nothing");
        await assertSignals(stage, await composer.presentDisplay(display));
        assertEquals(pixelsOf(output), expectedPixels(WIDTH, HEIGHT, layers));
        await composer.destroyVirtualDisplay(display);
      }
    },
  };
}

function pixelsOf(
  buffer: { width: number; height: number; rowPitch: number; lock(): Uint8Array; unlock(): void },
): Uint8Array {
  const rows = new Uint8Array(buffer.width * buffer.height * 4), bytes = buffer.lock(), pitch = buffer.width * 4;
  for (let y = 0; y < buffer.height; y++) {
    rows.set(bytes.subarray(y * buffer.rowPitch, y * buffer.rowPitch + pitch), y * pitch);
  }
  buffer.unlock();
  return rows;
}

/** Displays that write to buffers. */
export const virtualCases: Cases = {
  async CREATE_DESTROY_VIRTUAL_DISPLAY(stage) {
    const { composer } = stage;
    for (const [width, height] of SIZES) {
      const display = await newDisplay(stage, width, height);
      assertEquals(await composer.getDisplayType(display), DISPLAY_TYPE.VIRTUAL);
      await composer.setPowerMode(display, 2);
      await stage.setVsync(true, display);
      assertEquals((await stage.screen(display)).right, width);
      await composer.destroyVirtualDisplay(display);
      await stage.fails(ERROR.BAD_DISPLAY, () => composer.getDisplayType(display));
    }
    await stage.subject.pass(100_000_000n);
    assertEquals(stage.vsyncs, [], "a virtual display has no vsyncs");
    await stage.fails(ERROR.UNSUPPORTED, () => composer.createVirtualDisplay(5000, 100, FORMAT.RGBA_8888));
  },

  async CREATE_DESTROY_VIRTUAL_DISPLAY_multiple(stage) {
    const displays = [await newDisplay(stage), await newDisplay(stage), await newDisplay(stage, 320, 240)];
    assertEquals(new Set(displays).size, 3);
    for (const display of displays) await stage.composer.destroyVirtualDisplay(display);
  },

  DESTROY_VIRTUAL_DISPLAY_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.destroyVirtualDisplay(NO_DISPLAY)),

  async DESTROY_VIRTUAL_DISPLAY_bad_parameter(stage) {
    for (const display of stage.displays) {
      await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.destroyVirtualDisplay(display));
    }
  },

  async GET_MAX_VIRTUAL_DISPLAY_COUNT({ composer }) {
    assert(await composer.getMaxVirtualDisplayCount() > 0);
  },

  async GET_MAX_VIRTUAL_DISPLAY_COUNT_duplicate({ composer }) {
    assertEquals(await composer.getMaxVirtualDisplayCount(), await composer.getMaxVirtualDisplayCount());
  },

  async GET_MAX_VIRTUAL_DISPLAY_COUNT_create_max(stage) {
    const displays = [], most = await stage.composer.getMaxVirtualDisplayCount();
    for (let count = 0; count < most; count++) displays.push(await newDisplay(stage));
    await stage.fails(ERROR.NO_RESOURCES, () => newDisplay(stage));
    for (const display of displays) await stage.composer.destroyVirtualDisplay(display);
  },

  async SET_OUTPUT_BUFFER(stage) {
    const display = await newDisplay(stage);
    await stage.composer.setOutputBuffer(display, stage.allocate(WIDTH, HEIGHT), NO_FENCE);
    await stage.composer.destroyVirtualDisplay(display);
  },

  SET_OUTPUT_BUFFER_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.setOutputBuffer(NO_DISPLAY, stage.allocate(8, 8), NO_FENCE)),

  async SET_OUTPUT_BUFFER_bad_parameter(stage) {
    const display = await newDisplay(stage);
    await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setOutputBuffer(display, null, NO_FENCE));
  },

  async SET_OUTPUT_BUFFER_unsupported(stage) {
    for (const display of stage.displays) {
      const buffer = stage.allocate(8, 8);
      await stage.fails(ERROR.UNSUPPORTED, () => stage.composer.setOutputBuffer(display, buffer, NO_FENCE));
    }
  },

  PRESENT_VIRTUAL_DISPLAY_default_1: pixelCase(1, 6),
  PRESENT_VIRTUAL_DISPLAY_default_2: pixelCase(2, 6),
  PRESENT_VIRTUAL_DISPLAY_default_3: pixelCase(3, 6),
  PRESENT_VIRTUAL_DISPLAY_default_4: pixelCase(4, 6),
  PRESENT_VIRTUAL_DISPLAY_default_5: pixelCase(5, 6),

  /** The client composes all of it: the output is its target, bit by bit. */
  async PRESENT_VIRTUAL_DISPLAY_basic_1(stage) {
    const { composer } = stage, display = await newDisplay(stage), next = numbers(3);
    const target = stage.allocate(WIDTH, HEIGHT), output = stage.allocate(WIDTH, HEIGHT);
    const bytes = target.lock();
    for (let at = 0; at < bytes.length; at++) bytes[at] = at % 4 === 3 ? 255 : next() & 255;
    target.unlock();
    const layer = await stage.fullLayer(display, COMPOSITION.CLIENT);
    await stage.fails(ERROR.NO_RESOURCES, () => composer.presentDisplay(display));
    await composer.setOutputBuffer(display, output, NO_FENCE);
    assertEquals((await composer.validateDisplay(display)).numTypes, 0);
    await composer.setClientTarget(display, target, NO_FENCE, DATASPACE.UNKNOWN, []);
    await assertSignals(stage, await composer.presentDisplay(display));
    assertEquals(pixelsOf(output), pixelsOf(target));
    await composer.destroyLayer(display, layer);
  },
};
