import { assert, assertEquals } from "@std/assert";
import { BLEND, COMPOSITION, DATASPACE, ERROR, FORMAT, type Rect, TRANSFORM } from "../../../../hwc/types.ts";
import { NativeFence } from "../../../../wsi/fence/native_fence.ts";
import { assertSignals, type Case, type Cases, MILLISECOND, NO_FENCE, type Stage } from "../stage.ts";

/** The differences of one layer of a sweep from a plain one. */
interface Look {
  readonly type?: number;
  readonly format?: number;
  readonly blend?: number;
  readonly alpha?: number;
  readonly transform?: number;
  readonly dataspace?: number;
  readonly crop?: Rect;
  readonly frame?: Rect;
  readonly damage?: readonly Rect[];
  readonly color?: { r: number; g: number; b: number; a: number };
  readonly cursor?: readonly [number, number];
}

const SCREEN: Rect = { left: 0, top: 0, right: 96, bottom: 64 };
const FRAMES: readonly Rect[] = [
  SCREEN,
  { left: 0, top: 0, right: 48, bottom: 32 },
  { left: 48, top: 32, right: 96, bottom: 64 },
  { left: 7, top: 5, right: 60, bottom: 33 },
];

/** Makes or changes a layer as it shall look. */
async function apply(stage: Stage, layer: bigint, look: Look, z: number): Promise<void> {
  const { composer, display } = stage, frame = look.frame ?? SCREEN, crop = look.crop ?? frame;
  await composer.setLayerZOrder(display, layer, z);
  await stage.place(layer, crop, frame);
  await composer.setLayerBlendMode(display, layer, look.blend ?? BLEND.PREMULTIPLIED);
  await composer.setLayerPlaneAlpha(display, layer, look.alpha ?? 1);
  await composer.setLayerTransform(display, layer, look.transform ?? TRANSFORM.NONE);
  await composer.setLayerDataspace(display, layer, look.dataspace ?? DATASPACE.UNKNOWN);
  await composer.setLayerSurfaceDamage(display, layer, look.damage ?? []);
  await composer.setLayerVisibleRegion(display, layer, [frame]);
  await composer.setLayerCompositionType(display, layer, look.type ?? COMPOSITION.DEVICE);
  if (look.color) await composer.setLayerColor(display, layer, look.color);
}

async function setBuffer(stage: Stage, layer: bigint, { format = FORMAT.RGBA_8888 }: Look): Promise<() => void> {
  const { fence, signal } = NativeFence.create();
  await stage.composer.setLayerBuffer(stage.display, layer, stage.allocate(96, 64, format), fence);
  return signal;
}

/** One frame: what the client has to compose it gives as its target; all fences signal. */
async function wholeFrame(stage: Stage, layers: bigint[], looks: readonly Look[]): Promise<number> {
  const { composer, display } = stage, signals: (() => void)[] = [];
  for (const [z, layer] of layers.entries()) {
    const look = looks[z];
    await apply(stage, layer, look, z);
    if (look.type !== COMPOSITION.SOLID_COLOR) signals.push(await setBuffer(stage, layer, look));
  }
  const { result, numTypes } = await composer.validateDisplay(display);
  const changes = await composer.getChangedCompositionTypes(display);
  assertEquals([changes.length, result === ERROR.HAS_CHANGES], [numTypes, numTypes > 0]);
  if (numTypes > 0) await composer.acceptDisplayChanges(display);
  const types = looks.map(({ type = COMPOSITION.DEVICE }, at) =>
    changes.find(({ layer }) => layer === layers[at])?.type ?? type
  );
  if (types.includes(COMPOSITION.CLIENT)) {
    const { fence, signal } = NativeFence.create();
    await composer.setClientTarget(display, stage.allocate(96, 64), fence, DATASPACE.UNKNOWN, []);
    signals.push(signal);
  }
  const present = await composer.presentDisplay(display);
  await stage.passVsyncs(1);
  // Nothing appears before what is drawn is drawn; a frame of colours alone waits for nothing.
  if (types.some((type) => type !== COMPOSITION.SOLID_COLOR)) assertEquals(present.poll(), false);
  else await assertSignals(stage, present.dup());
  for (const signal of signals) signal();
  await assertSignals(stage, present);
  for (const { fence } of await composer.getReleaseFences(display)) await assertSignals(stage, fence);
  for (const [at, look] of looks.entries()) {
    if (look.cursor && types[at] === COMPOSITION.CURSOR) {
      await composer.setCursorPosition(display, layers[at], ...look.cursor);
    }
  }
  return types.filter((type) => type !== COMPOSITION.CLIENT).length;
}

/** Frames of so many layers, each frame with another value for every layer. */
function sweep(count: number, values: readonly Look[]): Case["run"] {
  return async (stage) => {
    const { composer, display } = stage, layers: bigint[] = [];
    await stage.powerOn();
    await stage.setVsync(true);
    for (let at = 0; at < count; at++) layers.push(await composer.createLayer(display));
    let onPlanes = 0;
    for (const turn of values.keys()) {
      onPlanes += await wholeFrame(stage, layers, layers.map((_, at) => values[(turn + at) % values.length]));
    }
    assert(onPlanes > 0, "planes showed something");
    assert(stage.vsyncs.length >= values.length, "a vsync for every frame");
    await stage.setVsync(false);
    for (const layer of layers) await composer.destroyLayer(display, layer);
  };
}

const DEFAULT: readonly Look[] = [{}, {}];
const BLENDS = [BLEND.NONE, BLEND.PREMULTIPLIED, BLEND.COVERAGE].map((blend) => ({ blend }));
const FORMATS = [FORMAT.RGBA_8888, FORMAT.RGBX_8888, FORMAT.BGRA_8888, FORMAT.RGB_565].map((format) => ({ format }));
const COLORS = [0, 77, 255].map((r) => ({ type: COMPOSITION.SOLID_COLOR, color: { r, g: 0, b: 0, a: 255 } }));
const TYPES = [COMPOSITION.CLIENT, COMPOSITION.DEVICE, COMPOSITION.SOLID_COLOR, COMPOSITION.CURSOR].map((type) => ({
  type,
}));
const CURSORS = [[0, 0], [30, 20], [90, 60]].map(([x, y]) => ({
  type: COMPOSITION.CURSOR,
  frame: { left: 0, top: 0, right: 16, bottom: 16 },
  cursor: [x, y] as const,
}));
const DATASPACES = [DATASPACE.UNKNOWN, DATASPACE.V0_SRGB, DATASPACE.DISPLAY_P3].map((dataspace) => ({ dataspace }));
const PLACES = FRAMES.map((frame) => ({ frame }));
const ALPHAS = [1, 0.75, 0.25].map((alpha) => ({ alpha }));
const CROPS = FRAMES.map((crop) => ({ crop, frame: SCREEN }));
const DAMAGES = [[], [FRAMES[1]], [FRAMES[1], FRAMES[2]]].map((damage) => ({ damage }));
const TURNS = Object.values(TRANSFORM).map((transform) => ({ transform }));

/** Whole frames. */
export const presentCases: Cases = {
  PRESENT_DISPLAY_default_1: sweep(1, DEFAULT),
  PRESENT_DISPLAY_default_2: sweep(2, DEFAULT),
  PRESENT_DISPLAY_default_3: sweep(3, DEFAULT),
  PRESENT_DISPLAY_default_4: sweep(4, DEFAULT),
  PRESENT_DISPLAY_default_5: sweep(5, DEFAULT),
  PRESENT_DISPLAY_default_6: sweep(6, DEFAULT),
  PRESENT_DISPLAY_blend_mode_1: sweep(1, BLENDS),
  PRESENT_DISPLAY_blend_mode_2: sweep(2, BLENDS),
  PRESENT_DISPLAY_buffer_1: sweep(1, FORMATS),
  PRESENT_DISPLAY_color_1: sweep(1, COLORS),
  PRESENT_DISPLAY_color_2: sweep(2, COLORS),
  PRESENT_DISPLAY_composition_1: sweep(1, TYPES),
  PRESENT_DISPLAY_cursor_1: sweep(1, CURSORS),
  PRESENT_DISPLAY_cursor_2: sweep(2, CURSORS),
  PRESENT_DISPLAY_dataspace_1: sweep(1, DATASPACES),
  PRESENT_DISPLAY_display_frame_1: sweep(1, PLACES),
  PRESENT_DISPLAY_display_frame_2: sweep(2, PLACES),
  PRESENT_DISPLAY_display_frame_3: sweep(3, PLACES),
  PRESENT_DISPLAY_display_frame_4: sweep(4, PLACES),
  PRESENT_DISPLAY_plane_alpha_1: sweep(1, ALPHAS),
  PRESENT_DISPLAY_plane_alpha_2: sweep(2, ALPHAS),
  PRESENT_DISPLAY_source_crop_1: sweep(1, CROPS),
  PRESENT_DISPLAY_source_crop_2: sweep(2, CROPS),
  PRESENT_DISPLAY_surface_damage_1: sweep(1, DAMAGES),
  PRESENT_DISPLAY_transform_1: sweep(1, TURNS),
  PRESENT_DISPLAY_transform_2: sweep(2, TURNS),

  /** No layer's state but the buffer: one frame after the other, the fences of each a frame behind. */
  async PRESENT_DISPLAY_basic_1(stage) {
    const { composer, display } = stage;
    await stage.powerOn();
    const layer = await stage.fullLayer();
    await assertSignals(stage, await stage.frame());
    for (let turn = 0; turn < 4; turn++) {
      await composer.setLayerBuffer(display, layer, await stage.allocateScreen(), NO_FENCE);
      await composer.validateDisplay(display);
      const present = await composer.presentDisplay(display), [release] = await composer.getReleaseFences(display);
      assertEquals([release.layer, release.fence.poll()], [layer, false], "the buffer before is still shown");
      await stage.subject.pass(17n * MILLISECOND);
      assertEquals([present.poll(), release.fence.poll()], [true, true]);
      release.fence.close();
      present.close();
    }
  },
};
