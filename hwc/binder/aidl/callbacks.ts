import { CALLBACK, CONNECTION } from "../../device_types.ts";
import type { RemoteObject } from "../bus.ts";
import { IComposerCallback } from "../gen/composer3_gen.ts";
import { aidlClient } from "../parcel/aidl/client.ts";
import type { Dialect } from "../parcel/aidl/dialect.ts";
import type { ServedClient } from "../served/client.ts";
import { type EventTeller, tellEvents } from "../served/events.ts";

/** `DisplayHotplugEvent`. */
const CONNECTED = 0, DISCONNECTED = 1;
/** The versions that brought callbacks. */
const HOTPLUG_EVENT = 3, DEBUG = 2, HDCP = 4;

/** Tells a client's callback object of events, as the version of the interface has them. */
export function tellAidlClient(
  client: ServedClient,
  remote: RemoteObject,
  dialect: Dialect,
  log: (message: string) => void,
): Promise<void> {
  const to = aidlClient(IComposerCallback, remote, dialect), { version } = dialect;
  const common: EventTeller = {
    [CALLBACK.HOTPLUG](display, connection) {
      const isConnected = connection === CONNECTION.CONNECTED;
      if (version < HOTPLUG_EVENT) return to.onHotplug(display, isConnected);
      return to.onHotplugEvent(display, isConnected ? CONNECTED : DISCONNECTED);
    },
    [CALLBACK.REFRESH]: (display) => to.onRefresh(display),
    [CALLBACK.VSYNC_2_4]: (display, timestamp, period) => to.onVsync(display, timestamp, period),
    [CALLBACK.VSYNC_PERIOD_TIMING_CHANGED]: (display, timeline) => to.onVsyncPeriodTimingChanged(display, timeline),
    [CALLBACK.SEAMLESS_POSSIBLE]: (display) => to.onSeamlessPossible(display),
    [CALLBACK.VSYNC_IDLE]: (display) => to.onVsyncIdle(display),
  };
  if (version < DEBUG) return tellEvents(client, common, log);
  const protection: EventTeller = version < HDCP ? {} : {
    [CALLBACK.HDCP_LEVELS_CHANGED]: (display, connectedLevel, maxLevel) =>
      to.onHdcpLevelsChanged(display, { connectedLevel, maxLevel }),
  };
  return tellEvents(client, {
    ...common,
    ...protection,
    [CALLBACK.REFRESH_RATE_CHANGED_DEBUG]: (display, vsyncPeriodNanos) =>
      to.onRefreshRateChangedDebug({ display, vsyncPeriodNanos, refreshPeriodNanos: vsyncPeriodNanos }),
  }, log);
}
