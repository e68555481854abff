import type { RemoteObject } from "../bus.ts";
import { CALLBACK, CONNECTION } from "../../device_types.ts";
import type { ComposerCallbacks } from "../../composer_records.ts";
import { IComposerCallback, type IComposerCallbackMethods } from "../gen/composer3_gen.ts";
import { type AidlClient, aidlClient } from "../parcel/aidl/client.ts";
import type { Dialect } from "../parcel/aidl/dialect.ts";
import type { ServedClient } from "../served/client.ts";

/** `DisplayHotplugEvent`. */
const CONNECTED = 0, DISCONNECTED = 1;
/** The versions that brought callbacks. */
const HOTPLUG_EVENT = 3, DEBUG = 2;

type Callbacks = { -readonly [Descriptor in keyof ComposerCallbacks]?: ComposerCallbacks[Descriptor] };
type Registration = readonly [descriptor: number, callback: (...args: never[]) => void];

/**
 * Registers for everything that a composer tells, and tells it to a client's callback object. Hotplugs are calls that
 * wait for the client: they go one after another; those of connected displays are over when this resolves.
 */
export async function tellClient(
  client: ServedClient,
  remote: RemoteObject,
  dialect: Dialect,
  log: (message: string) => void,
): Promise<void> {
  const to = aidlClient(IComposerCallback, remote, dialect);
  let hotplugs = Promise.resolve();
  const told = (call: Promise<unknown>) =>
    call.then(() => {}, (error) => {
      if (!client.isOver) log(`Cannot tell the client of an event: ${error}`);
    });
  const callbacks = callbacksOf(to, dialect, (event) => void told(event), (display, connection) => {
    hotplugs = hotplugs.then(() => told(hotplug(to, dialect, display, connection)));
  });
  for (const [descriptor, callback] of callbacks) await client.register(descriptor, callback);
  await hotplugs;
}

function hotplug(
  to: AidlClient<IComposerCallbackMethods>,
  { version }: Dialect,
  display: bigint,
  connection: number,
): Promise<void> {
  const isConnected = connection === CONNECTION.CONNECTED;
  if (version >= HOTPLUG_EVENT) return to.onHotplugEvent(display, isConnected ? CONNECTED : DISCONNECTED);
  return to.onHotplug(display, isConnected);
}

/** Hotplugs come last, when all else is registered. */
function callbacksOf(
  to: AidlClient<IComposerCallbackMethods>,
  { version }: Dialect,
  tell: (event: Promise<void>) => void,
  onHotplug: ComposerCallbacks[1],
): readonly Registration[] {
  const callbacks: Callbacks = {
    [CALLBACK.REFRESH]: (display) => tell(to.onRefresh(display)),
    [CALLBACK.VSYNC_2_4]: (display, timestamp, period) => tell(to.onVsync(display, timestamp, period)),
    [CALLBACK.VSYNC_PERIOD_TIMING_CHANGED]: (display, timeline) => {
      tell(to.onVsyncPeriodTimingChanged(display, timeline));
    },
    [CALLBACK.SEAMLESS_POSSIBLE]: (display) => tell(to.onSeamlessPossible(display)),
    [CALLBACK.VSYNC_IDLE]: (display) => tell(to.onVsyncIdle(display)),
    ...version >= DEBUG && {
      [CALLBACK.REFRESH_RATE_CHANGED_DEBUG]: (display: bigint, vsyncPeriodNanos: number) =>
        tell(to.onRefreshRateChangedDebug({ display, vsyncPeriodNanos, refreshPeriodNanos: vsyncPeriodNanos })),
    },
  };
  return [...Object.entries(callbacks).map(([descriptor, callback]): Registration => [Number(descriptor), callback]), [
    CALLBACK.HOTPLUG,
    onHotplug,
  ]];
}
