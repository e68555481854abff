import { BLEND, COMPOSITION, DATASPACE, ERROR, type Rect, TRANSFORM } from "../../../../hwc/types.ts";
import type { AsyncComposer } from "../../../../hwc/composer.ts";
import { type Case, type Cases, NO_DISPLAY, NO_FENCE, type Stage } from "../stage.ts";

const FRAMES: readonly Rect[] = [
  { left: 0, top: 0, right: 96, bottom: 64 },
  { left: 0, top: 0, right: 48, bottom: 32 },
  { left: 20, top: 10, right: 90, bottom: 60 },
];
const REGIONS: readonly (readonly Rect[])[] = [[], [FRAMES[1]], [FRAMES[1], FRAMES[2]]];

/** One property of a layer: how it is set, and its values. */
export interface Property<Value> {
  /** Values a device must take. */
  readonly values: readonly Value[];
  /** Whether the device may say UNSUPPORTED for a value. */
  readonly optional?: (value: Value) => boolean;
  /** Sets it. */
  set(composer: AsyncComposer, display: bigint, layer: bigint, value: Value, stage: Stage): unknown;
  /** The preparation before. */
  prepare?(stage: Stage, layer: bigint): Promise<void>;
}

function property<Value>(given: Property<Value>): Property<unknown> {
  return given as Property<unknown>;
}

/** The properties by the names of the functions that set them. */
export const PROPERTIES: Readonly<Record<string, Property<unknown>>> = {
  SET_LAYER_COMPOSITION_TYPE: property({
    values: [COMPOSITION.CLIENT, COMPOSITION.DEVICE, COMPOSITION.SOLID_COLOR, COMPOSITION.CURSOR, COMPOSITION.SIDEBAND],
    set: (composer, display, layer, type) => composer.setLayerCompositionType(display, layer, type),
  }),
  SET_CURSOR_POSITION: property({
    values: [[0, 0], [10, 20], [-5, 90]],
    prepare: async ({ composer, display }, layer) =>
      await composer.setLayerCompositionType(display, layer, COMPOSITION.CURSOR),
    set: (composer, display, layer, [x, y]) => composer.setCursorPosition(display, layer, x, y),
  }),
  SET_LAYER_BLEND_MODE: property({
    values: [BLEND.NONE, BLEND.PREMULTIPLIED, BLEND.COVERAGE],
    set: (composer, display, layer, mode) => composer.setLayerBlendMode(display, layer, mode),
  }),
  SET_LAYER_BUFFER: property({
    values: FRAMES,
    set: (composer, display, layer, { right, bottom }, stage) =>
      composer.setLayerBuffer(display, layer, stage.allocate(right, bottom), NO_FENCE),
  }),
  SET_LAYER_COLOR: property({
    values: [{ r: 0, g: 0, b: 0, a: 0 }, { r: 255, g: 128, b: 1, a: 255 }],
    prepare: async ({ composer, display }, layer) =>
      await composer.setLayerCompositionType(display, layer, COMPOSITION.SOLID_COLOR),
    set: (composer, display, layer, color) => composer.setLayerColor(display, layer, color),
  }),
  SET_LAYER_DATASPACE: property({
    values: Object.values(DATASPACE),
    set: (composer, display, layer, dataspace) => composer.setLayerDataspace(display, layer, dataspace),
  }),
  SET_LAYER_DISPLAY_FRAME: property({
    values: FRAMES,
    set: (composer, display, layer, frame) => composer.setLayerDisplayFrame(display, layer, frame),
  }),
  SET_LAYER_PLANE_ALPHA: property({
    values: [1, 0.25, 0],
    set: (composer, display, layer, alpha) => composer.setLayerPlaneAlpha(display, layer, alpha),
  }),
  SET_LAYER_SOURCE_CROP: property({
    values: [...FRAMES, { left: 0.5, top: 1.25, right: 40.5, bottom: 30 }],
    set: (composer, display, layer, crop) => composer.setLayerSourceCrop(display, layer, crop),
  }),
  SET_LAYER_SURFACE_DAMAGE: property({
    values: REGIONS,
    set: (composer, display, layer, region) => composer.setLayerSurfaceDamage(display, layer, region),
  }),
  SET_LAYER_TRANSFORM: property({
    values: Object.values(TRANSFORM),
    set: (composer, display, layer, transform) => composer.setLayerTransform(display, layer, transform),
  }),
  SET_LAYER_VISIBLE_REGION: property({
    values: REGIONS,
    set: (composer, display, layer, region) => composer.setLayerVisibleRegion(display, layer, region),
  }),
  SET_LAYER_Z_ORDER: property({
    values: [0, 1, 10, 0xffff_ffff],
    set: (composer, display, layer, z) => composer.setLayerZOrder(display, layer, z),
  }),
};

/** On every display a new layer. */
async function eachDisplay(stage: Stage, run: (display: bigint, layer: bigint) => Promise<void>): Promise<void> {
  for (const display of stage.displays) {
    const layer = await stage.composer.createLayer(display);
    await run(display, layer);
    await stage.composer.destroyLayer(display, layer);
  }
}

/** Set on a new layer, one layer for each value. */
function setOnce({ values, set, prepare }: Property<unknown>): Case["run"] {
  return async (stage) => {
    for (const value of values) {
      const { composer, display } = stage, layer = await composer.createLayer(display);
      await prepare?.(stage, layer);
      await set(composer, display, layer, value, stage);
      await composer.destroyLayer(display, layer);
    }
  };
}

/** Set again and again on the same layer. */
function update({ values, set, prepare }: Property<unknown>): Case["run"] {
  return async (stage) => {
    const { composer, display } = stage, layer = await composer.createLayer(display);
    await prepare?.(stage, layer);
    for (const value of [...values, ...values.toReversed()]) await set(composer, display, layer, value, stage);
    await composer.destroyLayer(display, layer);
  };
}

/** Set on layers that are none. */
function badLayer({ values, set, prepare }: Property<unknown>): Case["run"] {
  return async (stage) => {
    const { composer, display, displays: [, other] } = stage, layer = await composer.createLayer(display);
    await prepare?.(stage, layer);
    for (const [on, handle] of [[display, 0n], [display, layer + 1n], [other, layer]] as const) {
      await stage.fails(ERROR.BAD_LAYER, () => set(composer, on, handle, values[0], stage));
    }
    await composer.destroyLayer(display, layer);
    await stage.fails(ERROR.BAD_LAYER, () => set(composer, display, layer, values[0], stage));
  };
}

const sweeps = Object.entries(PROPERTIES).flatMap(([name, property]): [string, Case["run"]][] => [
  [name, setOnce(property)],
  ...(name === "SET_LAYER_VISIBLE_REGION" ? [] : [[`${name}_update`, update(property)]] as [string, Case["run"]][]),
  [`${name}_bad_layer`, badLayer(property)],
]);

/** Layers' setters. */
export const layerCases: Cases = {
  ...Object.fromEntries(sweeps),

  SET_LAYER_COMPOSITION_TYPE_bad_parameter: (stage) =>
    eachDisplay(stage, async (display, layer) => {
      for (const type of [COMPOSITION.INVALID, 8, -1]) {
        await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setLayerCompositionType(display, layer, type));
      }
    }),

  SET_LAYER_BLEND_MODE_bad_parameter: (stage) =>
    eachDisplay(stage, async (display, layer) => {
      for (const mode of [BLEND.INVALID, 4, -1]) {
        await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setLayerBlendMode(display, layer, mode));
      }
    }),

  SET_LAYER_BUFFER_bad_parameter: (stage) =>
    eachDisplay(stage, async (display, layer) => {
      await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setLayerBuffer(display, layer, null, NO_FENCE));
    }),

  SET_CURSOR_POSITION_composition_type_unset: (stage) =>
    eachDisplay(stage, async (display, layer) => {
      await stage.fails(ERROR.BAD_LAYER, () => stage.composer.setCursorPosition(display, layer, 1, 1));
    }),

  SET_LAYER_COLOR_composition_type_unset: (stage) =>
    eachDisplay(stage, async (display, layer) => {
      await stage.composer.setLayerColor(display, layer, { r: 1, g: 2, b: 3, a: 255 });
    }),

  async SET_CURSOR_POSITION_bad_display(stage) {
    const layer = await stage.fullLayer(stage.display, COMPOSITION.CURSOR);
    await stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.setCursorPosition(NO_DISPLAY, layer, 1, 1));
  },
};
