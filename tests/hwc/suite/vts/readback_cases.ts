/**
 * VTS's readback cases: what a display shows is copied into a buffer and has to
 * be exact, in every colour mode that can be compared. A change of composition
 * that is not wanted fails a case instead of passing it.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { COLOR_MODE } from "../../../../hwc/device_types.ts";
import { fourPlane } from "../../../../hwc/planes/models.ts";
import { BLEND, type Color, COMPOSITION, DATASPACE, FORMAT, type Rect, TRANSFORM } from "../../../../hwc/types.ts";
import type { GraphicBuffer } from "../../../../wsi/buffer/graphic_buffer.ts";
import { DEFAULT_DEVICE } from "../device_options.ts";
import { assertSignals, type Case, type Cases, NO_FENCE, type Stage } from "../stage.ts";

type Rgb = readonly [number, number, number];
type Picture = (x: number, y: number) => Rgb;

const RED: Rgb = [255, 0, 0], GREEN: Rgb = [0, 255, 0], BLUE: Rgb = [0, 0, 255], BLACK: Rgb = [0, 0, 0];
const WIDTH = 96, HEIGHT = 64;
const ALL: Rect = { left: 0, top: 0, right: WIDTH, bottom: HEIGHT };
const UPPER: Rect = { ...ALL, bottom: HEIGHT / 2 }, LOWER: Rect = { ...ALL, top: HEIGHT / 2 };
/** The colour modes whose readback can be compared, with their dataspaces. */
const COMPARED: readonly (readonly [number, number])[] = [
  [COLOR_MODE.SRGB, DATASPACE.V0_SRGB],
  [COLOR_MODE.DISPLAY_P3, DATASPACE.DISPLAY_P3],
];
/** The mode of a display that has none of them: colours are as they are. */
const NATIVE: readonly [number, number] = [COLOR_MODE.NATIVE, DATASPACE.V0_SRGB];

/** The parts of a frame of a scene. */
class Scene {
  readonly stage: Stage;
  readonly dataspace: number;

  constructor(stage: Stage, dataspace: number) {
    this.stage = stage;
    this.dataspace = dataspace;
  }

  /** A new layer at a place; its buffer's size is that of the place. */
  async layer(type: number, frame: Rect, more: { z?: number; blend?: number; crop?: Rect } = {}): Promise<bigint> {
    const { composer, display } = this.stage, layer = await composer.createLayer(display);
    const crop = { left: 0, top: 0, right: frame.right - frame.left, bottom: frame.bottom - frame.top };
    await composer.setLayerCompositionType(display, layer, type);
    await composer.setLayerBlendMode(display, layer, more.blend ?? BLEND.NONE);
    await composer.setLayerDataspace(display, layer, this.dataspace);
    await composer.setLayerZOrder(display, layer, more.z ?? 10);
    await this.stage.place(layer, more.crop ?? crop, frame);
    return layer;
  }

  /** A layer of one colour. */
  async solid([r, g, b]: Rgb, frame: Rect = ALL, z = 10): Promise<bigint> {
    const layer = await this.layer(COMPOSITION.SOLID_COLOR, frame, { z });
    await this.stage.composer.setLayerColor(this.stage.display, layer, { r, g, b, a: 255 });
    return layer;
  }

  /** Gives a layer a buffer with a picture. */
  async show(layer: bigint, width: number, height: number, picture: Picture, alpha = 255): Promise<GraphicBuffer> {
    const buffer = paint(this.stage.allocate(width, height), picture, alpha);
    await this.stage.composer.setLayerBuffer(this.stage.display, layer, buffer, NO_FENCE);
    return buffer;
  }

  /** One frame, read back; `changes`: how many layers the device wants the client to compose. */
  async shows(picture: Picture, changes = 0): Promise<void> {
    const { composer, display } = this.stage, into = await this.stage.allocateScreen();
    await composer.setReadbackBuffer(display, into, NO_FENCE);
    const { numTypes } = await composer.validateDisplay(display);
    assertEquals(numTypes, changes, "changes of composition");
    if (changes > 0) await composer.acceptDisplayChanges(display);
    (await composer.presentDisplay(display)).close();
    await assertSignals(this.stage, await composer.getReadbackBufferFence(display));
    assertPicture(into, picture);
  }

  /** Gives the client target, with a picture at a place. */
  async client(picture: Picture, where: Rect): Promise<void> {
    const target = paint(await this.stage.allocateScreen(), picture, 255, where);
    await this.stage.composer.setClientTarget(this.stage.display, target, NO_FENCE, this.dataspace, []);
  }
}

function paint(buffer: GraphicBuffer, picture: Picture, alpha: number, where = ALL): GraphicBuffer {
  const bytes = buffer.lock();
  for (let y = where.top; y < Math.min(where.bottom, buffer.height); y++) {
    for (let x = where.left; x < Math.min(where.right, buffer.width); x++) {
      bytes.set([...picture(x, y), alpha], y * buffer.rowPitch + 4 * x);
    }
  }
  buffer.unlock();
  return buffer;
}

/** Compares the part of the screen in which the scenes are. */
function assertPicture(buffer: GraphicBuffer, picture: Picture): void {
  const bytes = buffer.lock(), wrong: string[] = [];
  for (let y = ALL.top; y < ALL.bottom; y++) {
    for (let x = ALL.left; x < ALL.right; x++) {
      const at = y * buffer.rowPitch + 4 * x, wanted = picture(x, y);
      if (wanted.every((value, channel) => bytes[at + channel] === value) || wrong.length >= 3) continue;
      wrong.push(`${x}, ${y}: ${bytes.subarray(at, at + 3)} instead of ${wanted}`);
    }
  }
  buffer.unlock();
  assertEquals(wrong, []);
}

/** The colour modes of a display that can be compared. */
async function comparedModes({ composer, display }: Stage): Promise<readonly (typeof NATIVE)[]> {
  const modes = await composer.getColorModes(display), compared = COMPARED.filter(([mode]) => modes.includes(mode));
  return compared.length > 0 ? compared : [NATIVE];
}

/** In every colour mode that can be compared, on an empty display. */
function scene(run: (scene: Scene) => Promise<void>, planes = DEFAULT_DEVICE.planes): Case {
  return {
    options: { ...DEFAULT_DEVICE, planes },
    async run(stage) {
      const { composer, display } = stage;
      await stage.powerOn();
      for (const [mode, dataspace] of await comparedModes(stage)) {
        await composer.setColorMode(display, mode);
        const attributes = await composer.getReadbackBufferAttributes(display);
        assertEquals(attributes, { format: FORMAT.RGBA_8888, dataspace });
        const layers: bigint[] = [], made = new Scene(stage, dataspace), create = made.layer.bind(made);
        made.layer = async (...args) => {
          const layer = await create(...args);
          layers.push(layer);
          return layer;
        };
        await run(made);
        for (const layer of layers) await composer.destroyLayer(display, layer);
      }
    },
  };
}

function inRect({ left, top, right, bottom }: Rect, x: number, y: number): boolean {
  return x >= left && y >= top && x < right && y < bottom;
}

const bands: Picture = (_, y) => [RED, GREEN, BLUE][Math.min(2, Math.floor(y * 3 / HEIGHT))];
const quarters: Picture = (x, y) => y < HEIGHT / 2 ? (x < WIDTH / 2 ? RED : GREEN) : (x < WIDTH / 2 ? BLUE : [9, 8, 7]);

function transformed(transform: number, expected: Picture): Case {
  return scene(async (scene) => {
    const layer = await scene.layer(COMPOSITION.DEVICE, ALL);
    await scene.stage.composer.setLayerTransform(scene.stage.display, layer, transform);
    await scene.show(layer, WIDTH, HEIGHT, quarters);
    await scene.shows(expected);
  });
}

const BACKGROUND: Color = { r: 0.2, g: 0.4, b: 0.6, a: 1 };
const OVER: readonly Rgb[] = [[51, 0, 40], [102, 51, 0]];
const OVER_ALPHA = 102;

/** A translucent layer, of opacity .2 and 1, over a colour: the upper half has it, the lower has not. */
function blended(
  blend: number,
  alphas: readonly number[],
  mix: (s: number, a: number, p: number, d: number) => number,
): Case {
  return scene(async (scene) => {
    const { composer, display } = scene.stage;
    await scene.solid([51, 102, 153], ALL, 1);
    const layer = await scene.layer(COMPOSITION.DEVICE, UPPER, { z: 2, blend });
    await scene.show(layer, WIDTH, HEIGHT / 2, (x) => OVER[x % 2], OVER_ALPHA);
    for (const alpha of alphas) {
      await composer.setLayerPlaneAlpha(display, layer, alpha);
      const below = [BACKGROUND.r, BACKGROUND.g, BACKGROUND.b];
      await scene.shows((x, y) => {
        const pixel = OVER[x % 2].map((value, channel) => {
          const source = value / 255, under = below[channel];
          return Math.round(255 * (y < HEIGHT / 2 ? mix(source, OVER_ALPHA / 255, alpha, under) : under));
        });
        return pixel as unknown as Rgb;
      });
    }
  });
}

/** The 15 cases of HIDL 2.2 and of composer3, by their names. */
export const readbackCases: Cases = {
  SingleSolidColorLayer: scene(async (scene) => {
    await scene.solid(BLUE);
    await scene.shows(() => BLUE);
  }),

  SetLayerBuffer: scene(async (scene) => {
    const layer = await scene.layer(COMPOSITION.DEVICE, ALL);
    await scene.show(layer, WIDTH, HEIGHT, bands);
    await scene.shows(bands);
  }),

  SetLayerBufferNoEffect: scene(async (scene) => {
    const layer = await scene.solid(BLUE);
    await scene.show(layer, WIDTH, HEIGHT, () => RED);
    await scene.shows(() => BLUE);
  }),

  /** The planes do not read half floats: the client composes, and then asks for it. */
  ClientComposition: scene(async (scene) => {
    const { composer, display } = scene.stage, layer = await scene.layer(COMPOSITION.DEVICE, ALL);
    const pixels = scene.stage.allocate(WIDTH, HEIGHT, FORMAT.RGBA_FP16);
    await composer.setLayerBuffer(display, layer, pixels, NO_FENCE);
    assertEquals((await composer.validateDisplay(display)).numTypes, 1);
    await composer.setLayerCompositionType(display, layer, COMPOSITION.CLIENT);
    await scene.client(bands, ALL);
    await scene.shows(bands, 0);
  }, fourPlane()),

  DeviceAndClientComposition: scene(async (scene) => {
    const { composer, display } = scene.stage, above = await scene.layer(COMPOSITION.DEVICE, UPPER);
    await scene.show(above, WIDTH, HEIGHT / 2, () => GREEN);
    const below = await scene.layer(COMPOSITION.DEVICE, LOWER);
    await composer.setLayerBuffer(display, below, scene.stage.allocate(WIDTH, HEIGHT / 2, FORMAT.RGBA_FP16), NO_FENCE);
    await scene.client(() => RED, LOWER);
    await scene.shows((_, y) => y < HEIGHT / 2 ? GREEN : RED, 1);
  }, fourPlane()),

  SetLayerDamage: scene(async (scene) => {
    const layer = await scene.layer(COMPOSITION.DEVICE, ALL), part = { left: 8, top: 8, right: 40, bottom: 30 };
    const { composer, display } = scene.stage;
    await scene.show(layer, WIDTH, HEIGHT, () => RED);
    await scene.shows(() => RED);
    const changed: Picture = (x, y) => inRect(part, x, y) ? GREEN : RED;
    await scene.show(layer, WIDTH, HEIGHT, changed);
    await composer.setLayerSurfaceDamage(display, layer, [part]);
    await scene.shows(changed);
  }),

  SetLayerPlaneAlpha: scene(async (scene) => {
    const layer = await scene.layer(COMPOSITION.DEVICE, ALL, { blend: BLEND.PREMULTIPLIED });
    await scene.show(layer, WIDTH, HEIGHT, () => RED);
    await scene.stage.composer.setLayerPlaneAlpha(scene.stage.display, layer, 0);
    await scene.shows(() => BLACK);
  }),

  SetLayerSourceCrop: scene(async (scene) => {
    const layer = await scene.layer(COMPOSITION.DEVICE, ALL, { crop: LOWER });
    await scene.show(layer, WIDTH, HEIGHT, (_, y) => y < HEIGHT / 2 ? RED : BLUE);
    await scene.shows(() => BLUE);
  }),

  SetLayerZOrder: scene(async (scene) => {
    const { composer, display } = scene.stage;
    const red = await scene.solid(RED, UPPER, 10), blue = await scene.solid(BLUE, ALL, 5);
    await scene.shows((_, y) => y < HEIGHT / 2 ? RED : BLUE);
    await composer.setLayerZOrder(display, red, 1);
    await composer.setLayerZOrder(display, blue, 5);
    await scene.shows(() => BLUE);
  }),

  /** An opacity without blending is nobody's: what is not blended has none. */
  SetLayerBlendModeNone: blended(BLEND.NONE, [1], (s) => s),
  SetLayerBlendModeCoverage: blended(BLEND.COVERAGE, [0.2, 1], (s, a, p, d) => s * a * p + d * (1 - a * p)),
  SetLayerBlendModePremultiplied: blended(BLEND.PREMULTIPLIED, [0.2, 1], (s, a, p, d) => s * p + d * (1 - a * p)),

  FLIP_H: transformed(TRANSFORM.FLIP_H, (x, y) => quarters(WIDTH - 1 - x, y)),
  FLIP_V: transformed(TRANSFORM.FLIP_V, (x, y) => quarters(x, HEIGHT - 1 - y)),
  ROT_180: transformed(TRANSFORM.ROT_180, (x, y) => quarters(WIDTH - 1 - x, HEIGHT - 1 - y)),
};

/** The cases that composer3 adds. */
export const newReadbackCases: Cases = {
  /** Grey is the same in both; the reddest red of the wider one is the reddest there is. */
  MixedColorSpaces: scene(async (scene) => {
    const { composer, display } = scene.stage;
    const left = { ...ALL, right: WIDTH / 2 }, right = { ...ALL, left: WIDTH / 2 };
    const one = await scene.layer(COMPOSITION.DEVICE, left), other = await scene.layer(COMPOSITION.DEVICE, right);
    await scene.show(one, WIDTH / 2, HEIGHT, () => [128, 128, 128]);
    await scene.show(other, WIDTH / 2, HEIGHT, (_, y) => y < HEIGHT / 2 ? [128, 128, 128] : RED);
    await composer.setLayerDataspace(display, one, DATASPACE.V0_SRGB);
    await composer.setLayerDataspace(display, other, DATASPACE.DISPLAY_P3);
    await scene.shows((x, y) => x >= WIDTH / 2 && y >= HEIGHT / 2 ? RED : [128, 128, 128]);
  }),

  SetLayerBrightnessDims: scene(async (scene) => {
    const layer = await scene.layer(COMPOSITION.DEVICE, ALL);
    await scene.show(layer, WIDTH, HEIGHT, () => RED);
    await scene.stage.composer.setLayerBrightness(scene.stage.display, layer, 0.9);
    await scene.shows(() => [243, 0, 0]);
  }),

  /** sRGB of the full range, and of the extended one, are the same where both have values. */
  ColorConversion: {
    async run(stage) {
      const { composer, display } = stage;
      await stage.powerOn();
      await composer.setColorMode(display, COLOR_MODE.SRGB);
      const made = new Scene(stage, DATASPACE.V0_SRGB);
      const colors: Rgb[] = [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]];
      for (const [at, [r, g, b]] of colors.entries()) {
        for (const dataspace of [DATASPACE.V0_SRGB, DATASPACE.V0_SCRGB]) {
          const layer = await made.layer(COMPOSITION.SOLID_COLOR, ALL);
          await composer.setLayerDataspace(display, layer, dataspace);
          await composer.setLayerFloatColor(display, layer, { r, g, b, a: 1 });
          await made.shows(() => [0, 1, 2].map((channel) => channel === at ? 128 : 0) as unknown as Rgb);
          await composer.destroyLayer(display, layer);
        }
      }
    },
  },
};
