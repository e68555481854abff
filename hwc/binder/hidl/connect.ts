import { checkArguments } from "../../arguments.ts";
import { CALLBACK } from "../../device_types.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import type { LocalObject, RemoteObject } from "../bus.ts";
import { type BinderComposer, composerOver } from "../connected/composer.ts";
import { BinderConnection } from "../connected/connection.ts";
import type { BinderListeners } from "../connected/listeners.ts";
import type { Methods } from "../connected/methods.ts";
import type { RemoteService } from "../connected/service.ts";
import { hwcErrorOf } from "../errors.ts";
import { IComposer, IComposerCallback, IComposerClient } from "../gen/composer_hidl_gen.ts";
import { chainOf, hidlClient } from "../parcel/hidl/client.ts";
import { hidlService } from "../parcel/hidl/service.ts";
import { CommandSender } from "./command_sender.ts";
import { type Asking, askingBy, composer3Methods } from "./service.ts";
import { baseName, newestName } from "./versions.ts";

/** The version whose callbacks tell more. */
const NEWEST = "2.4";

/**
 * Becomes the client of a composer's HIDL service, 2.1 to 2.4, whose object stays the caller's. Throws an `HwcError` NO_RESOURCES if there is another
 * client, or if the service does not answer.
 */
export async function connectHidl(composer: RemoteObject): Promise<BinderComposer> {
  try {
    const version = await versionOf(composer), device = hidlClient(IComposer, composer);
    const name = newestName(IComposer, "createClient", version) as "createClient";
    const [error, made] = await device[name]();
    if (error !== ERROR.NONE || !made || !("remote" in made)) {
      throw new HwcError("connectComposer", error || ERROR.NO_RESOURCES, "the service gave no client");
    }
    const service = hidlClient(IComposerClient, made.remote), ask = askingBy(service, version);
    const sender = new CommandSender(service, ask, version);
    const connection = new BinderConnection({
      version: Number(version),
      clearsSlots: false,
      methods: withCallback(composer3Methods(service, version), service, version),
      executeCommands: (commands) => sender.send(commands),
      getCapabilities: async () => (await device.getCapabilities())[0],
      dump: async () => (await device.dumpDebugInfo())[0],
      callbackObject: (listeners) => callbackObject(listeners),
      close() {
        sender.close();
        made.remote.release();
      },
    });
    const names = new Set(Object.keys(IComposerClient.methods).map(baseName));
    const lacks = (name: string) => names.has(name) && newestName(IComposerClient, name, version) === undefined;
    return composerOver(connection, ownMethods(connection, ask), lacks);
  } catch (error) {
    throw hwcErrorOf("connectComposer", error);
  }
}

/** The newest version in the names of an object's interfaces. */
async function versionOf(composer: RemoteObject): Promise<string> {
  const chain = await chainOf(composer), form = /^android\.hardware\.graphics\.composer@(2\.\d)::IComposer$/;
  const versions = chain.flatMap((name) => form.exec(name)?.[1] ?? []).filter((one) => one <= NEWEST);
  const newest = versions.sort().at(-1);
  if (newest) return newest;
  throw new HwcError(
    "connectComposer",
    ERROR.UNSUPPORTED,
    `the service is ${chain[0] ?? "nameless"}, no composer of 2.1 to 2.4`,
  );
}

function withCallback(
  methods: RemoteService["methods"],
  service: ReturnType<typeof hidlClient<import("../gen/composer_hidl_gen.ts").IComposerClientMethods>>,
  version: string,
): RemoteService["methods"] {
  return {
    ...methods,
    async registerCallback(callback) {
      if (version >= NEWEST) await service.registerCallback_2_4(callback);
      else await service.registerCallback(callback);
    },
  };
}

/** Methods that HIDL has and composer3 has not, and the other way round. */
function ownMethods(connection: BinderConnection, ask: Asking): Methods {
  const first = <Result>(name: string, ...args: readonly unknown[]): Promise<Result> =>
    connection.ask(name, async () => (await ask(name, ...args))[0]);
  return {
    getDisplayType: (display) => first("getDisplayType", display),
    getDozeSupport: (display) => first("getDozeSupport", display),
    getDisplayBrightnessSupport: (display) => first("getDisplayBrightnessSupport", display),
    getClientTargetSupport: (display, width, height, format, dataspace) =>
      first("getClientTargetSupport", display, width, height, format, dataspace),
    setDisplayBrightness: (display, brightness) => first("setDisplayBrightness", display, brightness),
    getLayerGenericMetadataKey: async (index) =>
      (await first<readonly { key: string; mandatory: boolean }[]>("getLayerGenericMetadataKeys"))[index],
    setLayerGenericMetadata(display, layer, key, mandatory, value) {
      const given = { key, mandatory, value: value.slice() };
      connection.queue.setLayer("setLayerGenericMetadata", display, layer, "genericMetadata", given);
      connection.frames.changed(display);
      return connection.flush("setLayerGenericMetadata").then(() => {});
    },
    setLayerBrightness: unsupported("setLayerBrightness"),
    setLayerBlockingRegion: unsupported("setLayerBlockingRegion"),
    setExpectedPresentTime: unsupported("setExpectedPresentTime"),
  };
}

function unsupported(name: "setLayerBrightness" | "setLayerBlockingRegion" | "setExpectedPresentTime") {
  return (...args: unknown[]): never => {
    checkArguments(name, args);
    throw new HwcError(name, ERROR.UNSUPPORTED, "the HIDL interface has no such method");
  };
}

/** The object of IComposerCallback that tells the listeners. */
function callbackObject(listeners: BinderListeners): LocalObject {
  const told = (tell: () => void): [] => {
    tell();
    return [];
  };
  /** Before 2.4 nobody tells the period. */
  const UNKNOWN_PERIOD = 0;
  return hidlService(IComposerCallback, {
    onHotplug: (display, connection) => told(() => listeners.hotplug(display, connection)),
    onRefresh: (display) => told(() => listeners.tell(CALLBACK.REFRESH, display)),
    onVsync: (display, timestamp) => told(() => listeners.vsync(display, timestamp, UNKNOWN_PERIOD)),
    onVsync_2_4: (display, timestamp, period) => told(() => listeners.vsync(display, timestamp, period)),
    onVsyncPeriodTimingChanged: (display, timeline) =>
      told(() => listeners.tell(CALLBACK.VSYNC_PERIOD_TIMING_CHANGED, display, timeline)),
    onSeamlessPossible: (display) => told(() => listeners.tell(CALLBACK.SEAMLESS_POSSIBLE, display)),
  }, NEWEST);
}
