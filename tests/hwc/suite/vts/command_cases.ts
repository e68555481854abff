/**
 * VTS cases about layers and frames: the commands that a client batches.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { CAPABILITY, METADATA_KEY } from "../../../../hwc/device_types.ts";
import { COMPOSITION, ERROR } from "../../../../hwc/types.ts";
import { DEFAULT_DEVICE } from "../device_options.ts";
import { PROPERTIES } from "../hwc2_test/layer_cases.ts";
import { assertSignals, type Case, NO_FENCE, type Stage } from "../stage.ts";

type Run = Case["run"];
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** One property after the other value on one layer, each validated. */
export function property(name: string): Run {
  const { values, set, prepare } = PROPERTIES[name];
  return async (stage) => {
    const { composer, display } = stage, layer = await composer.createLayer(display);
    await prepare?.(stage, layer);
    for (const value of values) {
      await set(composer, display, layer, value, stage);
      await composer.validateDisplay(display);
    }
  };
}

export const setColorTransform: Run = ({ composer, display }) => composer.setColorTransform(display, IDENTITY, 0);

/** Every slot is cleared with none when a display goes. */
export const setClientTarget: Run = ({ composer, display }) => composer.setClientTarget(display, null, NO_FENCE, 0, []);

export const setOutputBuffer: Run = async (stage) => {
  const { display } = await stage.composer.createVirtualDisplay(64, 64, 0x22);
  await stage.composer.setOutputBuffer(display, stage.allocate(64, 64), NO_FENCE);
};

export const validateDisplay: Run = async ({ composer, displays }) => {
  for (const display of displays) assertEquals((await composer.validateDisplay(display)).result, ERROR.NONE);
};

export const acceptDisplayChanges: Run = async ({ composer, display }) => {
  await composer.validateDisplay(display);
  await composer.acceptDisplayChanges(display);
};

/** No layer, no power. */
export const presentDisplay: Run = async (stage) => {
  for (const display of stage.displays) await assertSignals(stage, await stage.frame(display));
};

/** Another buffer and damage need no validation; another transform does. */
export function presentWithoutValidation(type: number): Case {
  return {
    options: { ...DEFAULT_DEVICE, skipValidate: true },
    async run(stage) {
      const { composer, display } = stage;
      assert((await composer.getCapabilities()).includes(CAPABILITY.SKIP_VALIDATE));
      await stage.powerOn();
      const { right, bottom } = await stage.screen(), layer = await stage.fullLayer(display, type);
      for (const mode of await composer.getColorModes(display)) {
        for (const intent of await composer.getRenderIntents(display, mode)) {
          await composer.setColorModeWithRenderIntent(display, mode, intent);
          const { numTypes } = await composer.validateDisplay(display);
          assertEquals(numTypes, 0, "one layer over the whole display is never changed");
          (await composer.presentDisplay(display)).close();
          await composer.setLayerBuffer(display, layer, stage.allocate(right, bottom), NO_FENCE);
          await composer.setLayerSurfaceDamage(display, layer, [{ left: 0, top: 0, right: 10, bottom: 10 }]);
          await assertSignals(stage, await composer.presentDisplay(display));
        }
      }
      await composer.setLayerBuffer(display, layer, stage.allocate(right / 2, bottom), NO_FENCE);
      await stage.fails(ERROR.NOT_VALIDATED, () => composer.presentDisplay(display));
    },
  };
}

/** Moves after the frame; not between validation and presenting. */
export const setCursorPosition: Run = async (stage) => {
  const { composer, display } = stage, layer = await stage.fullLayer(display, COMPOSITION.CURSOR);
  await stage.powerOn();
  await stage.validate();
  await stage.fails(ERROR.NOT_VALIDATED, () => composer.setCursorPosition(display, layer, 3, 4));
  (await composer.presentDisplay(display)).close();
  for (const [x, y] of [[1, 1], [0, 0], [-2, 5]]) await composer.setCursorPosition(display, layer, x, y);
  (await composer.presentDisplay(display)).close();
};

/** Three buffers, then one pixel for each as a client does that lets go of them, and a frame. */
export const setBufferManyTimes: Run = async (stage) => {
  const { composer, display } = stage, layer = await stage.fullLayer();
  for (let count = 0; count < 3; count++) {
    await composer.setLayerBuffer(display, layer, stage.allocate(96, 64), NO_FENCE);
    await composer.validateDisplay(display);
  }
  for (let count = 0; count < 3; count++) await composer.setLayerBuffer(display, layer, stage.allocate(1, 1), NO_FENCE);
  await composer.setLayerSourceCrop(display, layer, { left: 0, top: 0, right: 1, bottom: 1 });
  await assertSignals(stage, await stage.frame());
};

/** On a layer whose type was never set. */
export const setColorUntyped: Run = async (stage) => {
  const { composer, display } = stage, layer = await composer.createLayer(display);
  await composer.setLayerColor(display, layer, { r: 1, g: 1, b: 1, a: 255 });
  await composer.validateDisplay(display);
};

/** Also harmless on one that the client composes. */
export const setFloatColor: Run = async (stage) => {
  const { composer, display } = stage, layer = await composer.createLayer(display);
  for (const type of [COMPOSITION.SOLID_COLOR, COMPOSITION.CLIENT]) {
    await composer.setLayerCompositionType(display, layer, type);
    await composer.setLayerFloatColor(display, layer, { r: 1, g: 0.5, b: 0, a: 1 });
  }
};

/** With the capability a stream is taken; without, neither the type nor the stream is. */
export const setSidebandStream: Run = async (stage) => {
  const { composer, display } = stage, layer = await composer.createLayer(display);
  assert((await composer.getCapabilities()).includes(CAPABILITY.SIDEBAND_STREAM));
  await composer.setLayerCompositionType(display, layer, COMPOSITION.SIDEBAND);
  await composer.setLayerSidebandStream(display, layer, 0x1000n);
  await composer.validateDisplay(display);
  await stage.fails(ERROR.BAD_PARAMETER, () => composer.setLayerSidebandStream(display, layer, 0n));
};

/** HDR10's values; a key that is none is bad. */
export const setPerFrameMetadata: Run = async (stage) => {
  const { composer, display } = stage, layer = await composer.createLayer(display);
  const metadata = Object.values(METADATA_KEY).filter((key) => key < 12).map((key) => ({ key, value: 0.3 }));
  await composer.setLayerPerFrameMetadata(display, layer, metadata);
  await stage.fails(
    ERROR.BAD_PARAMETER,
    () => composer.setLayerPerFrameMetadata(display, layer, [{ key: 99, value: 1 }]),
  );
  const [, plain] = stage.displays, other = await composer.createLayer(plain);
  await stage.fails(ERROR.UNSUPPORTED, () => composer.setLayerPerFrameMetadata(plain, other, metadata));
};

/** HDR10+'s bytes; no other key has any. */
export const setPerFrameMetadataBlobs: Run = async (stage) => {
  const { composer, display } = stage, layer = await composer.createLayer(display), blob = new Uint8Array(300);
  await composer.setLayerPerFrameMetadataBlobs(display, layer, [{ key: METADATA_KEY.HDR10_PLUS_SEI, blob }]);
  await stage.fails(
    ERROR.BAD_PARAMETER,
    () => composer.setLayerPerFrameMetadataBlobs(display, layer, [{ key: 1, blob }]),
  );
};

/** The identity, and others. */
export const setLayerColorTransform: Run = async (stage) => {
  const { composer, display } = stage, layer = await stage.fullLayer();
  for (const scale of [1, 0.5]) {
    await composer.setLayerColorTransform(display, layer, IDENTITY.map((value, at) => at < 15 ? value * scale : value));
    await composer.validateDisplay(display);
  }
  await stage.fails(ERROR.BAD_PARAMETER, () => composer.setLayerColorTransform(display, layer, [1]));
};

/** 0 to 1. */
export const setLayerBrightness: Run = async (stage) => {
  const { composer, display } = stage, layer = await stage.fullLayer();
  for (const brightness of [0.2, 1, 0]) await composer.setLayerBrightness(display, layer, brightness);
  for (const brightness of [-1, NaN, 1.5]) {
    await stage.fails(ERROR.BAD_PARAMETER, () => composer.setLayerBrightness(display, layer, brightness));
  }
};

/** Regions as for what is visible. */
export const setBlockingRegion: Run = async ({ composer, display }) => {
  const layer = await composer.createLayer(display), rect = { left: 0, top: 0, right: 1, bottom: 1 };
  for (const region of [[{ ...rect, right: 0, bottom: 0 }], [rect], []]) {
    await composer.setLayerBlockingRegion(display, layer, region);
  }
};

/** A type for which the device has nothing: exactly one UNSUPPORTED. */
export const displayDecoration: Run = async (stage) => {
  const { composer, display } = stage, layer = await composer.createLayer(display);
  await stage.fails(
    ERROR.UNSUPPORTED,
    () => composer.setLayerCompositionType(display, layer, COMPOSITION.DISPLAY_DECORATION),
  );
  await composer.validateDisplay(display);
};

/** Two displays whose frames overlap in time: neither's plan disturbs the other's. */
export const presentInterleaved: Run = async (stage: Stage) => {
  const { composer, displays } = stage;
  for (const display of displays) {
    await stage.powerOn(display);
    await stage.fullLayer(display);
  }
  for (let turn = 0; turn < 3; turn++) {
    for (const display of displays) await stage.validate(display);
    const fences = [];
    for (const display of displays.toReversed()) fences.push(await composer.presentDisplay(display));
    for (const fence of fences) await assertSignals(stage, fence);
  }
};
