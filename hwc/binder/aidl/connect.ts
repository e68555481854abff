import { CALLBACK, CONNECTION } from "../../device_types.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import type { LocalObject, RemoteObject } from "../bus.ts";
import { type BinderComposer, composerOver } from "../connected/composer.ts";
import { BinderConnection } from "../connected/connection.ts";
import type { BinderListeners } from "../connected/listeners.ts";
import type { RemoteService } from "../connected/service.ts";
import { hwcErrorOf } from "../errors.ts";
import { IComposer, IComposerCallback, IComposerClient } from "../gen/composer3_gen.ts";
import { aidlClient, dumpOf, versionOf } from "../parcel/aidl/client.ts";
import type { Dialect } from "../parcel/aidl/dialect.ts";
import { aidlService } from "../parcel/aidl/service.ts";

/**
 * Becomes the client of a composer's AIDL service, whose object stays the caller's. Throws an `HwcError` NO_RESOURCES if there is another client, or if
 * the service does not answer.
 */
export async function connectAidl(composer: RemoteObject, release: number): Promise<BinderComposer> {
  const first = { release, version: 1 };
  try {
    const made = await aidlClient(IComposer, composer, first).createClient();
    if (!made || !("remote" in made)) {
      throw new HwcError("connectComposer", ERROR.NO_RESOURCES, "the service gave no client");
    }
    const version = await versionOf(IComposerClient.descriptor, made.remote, first).catch(() => 1);
    return composerOver(new BinderConnection(serviceOf(composer, made.remote, { release, version })));
  } catch (error) {
    throw hwcErrorOf("connectComposer", error);
  }
}

/** The version that brought slots to be cleared. */
const CLEARS_SLOTS = 2;

function serviceOf(composer: RemoteObject, client: RemoteObject, dialect: Dialect): RemoteService {
  const device = aidlClient(IComposer, composer, dialect), methods = aidlClient(IComposerClient, client, dialect);
  return {
    version: dialect.version,
    clearsSlots: dialect.version >= CLEARS_SLOTS,
    methods,
    executeCommands: (commands) => methods.executeCommands(commands),
    getCapabilities: () => device.getCapabilities(),
    dump: () => dumpOf(composer, dialect),
    callbackObject: (listeners) => callbackObject(listeners, dialect),
    close: () => client.release(),
  };
}

/** The object of IComposerCallback that tells the listeners. */
function callbackObject(listeners: BinderListeners, dialect: Dialect): LocalObject {
  return aidlService(
    IComposerCallback,
    {
      onHotplug: (display, connected) => listeners.hotplug(id(display), connectionOf(connected)),
      onHotplugEvent: (display, event) => listeners.hotplug(id(display), connectionOf(event === 0)),
      onRefresh: (display) => listeners.tell(CALLBACK.REFRESH, id(display)),
      onSeamlessPossible: (display) => listeners.tell(CALLBACK.SEAMLESS_POSSIBLE, id(display)),
      onVsync: (display, timestamp, period) => listeners.vsync(id(display), timestamp, period),
      onVsyncPeriodTimingChanged: (display, timeline) =>
        listeners.tell(CALLBACK.VSYNC_PERIOD_TIMING_CHANGED, id(display), timeline),
      onVsyncIdle: (display) => listeners.tell(CALLBACK.VSYNC_IDLE, id(display)),
      onRefreshRateChangedDebug: ({ display, vsyncPeriodNanos }) =>
        listeners.tell(CALLBACK.REFRESH_RATE_CHANGED_DEBUG, id(display), vsyncPeriodNanos),
      onHdcpLevelsChanged: (display, { connectedLevel, maxLevel }) =>
        listeners.tell(CALLBACK.HDCP_LEVELS_CHANGED, id(display), connectedLevel, maxLevel),
    },
    dialect,
    { hash: "notfrozen" },
  );
}

function connectionOf(isConnected: boolean): number {
  return isConnected ? CONNECTION.CONNECTED : CONNECTION.DISCONNECTED;
}

function id(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
