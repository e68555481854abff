import { ATTRIBUTE, CONTENT_SAMPLING, VSYNC } from "../../device_types.ts";
import { ERROR } from "../../types.ts";
import type { RemoteService } from "../connected/service.ts";
import { IComposerClient as Composer3 } from "../gen/composer3_gen.ts";
import { IComposerClient, type IComposerClientMethods } from "../gen/composer_hidl_gen.ts";
import type { HidlClient } from "../parcel/hidl/client.ts";
import { AidlException, EXCEPTION } from "../parcel/aidl/exception.ts";
import { newestName } from "./versions.ts";

type Methods = RemoteService["methods"];
// deno-lint-ignore no-explicit-any
type Any = any;

/** Asks by the newest form of a method that the service has; the results behind its error, which is thrown. */
export type Asking = (base: string, ...args: readonly unknown[]) => Promise<Any[]>;

/** The way to ask a service of a version. */
export function askingBy(service: HidlClient<IComposerClientMethods>, version: string): Asking {
  return async (base, ...args) => {
    const name = newestName(IComposerClient, base, version) as keyof IComposerClientMethods | undefined;
    if (!name) unsupported(base);
    const [error, ...results] = await (service[name] as (...args: unknown[]) => Promise<Any[]>)(...args);
    if (error !== ERROR.NONE) throw new AidlException(EXCEPTION.SERVICE_SPECIFIC, "", error);
    return results;
  };
}

/** A service of HIDL by composer3's methods: those that HIDL has no words for are not supported. */
export function composer3Methods(service: HidlClient<IComposerClientMethods>, version: string): Methods {
  const ask = askingBy(service, version);
  const first = async (base: string, ...args: readonly unknown[]) => (await ask(base, ...args))[0];
  const names = Object.keys(Composer3.methods);
  const missing = Object.fromEntries(
    names.map((name) => [name, () => Promise.resolve().then(() => unsupported(name))]),
  );
  const same = Object.fromEntries(ONE_RESULT.map((name) => [name, (...args: unknown[]) => first(name, ...args)]));
  return { ...missing, ...same, ...questions(service, ask, first), ...settings(ask, version) } as unknown as Methods;
}

/** Methods with composer3's arguments, and its result or none. */
const ONE_RESULT = [
  "createLayer",
  "destroyLayer",
  "destroyVirtualDisplay",
  "getActiveConfig",
  "getColorModes",
  "getDataspaceSaturationMatrix",
  "getDisplayAttribute",
  "getDisplayConfigs",
  "getDisplayName",
  "getDisplayCapabilities",
  "getDisplayConnectionType",
  "getDisplayVsyncPeriod",
  "getPerFrameMetadataKeys",
  "getRenderIntents",
  "getSupportedContentTypes",
  "setActiveConfig",
  "setActiveConfigWithConstraints",
  "setAutoLowLatencyMode",
  "setClientTargetSlotCount",
  "setContentType",
  "setPowerMode",
] as const;

type First = (base: string, ...args: readonly unknown[]) => Promise<Any>;

function questions(service: HidlClient<IComposerClientMethods>, ask: Asking, first: First): Partial<Methods> {
  return {
    getMaxVirtualDisplayCount: async () => (await service.getMaxVirtualDisplayCount())[0],
    async createVirtualDisplay(width, height, hint, slots) {
      const [display, format] = await ask("createVirtualDisplay", width, height, hint, slots);
      return { display, format };
    },
    async getHdrCapabilities(display) {
      const [types, maxLuminance, maxAverageLuminance, minLuminance] = await ask("getHdrCapabilities", display);
      return { types, maxLuminance, maxAverageLuminance, minLuminance };
    },
    async getReadbackBufferAttributes(display) {
      const [format, dataspace] = await ask("getReadbackBufferAttributes", display);
      return { format, dataspace };
    },
    getReadbackBufferFence: async (display) => (await first("getReadbackBufferFence", display))?.fds[0] ?? null,
    async getDisplayIdentificationData(display) {
      const [port, data] = await ask("getDisplayIdentificationData", display);
      return { port, data: Uint8Array.from(data) };
    },
    async getDisplayedContentSamplingAttributes(display) {
      const [format, dataspace, componentMask] = await ask("getDisplayedContentSamplingAttributes", display);
      return { format, dataspace, componentMask };
    },
    async getDisplayedContentSample(display, maxFrames, timestamp) {
      const [frameCount, a, b, c, d] = await ask("getDisplayedContentSample", display, maxFrames, timestamp);
      return { frameCount, sampleComponent0: a, sampleComponent1: b, sampleComponent2: c, sampleComponent3: d };
    },
    async getDisplayConfigurations(display) {
      const configs: number[] = await first("getDisplayConfigs", display), all = [];
      for (const config of configs) all.push(await configurationOf(first, display, config));
      return all;
    },
  };
}

/** Before there was one answer for all of it, each attribute was asked for. */
async function configurationOf(first: First, display: bigint, configId: number) {
  const attribute = (which: number): Promise<number> => first("getDisplayAttribute", display, configId, which);
  const x = await attribute(ATTRIBUTE.DPI_X), y = await attribute(ATTRIBUTE.DPI_Y);
  return {
    configId,
    width: await attribute(ATTRIBUTE.WIDTH),
    height: await attribute(ATTRIBUTE.HEIGHT),
    vsyncPeriod: await attribute(ATTRIBUTE.VSYNC_PERIOD),
    configGroup: await attribute(ATTRIBUTE.CONFIG_GROUP),
    dpi: x > 0 && y > 0 ? { x: x / 1000, y: y / 1000 } : null,
  };
}

/** The version that brought render intents. */
const WITH_INTENT = "2.2";

function settings(ask: Asking, version: string): Partial<Methods> {
  const does = async (base: string, ...args: readonly unknown[]) => void await ask(base, ...args);
  return {
    setColorMode: (display, mode, intent) =>
      does("setColorMode", display, mode, ...version >= WITH_INTENT ? [intent] : []),
    setVsyncEnabled: (display, enabled) => does("setVsyncEnabled", display, enabled ? VSYNC.ENABLE : VSYNC.DISABLE),
    setReadbackBuffer: (display, buffer, fence) =>
      does("setReadbackBuffer", display, buffer, fence === null ? null : { fds: [fence], ints: [] }),
    setDisplayedContentSamplingEnabled(display, enable, mask, maxFrames) {
      const sampling = enable ? CONTENT_SAMPLING.ENABLE : CONTENT_SAMPLING.DISABLE;
      return does("setDisplayedContentSamplingEnabled", display, sampling, mask, maxFrames);
    },
  };
}

function unsupported(name: string): never {
  throw new AidlException(EXCEPTION.SERVICE_SPECIFIC, `the HIDL interface has no ${name}`, ERROR.UNSUPPORTED);
}
