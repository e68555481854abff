import { ERROR } from "../../types.ts";
import { codeOf } from "../errors.ts";
import type { IComposerClientMethods } from "../gen/composer_hidl_gen.ts";
import type { NativeHandle } from "../parcel/hidl/parcel.ts";
import type { ServedClient } from "../served/client.ts";
import { composerClientMethods } from "../served/methods.ts";

type Implementation = Readonly<Record<string, (...args: never[]) => unknown>>;
type Results<Name extends keyof IComposerClientMethods> = Promise<ReturnType<IComposerClientMethods[Name]>>;

/** The newest capability of a display in each version that has such a method. */
const MOST_DISPLAY_CAPABILITY: Readonly<Record<string, number>> = { "2.3": 3, "2.4": 5 };

/** Nothing there: what stands in the place of a result that failed. */
const NOTHING: NativeHandle = { fds: [], ints: [] };

/** The methods of IComposerClient without their versions, but those of its commands and its callback. */
export function hidlMethods(client: ServedClient, version: string, log: (message: string) => void): Implementation {
  const it = composerClientMethods(client);
  const failed = (error: unknown): number => {
    log(`A call failed: ${error}`);
    return codeOf(error);
  };
  const tools: Tools = {
    version,
    async gives(run, ...defaults) {
      try {
        return [ERROR.NONE, ...await run()];
      } catch (error) {
        return [failed(error), ...defaults];
      }
    },
    async one(run, value) {
      try {
        return [ERROR.NONE, await run()];
      } catch (error) {
        return [failed(error), value];
      }
    },
    async does(run) {
      try {
        await run();
        return [ERROR.NONE];
      } catch (error) {
        return [failed(error)];
      }
    },
  };
  return {
    ...displays(it, client, tools),
    ...settings(it, client, tools),
  };
}

/** Ways to answer: the error, and the results behind it; the defaults are those of a failure. */
interface Tools {
  readonly version: string;
  gives<Values extends unknown[]>(run: () => Promise<Values>, ...failed: Values): Promise<[number, ...Values]>;
  does(run: () => unknown): Promise<[number]>;
  one<Value>(run: () => Value | Promise<Value>, failed: Value): Promise<[number, Value]>;
}

type Methods = ReturnType<typeof composerClientMethods>;

function displays(it: Methods, client: ServedClient, { gives, does, one, version }: Tools): Implementation {
  return {
    getMaxVirtualDisplayCount: async (): Results<"getMaxVirtualDisplayCount"> => [await it.getMaxVirtualDisplayCount()],
    createVirtualDisplay: (width: number, height: number, hint: number, slots: number) =>
      gives(
        async () => {
          const { display, format } = await it.createVirtualDisplay(width, height, hint, slots);
          return [display, format];
        },
        0n,
        0,
      ),
    destroyVirtualDisplay: (display: bigint) => does(() => it.destroyVirtualDisplay(display)),
    createLayer: (display: bigint, slots: number) => one(() => it.createLayer(display, slots), 0n),
    destroyLayer: (display: bigint, layer: bigint) => does(() => it.destroyLayer(display, layer)),
    getActiveConfig: (display: bigint) => one(() => it.getActiveConfig(display), 0),
    getClientTargetSupport: (display: bigint, width: number, height: number, format: number, dataspace: number) =>
      does(() => client.call("getClientTargetSupport", display, width, height, format, dataspace)),
    getColorModes: (display: bigint) => one(() => it.getColorModes(display), []),
    getDisplayAttribute: (display: bigint, config: number, attribute: number) =>
      one(() => it.getDisplayAttribute(display, config, attribute), 0),
    getDisplayConfigs: (display: bigint) => one(() => it.getDisplayConfigs(display), []),
    getDisplayName: (display: bigint) => one(() => it.getDisplayName(display), ""),
    getDisplayType: (display: bigint) => one(() => client.call("getDisplayType", display), 0),
    getDozeSupport: (display: bigint) => one(() => client.call("getDozeSupport", display), false),
    getHdrCapabilities: (display: bigint) =>
      gives(
        async () => {
          const { types, maxLuminance, maxAverageLuminance, minLuminance } = await it.getHdrCapabilities(display);
          return [types, maxLuminance, maxAverageLuminance, minLuminance] as [
            readonly number[],
            number,
            number,
            number,
          ];
        },
        [],
        0,
        0,
        0,
      ),
    getPerFrameMetadataKeys: (display: bigint) => one(() => it.getPerFrameMetadataKeys(display), []),
    getReadbackBufferAttributes: (display: bigint) =>
      gives(
        async () => {
          const { format, dataspace } = await it.getReadbackBufferAttributes(display);
          return [format, dataspace];
        },
        0,
        0,
      ),
    getReadbackBufferFence: (display: bigint) =>
      one<NativeHandle | null>(async () => {
        const fd = await it.getReadbackBufferFence(display);
        return fd === null ? null : { fds: [fd], ints: [] };
      }, null),
    getRenderIntents: (display: bigint, mode: number) => one(() => it.getRenderIntents(display, mode), []),
    getDataspaceSaturationMatrix: (dataspace: number) =>
      one(() => it.getDataspaceSaturationMatrix(dataspace), new Array<number>(16).fill(0)),
    getDisplayIdentificationData: (display: bigint) =>
      gives(
        async () => {
          const { port, data } = await it.getDisplayIdentificationData(display);
          return [port & 0xff, [...data]];
        },
        0,
        [] as number[],
      ),
    getDisplayedContentSamplingAttributes: (display: bigint) =>
      gives(
        async () => {
          const { format, dataspace, componentMask } = await it.getDisplayedContentSamplingAttributes(display);
          return [format, dataspace, componentMask];
        },
        0,
        0,
        0,
      ),
    getDisplayedContentSample: (display: bigint, maxFrames: bigint, timestamp: bigint) =>
      gives(
        async () => {
          const { frameCount, samples } = await client.call(
            "getDisplayedContentSample",
            display,
            maxFrames,
            BigInt.asIntN(64, timestamp),
          );
          const [a = [], b = [], c = [], d = []] = samples;
          return [frameCount, a, b, c, d];
        },
        0n,
        [] as readonly bigint[],
        [] as readonly bigint[],
        [] as readonly bigint[],
        [] as readonly bigint[],
      ),
    getDisplayCapabilities: (display: bigint) =>
      one(async () => {
        const most = MOST_DISPLAY_CAPABILITY[version] ?? 0;
        return (await it.getDisplayCapabilities(display)).filter((one) => one <= most);
      }, [] as readonly number[]),
    getDisplayBrightnessSupport: (display: bigint) =>
      one(() => client.call("getDisplayBrightnessSupport", display), false),
    getDisplayConnectionType: (display: bigint) => one(() => it.getDisplayConnectionType(display), 0),
    getDisplayVsyncPeriod: (display: bigint) => one(() => it.getDisplayVsyncPeriod(display), 0),
    getSupportedContentTypes: (display: bigint) => one(() => it.getSupportedContentTypes(display), []),
    getLayerGenericMetadataKeys: () => one(() => genericKeys(client), []),
  };
}

/** Clients stop to ask for keys after these. */
const MOST_KEYS = 100;

async function genericKeys(client: ServedClient) {
  const keys: { readonly key: string; readonly mandatory: boolean }[] = [];
  while (keys.length < MOST_KEYS) {
    const found = await client.call("getLayerGenericMetadataKey", keys.length);
    if (!found) break;
    keys.push(found);
  }
  return keys;
}

function settings(it: Methods, client: ServedClient, { does, one, version }: Tools): Implementation {
  const withIntent = "2.2";
  return {
    setClientTargetSlotCount: (display: bigint, count: number) =>
      does(() => it.setClientTargetSlotCount(display, count)),
    setActiveConfig: (display: bigint, config: number) => does(() => it.setActiveConfig(display, config)),
    setColorMode: (display: bigint, mode: number, intent?: number) =>
      does(() =>
        version >= withIntent && intent !== undefined
          ? it.setColorMode(display, mode, intent)
          : client.call("setColorMode", display, mode)
      ),
    setPowerMode: (display: bigint, mode: number) => does(() => it.setPowerMode(display, mode)),
    setVsyncEnabled: (display: bigint, enabled: number) => does(() => client.call("setVsyncEnabled", display, enabled)),
    setReadbackBuffer: (display: bigint, buffer: NativeHandle | null, fence: NativeHandle | null) =>
      does(() => client.setReadbackBuffer(display, buffer ?? NOTHING, fence?.fds[0] ?? -1)),
    setDisplayedContentSamplingEnabled: (display: bigint, enable: number, mask: number, maxFrames: bigint) =>
      does(() => client.call("setDisplayedContentSamplingEnabled", display, enable, mask, maxFrames)),
    setDisplayBrightness: (display: bigint, brightness: number) =>
      does(() => client.call("setDisplayBrightness", display, brightness)),
    setActiveConfigWithConstraints: (
      display: bigint,
      config: number,
      constraints: { readonly desiredTimeNanos: bigint; readonly seamlessRequired: boolean },
    ) => one(() => it.setActiveConfigWithConstraints(display, config, constraints), NO_TIMELINE),
    setAutoLowLatencyMode: (display: bigint, on: boolean) => does(() => it.setAutoLowLatencyMode(display, on)),
    setContentType: (display: bigint, type: number) => does(() => it.setContentType(display, type)),
  };
}

const NO_TIMELINE = { newVsyncAppliedTimeNanos: 0n, refreshRequired: false, refreshTimeNanos: 0n };
