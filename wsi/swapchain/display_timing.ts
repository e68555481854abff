/**
 * VK_GOOGLE_display_timing. Its successor, VK_EXT_present_timing, is in present_timing.ts.
 *
 * @module
 */
import { peek32, poke64 } from "../../ffi/machine.ts";
import type { FrameTimestamps } from "../contract/window.ts";
import { INVALID, PENDING, type PresentRecord, timestampsOf } from "./history.ts";
import { answerStructs } from "./out.ts";
import { VK } from "./results.ts";
import { isSharedMode } from "./surface_capabilities.ts";
import type { Swapchain } from "./swapchain.ts";

/** The number of newest frames that are not reported, and the release from which every frame is. */
const HELD_BACK = 4, PROMPT_RELEASE = 17;

/** A VkPastPresentationTimingGOOGLE. */
interface PastTiming {
  readonly presentID: number;
  readonly desiredPresentTime: bigint;
  readonly actualPresentTime: bigint;
  readonly earliestPresentTime: bigint;
  readonly presentMargin: bigint;
}

/** vkGetRefreshCycleDurationGOOGLE. */
export function refreshCycle({ surface }: Swapchain, out: bigint): number {
  const duration = surface ? surface.window.refreshCycleDuration() : -1n;
  if (duration < 0n) return VK.SURFACE_LOST;
  poke64(out, duration); // VkRefreshCycleDurationGOOGLE
  return VK.SUCCESS;
}

/** vkGetPastPresentationTimingGOOGLE. Records that were copied are deleted, and so are older ones. */
export function pastTimings(swapchain: Swapchain, release: number, count: bigint, out: bigint): number {
  const { surface, history } = swapchain;
  if (!surface || !swapchain.isCurrent) return VK.OUT_OF_DATE;
  history.enable(surface.window);
  const held = release >= PROMPT_RELEASE ? 0 : HELD_BACK;
  const old = history.times.slice(0, Math.max(0, history.times.length - held));
  const ready = old.flatMap((record): [PresentRecord, PastTiming][] => {
    const timing = timingOf(swapchain, record);
    return timing ? [[record, timing]] : [];
  });
  const result = answerStructs("VkPastPresentationTimingGOOGLE", ready.map(([, timing]) => timing), count, out);
  const last = out === 0n ? undefined : ready[peek32(count) - 1]?.[0];
  if (last) history.times = history.times.slice(history.times.indexOf(last) + 1);
  return result;
}

/** The timing of a frame; `undefined` while a part of it is pending. */
function timingOf(swapchain: Swapchain, { frame, time }: PresentRecord): PastTiming | undefined {
  const stamps = timestampsOf(swapchain.surface!.window, frame);
  const nothing = { ...time!, actualPresentTime: 0n, earliestPresentTime: 0n, presentMargin: 0n };
  if (!stamps || isSharedMode(swapchain.mode)) return nothing;
  const known = [stamps.acquire, stamps.latch, stamps.displayPresent];
  if (known.includes(PENDING)) return undefined;
  return known.includes(INVALID) ? nothing : { ...time!, ...measured(stamps, swapchain.refreshDuration) };
}

/** The earliest possible time of the frame: earlier by whole refreshes, as far as the margin and the latch allow. */
function measured({ acquire, latch, displayPresent }: FrameTimestamps, refresh: bigint) {
  const margin = latch > acquire ? latch - acquire : 0n;
  let early = displayPresent, left = margin;
  while (refresh > 0n && left > refresh && early - refresh > latch) {
    early -= refresh;
    left -= refresh;
  }
  return { actualPresentTime: displayPresent, earliestPresentTime: early, presentMargin: left };
}
