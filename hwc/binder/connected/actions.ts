import { checkOneOf } from "../../core/calls/checks.ts";
import { CONTENT_SAMPLING, RENDER_INTENT, VSYNC } from "../../device_types.ts";
import type { BinderConnection } from "./connection.ts";
import type { Methods } from "./methods.ts";
import { type AnyMethod, askAny, type SameName } from "./same_name.ts";
import { closeSent, handleOf } from "./sent_slots.ts";

/** Settings of a display that are made at once. */
export function actions(connection: BinderConnection): Methods {
  const act = (name: SameName): AnyMethod => (...args) => askAny(connection, name, args);
  const changing = (name: SameName): AnyMethod => async (...args) => {
    await askAny(connection, name, args);
    connection.frames.changed(args[0]);
  };
  const setColorMode = async (method: string, display: bigint, mode: number, intent: number) => {
    await connection.ask(method, (it) => it.setColorMode(display, mode, intent));
    connection.frames.changed(display);
  };
  return {
    setActiveConfig: changing("setActiveConfig"),
    setActiveConfigWithConstraints: act("setActiveConfigWithConstraints"),
    setPowerMode: act("setPowerMode"),
    setVsyncEnabled(display, enabled) {
      checkOneOf("vsync setting", enabled, VSYNC, VSYNC.ENABLE);
      const isWanted = enabled === VSYNC.ENABLE;
      connection.listeners.wantVsyncs(display, isWanted);
      return connection.ask("setVsyncEnabled", (it) => it.setVsyncEnabled(display, isWanted));
    },
    setColorMode: (display, mode) => setColorMode("setColorMode", display, mode, RENDER_INTENT.COLORIMETRIC),
    setColorModeWithRenderIntent: (display, mode, intent) =>
      setColorMode("setColorModeWithRenderIntent", display, mode, intent),
    async setReadbackBuffer(display, buffer, releaseFence) {
      const handle = handleOf("setReadbackBuffer", buffer), fence = connection.descriptorOf(releaseFence);
      const sent = { fds: [...handle.fds, fence ?? -1], ints: [] };
      try {
        await connection.ask("setReadbackBuffer", (it) => it.setReadbackBuffer(display, handle, fence));
        releaseFence?.close();
      } finally {
        closeSent(sent);
      }
    },
    setDisplayedContentSamplingEnabled(display, enabled, componentMask, maxFrames) {
      checkOneOf("sampling setting", enabled, CONTENT_SAMPLING, CONTENT_SAMPLING.ENABLE);
      return connection.ask("setDisplayedContentSamplingEnabled", (it) => {
        const isEnabled = enabled === CONTENT_SAMPLING.ENABLE;
        return it.setDisplayedContentSamplingEnabled(display, isEnabled, componentMask, maxFrames);
      });
    },
    setAutoLowLatencyMode: act("setAutoLowLatencyMode"),
    setContentType: act("setContentType"),
    setBootDisplayConfig: act("setBootDisplayConfig"),
    clearBootDisplayConfig: act("clearBootDisplayConfig"),
    setIdleTimerEnabled: act("setIdleTimerEnabled"),
    setClientTargetSlotCount: act("setClientTargetSlotCount"),
    notifyExpectedPresent: (display, timestampNanos, frameIntervalNanos) =>
      connection.ask("notifyExpectedPresent", (it) => {
        return it.notifyExpectedPresent(display, { timestampNanos }, frameIntervalNanos);
      }),
    startHdcpNegotiation: (display, connectedLevel, maxLevel) =>
      connection.ask("startHdcpNegotiation", (it) => it.startHdcpNegotiation(display, { connectedLevel, maxLevel })),
    setRefreshRateChangedCallbackDebugEnabled: act("setRefreshRateChangedCallbackDebugEnabled"),
  };
}
