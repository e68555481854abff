import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { ATTRIBUTE, CAPABILITY, DISPLAY_CAPABILITY, DISPLAY_TYPE } from "../../device_types.ts";
import { HwcError } from "../../hwc_error.ts";
import { DATASPACE, ERROR, FORMAT } from "../../types.ts";
import type { HdrConversionStrategy } from "../gen/composer3_gen.ts";
import type { BinderConnection } from "./connection.ts";
import type { Methods } from "./methods.ts";
import { type AnyMethod, askAny, type SameName } from "./same_name.ts";
import { SLOT_COUNT } from "./sent_slots.ts";

/** The methods about the device as a whole. */
export function deviceMethods(connection: BinderConnection): Methods {
  const { service } = connection;
  return {
    async getCapabilities() {
      const all = await connection.named("getCapabilities", () => service.getCapabilities());
      return all.filter((capability) => capability !== CAPABILITY.LAYER_LIFECYCLE_BATCH_COMMAND); // is about batches alone
    },
    dump: () => connection.named("dump", () => service.dump()),
    getMaxVirtualDisplayCount: () =>
      connection.ask("getMaxVirtualDisplayCount", (it) => it.getMaxVirtualDisplayCount()),
    getDataspaceSaturationMatrix: (dataspace) =>
      connection.ask(
        "getDataspaceSaturationMatrix",
        async (it) => [...await it.getDataspaceSaturationMatrix(dataspace)],
      ),
    async getOverlaySupport() {
      const { combinations, supportMixedColorSpaces } = await connection.ask("getOverlaySupport", (it) => {
        return it.getOverlaySupport();
      });
      return { combinations, supportMixedColorSpaces };
    },
    getHdrConversionCapabilities: async () => [...await askAny(connection, "getHdrConversionCapabilities", [])],
    setHdrConversionStrategy: (strategy) =>
      connection.ask("setHdrConversionStrategy", (it) => {
        const [[tag, value]] = Object.entries(strategy);
        return it.setHdrConversionStrategy({ tag, value } as HdrConversionStrategy);
      }),
    async createVirtualDisplay(width, height, format) {
      const made = await connection.ask("createVirtualDisplay", (it) => {
        return it.createVirtualDisplay(width, height, format, SLOT_COUNT);
      });
      const display = id(made.display);
      connection.virtual.add(display);
      return { display, format: made.format };
    },
    async destroyVirtualDisplay(display) {
      await connection.ask("destroyVirtualDisplay", (it) => it.destroyVirtualDisplay(display));
      connection.forgetDisplay(display);
    },
  };
}

/** Questions about a display. */
export function questions(connection: BinderConnection): Methods {
  /** Methods that answer a number, a text or an object as the composer does. */
  const ask = (name: SameName): AnyMethod => (...args) => askAny(connection, name, args);
  const list = (name: SameName): AnyMethod => async (...args) => [...await askAny(connection, name, args)];
  return {
    getActiveConfig: (display) =>
      connection.ask("getActiveConfig", async (it) => await it.getActiveConfig(display) >>> 0),
    getDisplayAttribute: ask("getDisplayAttribute"),
    getDisplayConfigs: list("getDisplayConfigs"),
    getDisplayName: ask("getDisplayName"),
    async getDisplayType(display) {
      await connection.ask("getDisplayType", (it) => it.getActiveConfig(display));
      return connection.virtual.has(display) ? DISPLAY_TYPE.VIRTUAL : DISPLAY_TYPE.PHYSICAL;
    },
    async getDozeSupport(display) {
      const all = await connection.ask("getDozeSupport", (it) => it.getDisplayCapabilities(display));
      return all.includes(DISPLAY_CAPABILITY.DOZE);
    },
    async getDisplayBrightnessSupport(display) {
      const all = await connection.ask("getDisplayBrightnessSupport", (it) => it.getDisplayCapabilities(display));
      return all.includes(DISPLAY_CAPABILITY.BRIGHTNESS);
    },
    async getClientTargetSupport(display, width, height, format, dataspace) {
      const size = await connection.ask("getClientTargetSupport", async (it) => {
        const config = await it.getActiveConfig(display),
          attribute = (which: number) => it.getDisplayAttribute(display, config, which);
        return [await attribute(ATTRIBUTE.WIDTH), await attribute(ATTRIBUTE.HEIGHT)];
      });
      const isMust = format === FORMAT.RGBA_8888 && dataspace === DATASPACE.UNKNOWN && width === size[0] &&
        height === size[1];
      if (isMust) return;
      const sentence = "the AIDL interface cannot be asked; every display takes RGBA_8888 of its size";
      throw new HwcError("getClientTargetSupport", ERROR.UNSUPPORTED, sentence);
    },
    getLayerGenericMetadataKey: () => undefined, // the interface has none
    getHdrCapabilities: ask("getHdrCapabilities"),
    getColorModes: list("getColorModes"),
    getPerFrameMetadataKeys: list("getPerFrameMetadataKeys"),
    getReadbackBufferAttributes: ask("getReadbackBufferAttributes"),
    async getReadbackBufferFence(display) {
      const fd = await connection.ask("getReadbackBufferFence", (it) => it.getReadbackBufferFence(display));
      return fd === null ? NativeFence.signaled() : NativeFence.adopt(fd);
    },
    getRenderIntents: list("getRenderIntents"),
    async getDisplayIdentificationData(display) {
      const { port, data } = await connection.ask("getDisplayIdentificationData", (it) => {
        return it.getDisplayIdentificationData(display);
      });
      return { port: port & 0xff, data };
    },
    getDisplayCapabilities: list("getDisplayCapabilities"),
    async getDisplayedContentSamplingAttributes(display) {
      const found = await connection.ask("getDisplayedContentSamplingAttributes", (it) => {
        return it.getDisplayedContentSamplingAttributes(display);
      });
      return { ...found, componentMask: found.componentMask & 0xff };
    },
    async getDisplayedContentSample(display, maxFrames, timestamp) {
      const sample = await connection.ask("getDisplayedContentSample", (it) => {
        return it.getDisplayedContentSample(display, maxFrames, timestamp);
      });
      const { sampleComponent0, sampleComponent1, sampleComponent2, sampleComponent3 } = sample;
      const samples = [sampleComponent0, sampleComponent1, sampleComponent2, sampleComponent3];
      return { frameCount: sample.frameCount, samples };
    },
    getDisplayConnectionType: ask("getDisplayConnectionType"),
    getDisplayVsyncPeriod: ask("getDisplayVsyncPeriod"),
    getSupportedContentTypes: list("getSupportedContentTypes"),
    getPreferredBootDisplayConfig: ask("getPreferredBootDisplayConfig"),
    async getDisplayConfigurations(display) {
      const all = await connection.ask(
        "getDisplayConfigurations",
        (it) => it.getDisplayConfigurations(display, NO_LIMIT),
      );
      return all.map(({ dpi, configId, width, height, vsyncPeriod, configGroup }) => {
        return { configId, width, height, vsyncPeriod, configGroup, ...dpi && { dpi } };
      });
    },
    getDisplayPhysicalOrientation: ask("getDisplayPhysicalOrientation"),
    getDisplayDecorationSupport: async (display) =>
      await askAny(connection, "getDisplayDecorationSupport", [display]) ?? undefined,
    getMaxLayerPictureProfiles: ask("getMaxLayerPictureProfiles"),
  };
}

/** Configs of all periods. */
const NO_LIMIT = 0;

function id(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
