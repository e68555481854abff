import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import type { HdrConversionStrategy as ComposerStrategy } from "../../composer_records.ts";
import { refuse } from "../../core/refusal.ts";
import { CONTENT_SAMPLING, VSYNC } from "../../device_types.ts";
import { ERROR } from "../../types.ts";
import type { Buffer, HdrConversionStrategy, IComposerClientMethods } from "../gen/composer3_gen.ts";
import type { Handlers } from "../parcel/aidl/service.ts";
import type { ServedClient } from "./client.ts";

type Methods = Handlers<Omit<IComposerClientMethods, "executeCommands" | "registerCallback">>;

/** A display or a layer: a long here, which has a sign. */
function id(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

/** The methods of IComposerClient but those of its frames and its callback, over a composer. */
export function composerClientMethods(client: ServedClient): Methods {
  return {
    ...displayMethods(client),
    ...settingMethods(client),
    ...laterMethods(client),
  };
}

type DisplayMethods = Pick<
  Methods,
  Extract<keyof Methods, "createLayer" | "destroyLayer" | `get${string}` | `create${string}` | `destroy${string}`>
>;

function displayMethods(client: ServedClient): Omit<DisplayMethods, keyof ReturnType<typeof laterMethods>> {
  return {
    createLayer: (display, slots) => client.createLayer(id(display), slots),
    createVirtualDisplay: (width, height, format, slots) =>
      client.createVirtualDisplay(width >>> 0, height >>> 0, format, slots),
    destroyLayer: (display, layer) => client.destroyLayer(id(display), id(layer)),
    destroyVirtualDisplay: (display) => client.destroyVirtualDisplay(id(display)),
    getActiveConfig: (display) => client.call("getActiveConfig", id(display)),
    getColorModes: (display) => client.call("getColorModes", id(display)),
    getDataspaceSaturationMatrix: (dataspace) => client.call("getDataspaceSaturationMatrix", dataspace),
    getDisplayAttribute: (display, config, attribute) =>
      client.call("getDisplayAttribute", id(display), config >>> 0, attribute),
    getDisplayCapabilities: (display) => client.call("getDisplayCapabilities", id(display)),
    getDisplayConfigs: (display) => client.call("getDisplayConfigs", id(display)),
    getDisplayConnectionType: (display) => client.call("getDisplayConnectionType", id(display)),
    getDisplayIdentificationData: (display) => client.call("getDisplayIdentificationData", id(display)),
    getDisplayName: (display) => client.call("getDisplayName", id(display)),
    getDisplayVsyncPeriod: (display) => client.call("getDisplayVsyncPeriod", id(display)),
    async getDisplayedContentSample(display, maxFrames, timestamp) {
      const { frameCount, samples } = await client.call(
        "getDisplayedContentSample",
        id(display),
        id(maxFrames),
        timestamp,
      );
      const [sampleComponent0 = [], sampleComponent1 = [], sampleComponent2 = [], sampleComponent3 = []] = samples;
      return { frameCount, sampleComponent0, sampleComponent1, sampleComponent2, sampleComponent3 };
    },
    getDisplayedContentSamplingAttributes: (display) =>
      client.call("getDisplayedContentSamplingAttributes", id(display)),
    getDisplayPhysicalOrientation: (display) => client.call("getDisplayPhysicalOrientation", id(display)),
    getHdrCapabilities: (display) => client.call("getHdrCapabilities", id(display)),
    getMaxVirtualDisplayCount: () => client.call("getMaxVirtualDisplayCount"),
    getPerFrameMetadataKeys: (display) => client.call("getPerFrameMetadataKeys", id(display)),
    getReadbackBufferAttributes: (display) => client.call("getReadbackBufferAttributes", id(display)),
    async getReadbackBufferFence(display) {
      const fence = await client.call("getReadbackBufferFence", id(display));
      try {
        const fd = client.relay.descriptorOf(fence);
        return fd < 0 ? null : fd;
      } finally {
        fence.close();
      }
    },
    getRenderIntents: (display, mode) => client.call("getRenderIntents", id(display), mode),
    getSupportedContentTypes: (display) => client.call("getSupportedContentTypes", id(display)),
    getPreferredBootDisplayConfig: (display) => client.call("getPreferredBootDisplayConfig", id(display)),
    async getDisplayConfigurations(display, _maxFrameIntervalNs) {
      const all = await client.call("getDisplayConfigurations", id(display));
      return all.map((config) => ({ ...config, dpi: config.dpi ?? null }));
    },
  };
}

type SettingMethods = Pick<Methods, Extract<keyof Methods, `set${string}` | `clear${string}`>>;

function settingMethods(client: ServedClient): Omit<SettingMethods, keyof ReturnType<typeof laterMethods>> {
  return {
    setActiveConfig: (display, config) => client.call("setActiveConfig", id(display), config >>> 0),
    setActiveConfigWithConstraints: (display, config, constraints) =>
      client.call("setActiveConfigWithConstraints", id(display), config >>> 0, constraints),
    setBootDisplayConfig: (display, config) => client.call("setBootDisplayConfig", id(display), config >>> 0),
    clearBootDisplayConfig: (display) => client.call("clearBootDisplayConfig", id(display)),
    setAutoLowLatencyMode: (display, on) => client.call("setAutoLowLatencyMode", id(display), on),
    setClientTargetSlotCount: (display, count) => client.setClientTargetSlotCount(id(display), count),
    setColorMode: (display, mode, intent) => client.call("setColorModeWithRenderIntent", id(display), mode, intent),
    setContentType: (display, type) => client.call("setContentType", id(display), type),
    setDisplayedContentSamplingEnabled(display, enable, components, maxFrames) {
      const sampling = enable ? CONTENT_SAMPLING.ENABLE : CONTENT_SAMPLING.DISABLE;
      return client.call("setDisplayedContentSamplingEnabled", id(display), sampling, components & 0xff, id(maxFrames));
    },
    setPowerMode: (display, mode) => client.call("setPowerMode", id(display), mode),
    setReadbackBuffer: (display, buffer, fence) => client.setReadbackBuffer(id(display), buffer, fence ?? -1),
    setVsyncEnabled: (display, enabled) =>
      client.call("setVsyncEnabled", id(display), enabled ? VSYNC.ENABLE : VSYNC.DISABLE),
    setIdleTimerEnabled: (display, milliseconds) => client.call("setIdleTimerEnabled", id(display), milliseconds),
    setRefreshRateChangedCallbackDebugEnabled: (display, enabled) =>
      client.call("setRefreshRateChangedCallbackDebugEnabled", id(display), enabled),
  };
}

/** Methods about what a device can do beside its frames. */
function laterMethods(client: ServedClient) {
  return {
    getDisplayDecorationSupport: async (display: bigint) =>
      await client.call("getDisplayDecorationSupport", id(display)) ?? null,
    getOverlaySupport: () => client.call("getOverlaySupport"),
    getHdrConversionCapabilities: () => client.call("getHdrConversionCapabilities"),
    setHdrConversionStrategy: ({ tag, value }: HdrConversionStrategy) =>
      client.call("setHdrConversionStrategy", { [tag]: value } as unknown as ComposerStrategy),
    notifyExpectedPresent: (
      display: bigint,
      { timestampNanos }: { readonly timestampNanos: bigint },
      frameIntervalNs: number,
    ) => client.call("notifyExpectedPresent", id(display), timestampNanos, frameIntervalNs),
    getMaxLayerPictureProfiles: (display: bigint) => client.call("getMaxLayerPictureProfiles", id(display)),
    startHdcpNegotiation: (
      display: bigint,
      { connectedLevel, maxLevel }: { readonly connectedLevel: number; readonly maxLevel: number },
    ) => client.call("startHdcpNegotiation", id(display), connectedLevel, maxLevel),
    getLuts(_display: bigint, buffers: readonly Buffer[]) {
      for (const { handle, fence } of buffers) [...handle?.fds ?? [], fence ?? -1].forEach(closeDescriptor);
      return refuse(ERROR.UNSUPPORTED, "the composer has no tables of colours");
    },
    getDisplayKnownVsyncSample: () => refuse(ERROR.UNSUPPORTED, "the composer has no sample of vsyncs"),
  };
}
