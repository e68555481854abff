/**
 * The demands of the VTS suites of all versions on displays, under the names that
 * each version gives it.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import {
  ATTRIBUTE,
  CAPABILITY,
  COLOR_MODE,
  CONNECTION_TYPE,
  CONTENT_SAMPLING,
  CONTENT_TYPE,
  DISPLAY_CAPABILITY,
  DISPLAY_TYPE,
  POWER_MODE,
  RENDER_INTENT,
} from "../../../../hwc/device_types.ts";
import { DATASPACE, ERROR, FORMAT } from "../../../../hwc/types.ts";
import { eachConfig } from "../hwc2_test/config_cases.ts";
import { DEFAULT_DEVICE, PLAIN } from "../device_options.ts";
import { type Case, MILLISECOND, NO_DISPLAY, NO_FENCE, type Stage } from "../stage.ts";

type Run = Case["run"];

/** Every display a client can have: the physical ones, and a virtual one. */
async function withVirtual(stage: Stage): Promise<bigint[]> {
  const { display } = await stage.composer.createVirtualDisplay(64, 64, FORMAT.IMPLEMENTATION_DEFINED);
  return [...stage.displays, display];
}

/** A call that must fail for a display there is not. */
export function badDisplay(call: (stage: Stage, display: bigint) => unknown): Run {
  return (stage) => stage.fails(ERROR.BAD_DISPLAY, () => call(stage, NO_DISPLAY));
}

/** No INVALID, none twice. */
export const getCapabilities: Run = async ({ composer }) => {
  const capabilities = await composer.getCapabilities();
  assert(capabilities.length > 0 && !capabilities.includes(CAPABILITY.INVALID));
};

/** The text names what there is. */
export const dumpDebugInfo: Run = async ({ composer }) => {
  const text = await composer.dump();
  assert(text.includes("Rich") && text.includes("Plain"), text);
};

/** 64 × 64 of what the device likes. */
export const createVirtualDisplay: Run = async ({ composer }) => {
  const { display } = await composer.createVirtualDisplay(64, 64, FORMAT.IMPLEMENTATION_DEFINED);
  assertEquals(await composer.getDisplayType(display), DISPLAY_TYPE.VIRTUAL);
  await composer.destroyVirtualDisplay(display);
};

/** A new layer ends. */
export const createLayer: Run = async ({ composer, display }) => {
  await composer.destroyLayer(display, await composer.createLayer(display));
};

/** The layer 1, which nobody created. */
export const destroyBadLayer: Run = (stage) =>
  stage.fails(ERROR.BAD_LAYER, () => stage.composer.destroyLayer(stage.display, 1n));

/** Each display has configs. */
export const getDisplayConfig: Run = async ({ composer, displays }) => {
  for (const display of displays) assert((await composer.getDisplayConfigs(display)).length > 0);
};

/** Every display has one. */
export const getDisplayName: Run = async ({ composer, displays }) => {
  for (const display of displays) assert((await composer.getDisplayName(display)).length > 0);
};

/** Hotplugged ones are physical. */
export const getDisplayType: Run = async ({ composer, displays }) => {
  for (const display of displays) assertEquals(await composer.getDisplayType(display), DISPLAY_TYPE.PHYSICAL);
};

/** Every display takes as many as there can be. */
export const setClientTargetSlotCount: Run = async ({ composer, displays }) => {
  for (const display of displays) await composer.setClientTargetSlotCount(display, 3);
};

/** The parts of a dataspace. */
const STANDARD = 0x3f_0000, TRANSFER = 0x7c0_0000, RANGE = 0x3800_0000;

/** Formats, and dataspaces by their parts: none has bits of another part. */
export const getOverlaySupport: Run = async ({ composer }) => {
  const { combinations, supportMixedColorSpaces } = await composer.getOverlaySupport();
  assert(combinations.length > 0 && supportMixedColorSpaces);
  for (const { pixelFormats, standards, transfers, ranges } of combinations) {
    assert(pixelFormats.length > 0 && pixelFormats.every((format) => Object.values<number>(FORMAT).includes(format)));
    for (const [parts, mask] of [[standards, STANDARD], [transfers, TRANSFER], [ranges, RANGE]] as const) {
      assert(parts.length > 0 && parts.every((part) => (part & mask) === part));
    }
  }
};

/** For every config, RGBA_8888 of its size. */
export const getClientTargetSupport: Run = (stage) =>
  eachConfig(stage, async (display, config) => {
    const { composer } = stage;
    await composer.setActiveConfig(display, config);
    const { right, bottom } = await stage.screen(display);
    await composer.getClientTargetSupport(display, right, bottom, FORMAT.RGBA_8888, DATASPACE.UNKNOWN);
  });

/** Size and period there must be, dots per inch are known or -1, and a group is not -1. */
export const getDisplayAttribute: Run = (stage) =>
  eachConfig(stage, async (display, config) => {
    const attribute = (which: number) => stage.composer.getDisplayAttribute(display, config, which);
    for (const which of [ATTRIBUTE.WIDTH, ATTRIBUTE.HEIGHT, ATTRIBUTE.VSYNC_PERIOD]) assert(await attribute(which) > 0);
    for (const which of [ATTRIBUTE.DPI_X, ATTRIBUTE.DPI_Y]) {
      assert([-1, 160_000, 161_000].includes(await attribute(which)));
    }
    assert(await attribute(ATTRIBUTE.CONFIG_GROUP) >= 0);
  });

/** More light at most than at least. */
export const getHdrCapabilities: Run = async ({ composer, displays }) => {
  for (const display of displays) {
    const { maxLuminance, minLuminance } = await composer.getHdrCapabilities(display);
    assert(maxLuminance >= minLuminance);
  }
};

/** The config that is set is the active one. */
export const setActiveConfig: Run = (stage) =>
  eachConfig(stage, async (display, config) => {
    await stage.composer.setActiveConfig(display, config);
    assertEquals(await stage.composer.getActiveConfig(display), config);
  });

/** Off and on again it is the same. */
export const setActiveConfigPowerCycle: Run = (stage) =>
  eachConfig(stage, async (display, config) => {
    const { composer } = stage;
    await composer.setPowerMode(display, POWER_MODE.ON);
    await composer.setActiveConfig(display, config);
    await composer.setPowerMode(display, POWER_MODE.OFF);
    await composer.setPowerMode(display, POWER_MODE.ON);
    assertEquals(await composer.getActiveConfig(display), config);
  });

/** NATIVE among them. */
export const getColorModes: Run = async ({ composer, displays }) => {
  for (const display of displays) assert((await composer.getColorModes(display)).includes(COLOR_MODE.NATIVE));
};

/** Each of them, with each intent, and back. */
export const setColorMode: Run = async ({ composer, displays }) => {
  let count = 0;
  for (const display of displays) {
    for (const mode of await composer.getColorModes(display)) {
      for (const intent of await composer.getRenderIntents(display, mode)) {
        await composer.setColorModeWithRenderIntent(display, mode, intent);
        count++;
      }
    }
    await composer.setColorMode(display, COLOR_MODE.NATIVE);
  }
  assert(count > 5);
};

/** A mode and an intent that are none. */
export const setColorModeBadParameter: Run = async (stage) => {
  const { composer, display } = stage;
  await stage.fails(ERROR.BAD_PARAMETER, () => composer.setColorMode(display, -1));
  await stage.fails(ERROR.BAD_PARAMETER, () => composer.setColorModeWithRenderIntent(display, COLOR_MODE.NATIVE, -1));
};

/** COLORIMETRIC, or what stands for it where there is HDR. */
export const getRenderIntents: Run = async ({ composer, displays }) => {
  for (const display of displays) {
    for (const mode of await composer.getColorModes(display)) {
      const isHdr = mode === COLOR_MODE.BT2100_PQ || mode === COLOR_MODE.BT2100_HLG;
      const least = isHdr ? RENDER_INTENT.TONE_MAP_COLORIMETRIC : RENDER_INTENT.COLORIMETRIC;
      assert((await composer.getRenderIntents(display, mode)).includes(least));
    }
  }
};

/** The mode -1. */
export const getRenderIntentsBadParameter: Run = (stage) =>
  stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.getRenderIntents(stage.display, -1));

const MODES = [POWER_MODE.OFF, POWER_MODE.ON];
const DOZES = [POWER_MODE.DOZE, POWER_MODE.DOZE_SUSPEND];

async function modesOf({ composer }: Stage, display: bigint): Promise<number[]> {
  return await composer.getDozeSupport(display) ? [...MODES, ...DOZES] : MODES;
}

/** Each mode a display has. */
export const setPowerMode: Run = async (stage) => {
  for (const display of stage.displays) {
    for (const mode of await modesOf(stage, display)) await stage.composer.setPowerMode(display, mode);
  }
};

/** Modes after each other, and again and again. */
export const setPowerModeVariations: Run = async (stage) => {
  for (const display of stage.displays) {
    const modes = await modesOf(stage, display);
    for (const before of modes) {
      for (const after of [before, ...modes, before]) await stage.composer.setPowerMode(display, after);
    }
    await stage.composer.setPowerMode(display, POWER_MODE.OFF);
  }
};

/** Modes that are none; ON_SUSPEND of newer interfaces is none of hwcomposer2.h's. */
export const setPowerModeBadParameter: Run = async (stage) => {
  for (const mode of [-1, 4, 5]) {
    await stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setPowerMode(stage.display, mode));
  }
};

/** Dozing, where it cannot. */
export const setPowerModeUnsupported: Run = async (stage) => {
  for (const mode of DOZES) {
    await stage.fails(ERROR.UNSUPPORTED, () => stage.composer.setPowerMode(stage.displays[1], mode));
  }
};

/** For 60 ms, and no vsync that is not wanted. */
export const setVsyncEnabled: Run = async (stage) => {
  for (const display of stage.displays) {
    await stage.powerOn(display);
    await stage.setVsync(true, display);
    await stage.subject.pass(60n * MILLISECOND);
    assert(stage.vsyncs.some((vsync) => vsync.display === display));
    await stage.setVsync(false, display);
    await stage.subject.pass(60n * MILLISECOND);
  }
};

/** HDR10's keys where there is HDR, UNSUPPORTED where there is none. */
export const getPerFrameMetadataKeys: Run = async (stage) => {
  const keys = await stage.composer.getPerFrameMetadataKeys(stage.display);
  assert([0, 1, 8, 9, 10, 11].every((key) => keys.includes(key)));
  await stage.fails(ERROR.UNSUPPORTED, () => stage.composer.getPerFrameMetadataKeys(stage.displays[1]));
};

/** The bottom row is 0 0 0 1; UNKNOWN has none. */
export const getDataspaceSaturationMatrix: Run = async ({ composer }) => {
  const matrix = await composer.getDataspaceSaturationMatrix(DATASPACE.V0_SRGB_LINEAR);
  assertEquals([3, 7, 11, 15].map((at) => matrix[at]), [0, 0, 0, 1]);
};

/** As it says. */
export const getDataspaceSaturationMatrixBadParameter: Run = (stage) =>
  stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.getDataspaceSaturationMatrix(DATASPACE.UNKNOWN));

/** Blocks of 128 bytes with the right header and sum, the same every time; a panel without says so. */
export const getDisplayIdentificationData: Run = async (stage) => {
  const { composer, display } = stage, { data, port } = await composer.getDisplayIdentificationData(display);
  assertEquals(data.length % 128, 0);
  assertEquals([...data.slice(0, 8)], [0, 255, 255, 255, 255, 255, 255, 0]);
  assertEquals(data.slice(0, 128).reduce((sum, byte) => sum + byte, 0) % 256, 0);
  assertEquals(await composer.getDisplayIdentificationData(display), { data, port });
  await stage.fails(ERROR.UNSUPPORTED, () => composer.getDisplayIdentificationData(stage.displays[1]));
};

/** Something that can be allocated and compared. */
export const getReadbackBufferAttributes: Run = async (stage) => {
  const { composer, display } = stage;
  assertEquals(await composer.getReadbackBufferAttributes(display), { format: 1, dataspace: DATASPACE.V0_SRGB });
  await composer.setColorMode(display, COLOR_MODE.DISPLAY_P3);
  assertEquals((await composer.getReadbackBufferAttributes(display)).dataspace, DATASPACE.DISPLAY_P3);
  await stage.fails(ERROR.UNSUPPORTED, () => composer.getReadbackBufferAttributes(stage.displays[1]));
};

/** A format, a dataspace and components. */
export const getContentSamplingAttributes: Run = async (stage) => {
  const { composer, display } = stage, found = await composer.getDisplayedContentSamplingAttributes(display);
  assert(found.format > 0 && found.componentMask > 0);
  await stage.fails(ERROR.UNSUPPORTED, () => composer.getDisplayedContentSamplingAttributes(stage.displays[1]));
};

/** On and off, and settings that are none. */
export const setContentSampling: Run = async (stage) => {
  const { composer, display } = stage;
  for (const enabled of [CONTENT_SAMPLING.ENABLE, CONTENT_SAMPLING.DISABLE]) {
    await composer.setDisplayedContentSamplingEnabled(display, enabled, 1, 10n);
  }
  await stage.fails(ERROR.BAD_PARAMETER, () => composer.setDisplayedContentSamplingEnabled(display, 0, 1, 10n));
  await stage.fails(ERROR.BAD_PARAMETER, () => composer.setDisplayedContentSamplingEnabled(display, 1, 8, 10n));
};

/** As many frames as there were, at most so many, and histograms of what was asked for. */
export const getContentSample: Run = async (stage) => {
  const { composer, display } = stage, screen = await stage.screen();
  await stage.powerOn();
  await composer.setDisplayedContentSamplingEnabled(display, CONTENT_SAMPLING.ENABLE, 0b101, 10n);
  await stage.fullLayer();
  for (let frame = 0; frame < 3; frame++) {
    (await stage.frame()).close();
    await stage.passVsyncs(1);
  }
  const { frameCount, samples } = await composer.getDisplayedContentSample(display, 2n, 0n);
  assertEquals(frameCount, 2n);
  assertEquals(samples.map((bins) => bins.length > 0), [true, false, true, false]);
  const pixels = BigInt(screen.right * screen.bottom);
  assertEquals(samples[2].reduce((sum, bin) => sum + bin, 0n), 2n * pixels, "every pixel of two frames");
  assertEquals(samples[2][0], 2n * pixels, "and all of them are black");
  assertEquals((await composer.getDisplayedContentSample(display, 0n, stage.subject.now() + 1n)).frameCount, 0n);
};

/** DOZE and BRIGHTNESS are what the other functions say. */
export const getDisplayCapabilities: Run = async ({ composer, displays }) => {
  const found = [];
  for (const display of displays) {
    const capabilities = await composer.getDisplayCapabilities(display);
    assert(!capabilities.includes(DISPLAY_CAPABILITY.INVALID));
    assertEquals(capabilities.includes(DISPLAY_CAPABILITY.DOZE), await composer.getDozeSupport(display));
    assertEquals(
      capabilities.includes(DISPLAY_CAPABILITY.BRIGHTNESS),
      await composer.getDisplayBrightnessSupport(display),
    );
    found.push(capabilities.includes(DISPLAY_CAPABILITY.BRIGHTNESS));
  }
  assertEquals(found, [true, false]);
};

/** 0 to 1 and -1; nothing else; not where it cannot be set. */
export const setDisplayBrightness: Run = async (stage) => {
  const { composer, display } = stage;
  for (const brightness of [0, 0.5, 1, -1]) await composer.setDisplayBrightness(display, brightness);
  for (const brightness of [2, -2, NaN, 1.01, -0.5]) {
    await stage.fails(ERROR.BAD_PARAMETER, () => composer.setDisplayBrightness(display, brightness));
  }
  await stage.fails(ERROR.UNSUPPORTED, () => composer.setDisplayBrightness(stage.displays[1], 0.5));
};

/** The first is internal, the others are not; virtual ones are connected to nothing. */
export const getDisplayConnectionType: Run = async (stage) => {
  const { composer } = stage, [internal, external, virtual] = await withVirtual(stage);
  assertEquals(await composer.getDisplayConnectionType(internal), CONNECTION_TYPE.INTERNAL);
  assertEquals(await composer.getDisplayConnectionType(external), CONNECTION_TYPE.EXTERNAL);
  for (const display of [virtual, NO_DISPLAY]) {
    await stage.fails(ERROR.BAD_DISPLAY, () => composer.getDisplayConnectionType(display));
  }
};

/** Low latency where it can be; elsewhere UNSUPPORTED. */
export const setAutoLowLatencyMode: Run = async (stage) => {
  const { composer, displays: [rich, plain] } = stage;
  for (const on of [true, false]) await composer.setAutoLowLatencyMode(rich, on);
  await stage.fails(ERROR.UNSUPPORTED, () => composer.setAutoLowLatencyMode(plain, true));
};

/** NONE is not among them. */
export const getSupportedContentTypes: Run = async ({ composer, displays }) => {
  assertEquals(await composer.getSupportedContentTypes(displays[0]), [1, 2, 3, 4]);
  assertEquals(await composer.getSupportedContentTypes(displays[1]), []);
};

/** NONE, on every display. */
export const setContentTypeNone: Run = async ({ composer, displays }) => {
  for (const display of displays) await composer.setContentType(display, CONTENT_TYPE.NONE);
};

/** One that a display has, and UNSUPPORTED where it has not. */
export function setContentType(type: number): Run {
  return async (stage) => {
    const { composer, displays: [rich, plain] } = stage;
    await composer.setContentType(rich, type);
    await composer.setContentType(rich, CONTENT_TYPE.NONE);
    await stage.fails(ERROR.UNSUPPORTED, () => composer.setContentType(plain, type));
    await stage.fails(ERROR.BAD_PARAMETER, () => composer.setContentType(rich, 5));
  };
}

/** Reverse DNS, each once, none of Android's. */
export const getLayerGenericMetadataKeys: Run = async (stage) => {
  const { composer, display } = stage, keys: string[] = [];
  for (let index = 0;; index++) {
    const found = await composer.getLayerGenericMetadataKey(index);
    if (!found) break;
    keys.push(found.key);
  }
  assert(keys.length > 0 && new Set(keys).size === keys.length);
  for (const key of keys) assert(/^[a-z]+(\.[\w]+){2,}$/.test(key) && !/^com\.android|^android/.test(key), key);
  const layer = await composer.createLayer(display);
  await composer.setLayerGenericMetadata(display, layer, keys[0], false, new Uint8Array([1, 2]));
  await composer.setLayerGenericMetadata(display, layer, keys[0], false, new Uint8Array());
  await stage.fails(
    ERROR.BAD_PARAMETER,
    () => composer.setLayerGenericMetadata(display, layer, "org.example.none", false, new Uint8Array(1)),
  );
};

/** No two configs are the same. */
export const noConfigTwice: Run = async ({ composer, displays }) => {
  for (const display of displays) {
    const all = await composer.getDisplayConfigurations(display);
    const keys = all.map(({ width, height, vsyncPeriod, configGroup }) =>
      [width, height, vsyncPeriod, configGroup].join()
    );
    assertEquals(new Set(keys).size, keys.length);
    assertEquals(all.map(({ configId }) => configId), await composer.getDisplayConfigs(display));
  }
};

/** A buffer to read into; none is a bad parameter; where nothing can be read it is UNSUPPORTED. */
export const setReadbackBuffer: Run = async (stage) => {
  const { composer, display } = stage, { right, bottom } = await stage.screen();
  await composer.setReadbackBuffer(display, stage.allocate(right, bottom), NO_FENCE);
  const plain = stage.allocate(80, 60);
  await stage.fails(ERROR.UNSUPPORTED, () => composer.setReadbackBuffer(stage.displays[1], plain, NO_FENCE));
};

/** No buffer. */
export const setReadbackBufferBadParameter: Run = (stage) =>
  stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setReadbackBuffer(stage.display, null, NO_FENCE));

/** Nothing was read back. */
export const getReadbackBufferFenceInactive: Run = (stage) =>
  stage.fails(ERROR.UNSUPPORTED, () => stage.composer.getReadbackBufferFence(stage.display));

/** Set, it is what the next device begins with; cleared, the preferred one is. */
export const bootDisplayConfig: Case = {
  options: { ...DEFAULT_DEVICE, bootConfigs: new Map() },
  async run(stage) {
    const { composer, display, subject } = stage, [, second] = await composer.getDisplayConfigs(display);
    const preferred = await composer.getPreferredBootDisplayConfig(display);
    const plugged = async () => {
      const external = subject.controls.plug({
        ...PLAIN,
        name: "Again",
        connector: 7,
        modes: [
          { width: 16, height: 16, refreshRate: 30 },
          { width: 16, height: 16, refreshRate: 60 },
        ],
      });
      await subject.pass(0n);
      return external;
    };
    await composer.setBootDisplayConfig(display, second);
    await composer.clearBootDisplayConfig(display);
    assertEquals(await composer.getActiveConfig(display), preferred);
    const first = await plugged(), [, other] = await composer.getDisplayConfigs(first);
    await composer.setBootDisplayConfig(first, other);
    subject.controls.unplug(first);
    const again = await plugged();
    assertEquals(await composer.getActiveConfig(again), other, "what was set is what the panel begins with");
    await composer.clearBootDisplayConfig(again);
    subject.controls.unplug(again);
    const last = await plugged();
    assertEquals(await composer.getActiveConfig(last), await composer.getPreferredBootDisplayConfig(last));
  },
};

/** One of the four ways a panel can be mounted. */
export const getDisplayPhysicalOrientation: Run = async ({ composer, displays }) => {
  for (const display of displays) assert([0, 3, 4, 7].includes(await composer.getDisplayPhysicalOrientation(display)));
};
