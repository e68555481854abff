import { monotonicNow } from "../../ffi/file/file_descriptor.ts";
import { peek32, poke64 } from "../../ffi/machine.ts";
import type { FrameTimestamps } from "../../wsi/contract/window.ts";
import { STATUS } from "../../wsi/android_values.ts";
import type { Word } from "../api/driver_calls.ts";
import type { RawCommand, State } from "../api/state.ts";
import {
  EGL_BAD_ACCESS,
  EGL_BAD_NATIVE_WINDOW,
  EGL_BAD_PARAMETER,
  EGL_BAD_SURFACE,
  EGL_COMPOSITE_DEADLINE_ANDROID,
  EGL_COMPOSITE_INTERVAL_ANDROID,
  EGL_COMPOSITE_TO_PRESENT_LATENCY_ANDROID,
  EGL_COMPOSITION_LATCH_TIME_ANDROID,
  EGL_DEQUEUE_READY_TIME_ANDROID,
  EGL_DISPLAY_PRESENT_TIME_ANDROID,
  EGL_FIRST_COMPOSITION_GPU_FINISHED_TIME_ANDROID,
  EGL_FIRST_COMPOSITION_START_TIME_ANDROID,
  EGL_LAST_COMPOSITION_START_TIME_ANDROID,
  EGL_READS_DONE_TIME_ANDROID,
  EGL_RENDERING_COMPLETE_TIME_ANDROID,
  EGL_REQUESTED_PRESENT_TIME_ANDROID,
} from "../gen/egl_constants_gen.js";
import type { WindowSurface } from "./window_surface.ts";

/** The members by EGL_…_ANDROID name. */
const MEMBERS: Readonly<Record<number, keyof FrameTimestamps>> = {
  [EGL_REQUESTED_PRESENT_TIME_ANDROID]: "requestedPresent",
  [EGL_RENDERING_COMPLETE_TIME_ANDROID]: "acquire",
  [EGL_COMPOSITION_LATCH_TIME_ANDROID]: "latch",
  [EGL_FIRST_COMPOSITION_START_TIME_ANDROID]: "firstRefreshStart",
  [EGL_LAST_COMPOSITION_START_TIME_ANDROID]: "lastRefreshStart",
  [EGL_FIRST_COMPOSITION_GPU_FINISHED_TIME_ANDROID]: "gpuCompositionDone",
  [EGL_DISPLAY_PRESENT_TIME_ANDROID]: "displayPresent",
  [EGL_DEQUEUE_READY_TIME_ANDROID]: "dequeueReady",
  [EGL_READS_DONE_TIME_ANDROID]: "release",
};
/**
 * The values by EGL_COMPOSITE_…_ANDROID name, for a window with a refresh interval in nanoseconds. Windows know how
 * often they are refreshed, but not when. So the compositor works at whole multiples of the interval and shows its
 * result one interval later, like Android's in this case.
 */
const COMPOSITOR: Readonly<Record<number, (interval: bigint) => bigint>> = {
  [EGL_COMPOSITE_DEADLINE_ANDROID]: (interval) => nextMultiple(monotonicNow(), interval),
  [EGL_COMPOSITE_INTERVAL_ANDROID]: (interval) => interval,
  [EGL_COMPOSITE_TO_PRESENT_LATENCY_ANDROID]: (interval) => interval,
};

function nextMultiple(time: bigint, interval: bigint): bigint {
  return interval > 0n ? (time + interval - 1n) / interval * interval : time;
}

type Work = (surface: WindowSurface, ...args: Word[]) => Word;

/** EGL_ANDROID_get_frame_timestamps, with the timestamps that windows record. */
export function timestampCommands(
  state: State,
  onWindow: (name: string, work: Work) => RawCommand,
): Record<string, RawCommand> {
  const wanted = (names: Word, count: Word) =>
    Array.from({ length: Number(count) }, (_, index) => peek32((names as bigint) + BigInt(4 * index)));
  return {
    eglGetNextFrameIdANDROID: onWindow("eglGetNextFrameIdANDROID", ({ native }, frame) => {
      if (frame === 0n) return state.fail(EGL_BAD_PARAMETER, 0);
      poke64(frame as bigint, native.nextFrameId());
      return 1;
    }),
    eglGetFrameTimestampSupportedANDROID: onWindow(
      "eglGetFrameTimestampSupportedANDROID",
      (_, name) => name as number in MEMBERS ? 1 : 0,
    ),
    eglGetFrameTimestampsANDROID: onWindow(
      "eglGetFrameTimestampsANDROID",
      ({ native }, frame, count, names, values) => {
        if ((count as number) < 0 || (count as number) > 0 && (names === 0n || values === 0n)) {
          return state.fail(EGL_BAD_PARAMETER, 0);
        }
        const members = wanted(names, count).map((name) => MEMBERS[name]);
        if (members.includes(undefined!)) return state.fail(EGL_BAD_PARAMETER, 0);
        const known = native.frameTimestamps(frame as bigint);
        if (typeof known === "number") return state.fail(errorOf(known), 0);
        members.forEach((member, index) => poke64((values as bigint) + BigInt(8 * index), known[member]));
        return 1;
      },
    ),
    eglGetCompositorTimingSupportedANDROID: onWindow(
      "eglGetCompositorTimingSupportedANDROID",
      (_, name) => name as number in COMPOSITOR ? 1 : 0,
    ),
    eglGetCompositorTimingANDROID: onWindow("eglGetCompositorTimingANDROID", (surface, count, names, values) => {
      if ((count as number) < 0 || (count as number) > 0 && (names === 0n || values === 0n)) {
        return state.fail(EGL_BAD_PARAMETER, 0);
      }
      const asked = wanted(names, count).map((name) => COMPOSITOR[name]);
      if (asked.includes(undefined!)) return state.fail(EGL_BAD_PARAMETER, 0);
      if (!surface.timestamps) return state.fail(EGL_BAD_SURFACE, 0);
      const interval = surface.native.refreshCycleDuration();
      if (interval < 0n) return state.fail(EGL_BAD_NATIVE_WINDOW, 0);
      asked.forEach((answer, index) => poke64((values as bigint) + BigInt(8 * index), answer(interval)));
      return 1;
    }),
  };
}

/** The error for a status: a bad surface without timestamps, a bad access for a frame without a record. */
function errorOf(status: number): number {
  if (status === STATUS.INVALID_OPERATION) return EGL_BAD_SURFACE;
  return status === STATUS.BAD_VALUE ? EGL_BAD_ACCESS : EGL_BAD_NATIVE_WINDOW;
}
