import { monotonicNow } from "../../ffi/file/file_descriptor.ts";
import { peek32, poke64 } from "../../ffi/machine.ts";
import type { FrameTimestamps } from "../../wsi/contract/window.ts";
import { STATUS } from "../../wsi/status.ts";
import { Failure } from "../api/codes.ts";
import type { Word } from "../api/driver_calls.ts";
import type { RawCommand, State } from "../api/state.ts";
import type { WindowSurface } from "./window_surface.ts";

/** By EGL_…_ANDROID name. */
const MEMBERS: Readonly<Record<number, keyof FrameTimestamps>> = {
  0x3434: "requestedPresent",
  0x3435: "acquire",
  0x3436: "latch",
  0x3437: "firstRefreshStart",
  0x3438: "lastRefreshStart",
  0x3439: "gpuCompositionDone",
  0x343A: "displayPresent",
  0x343B: "dequeueReady",
  0x343C: "release",
};
/**
 * By EGL_COMPOSITE_…_ANDROID name, of a window that is refreshed every so many
 * nanoseconds: windows say how often, not when. Android's answer is then that
 * the compositor works at whole multiples of that time, and shows what it made
 * one of them later.
 */
const COMPOSITOR: Readonly<Record<number, (interval: bigint) => bigint>> = {
  0x3431: (interval) => nextMultiple(monotonicNow(), interval), // EGL_COMPOSITE_DEADLINE_ANDROID
  0x3432: (interval) => interval, // EGL_COMPOSITE_INTERVAL_ANDROID
  0x3433: (interval) => interval, // EGL_COMPOSITE_TO_PRESENT_LATENCY_ANDROID
};

function nextMultiple(time: bigint, interval: bigint): bigint {
  return interval > 0n ? (time + interval - 1n) / interval * interval : time;
}

type Work = (surface: WindowSurface, ...args: Word[]) => Word;

/** EGL_ANDROID_get_frame_timestamps, over what windows keep of their frames. */
export function timestampCommands(
  state: State,
  onWindow: (name: string, work: Work) => RawCommand,
): Record<string, RawCommand> {
  const wanted = (names: Word, count: Word) =>
    Array.from({ length: Number(count) }, (_, index) => peek32((names as bigint) + BigInt(4 * index)));
  return {
    eglGetNextFrameIdANDROID: onWindow("eglGetNextFrameIdANDROID", ({ native }, frame) => {
      if (frame === 0n) return state.fail(Failure.badParameter, 0);
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
          return state.fail(Failure.badParameter, 0);
        }
        const members = wanted(names, count).map((name) => MEMBERS[name]);
        if (members.includes(undefined!)) return state.fail(Failure.badParameter, 0);
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
        return state.fail(Failure.badParameter, 0);
      }
      const asked = wanted(names, count).map((name) => COMPOSITOR[name]);
      if (asked.includes(undefined!)) return state.fail(Failure.badParameter, 0);
      if (!surface.timestamps) return state.fail(Failure.badSurface, 0);
      const interval = surface.native.refreshCycleDuration();
      if (interval < 0n) return state.fail(Failure.badNativeWindow, 0);
      asked.forEach((answer, index) => poke64((values as bigint) + BigInt(8 * index), answer(interval)));
      return 1;
    }),
  };
}

/** Timestamps that are off make it a bad surface; a frame that is forgotten a bad access. */
function errorOf(status: number): number {
  if (status === STATUS.INVALID_OPERATION) return Failure.badSurface;
  return status === STATUS.BAD_VALUE ? Failure.badAccess : Failure.badNativeWindow;
}
