import { CALLBACK } from "../../device_types.ts";
import type { RemoteObject } from "../bus.ts";
import { IComposerCallback } from "../gen/composer_hidl_gen.ts";
import { hidlClient } from "../parcel/hidl/client.ts";
import type { ServedClient } from "../served/client.ts";
import { type EventTeller, tellEvents } from "../served/events.ts";

/** Tells a client's callback object of events: with those of 2.4 if it was registered for them. */
export function tellHidlClient(
  client: ServedClient,
  remote: RemoteObject,
  isNewest: boolean,
  log: (message: string) => void,
): Promise<void> {
  const to = hidlClient(IComposerCallback, remote);
  const common: EventTeller = {
    [CALLBACK.HOTPLUG]: (display, connection) => to.onHotplug(display, connection),
    [CALLBACK.REFRESH]: (display) => to.onRefresh(display),
  };
  return tellEvents(client, {
    ...common,
    ...isNewest
      ? {
        [CALLBACK.VSYNC_2_4]: (display: bigint, time: bigint, period: number) => to.onVsync_2_4(display, time, period),
        [CALLBACK.VSYNC_PERIOD_TIMING_CHANGED]: (display, timeline) => to.onVsyncPeriodTimingChanged(display, timeline),
        [CALLBACK.SEAMLESS_POSSIBLE]: (display: bigint) => to.onSeamlessPossible(display),
      } satisfies EventTeller
      : { [CALLBACK.VSYNC]: (display: bigint, time: bigint) => to.onVsync(display, time) },
  }, log);
}
