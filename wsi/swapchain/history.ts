import { peek32, peek64 } from "../../ffi/machine.ts";
import type { FrameTimestamps, Window } from "../contract/window.ts";
import {
  VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT,
  VkPresentTimingInfoEXT,
} from "../../loader/gen/native_gen.ts";
import type { PresentInfo } from "./present_info.ts";

/** The timestamp values that mean "not known yet" and "never known". */
export const PENDING = -2n, INVALID = -1n;
/** The number of frames that VK_GOOGLE_display_timing keeps. */
const KEPT = 10;
const RELATIVE = VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT;

/** A presented frame, as the timing extensions see it. */
export interface PresentRecord {
  /** The window's number of the frame. */
  readonly frame: bigint;
  /** The VkPresentTimeGOOGLE of the present, if it has one. */
  readonly time?: { readonly presentID: number; readonly desiredPresentTime: bigint };
  /** The id by VK_KHR_present_id or VK_KHR_present_id2; 0n for none. */
  readonly presentId: bigint;
  /** The request of VK_EXT_present_timing. */
  readonly timing?: TimingRequest;
}

/** The used members of a VkPresentTimingInfoEXT. */
interface TimingRequest {
  readonly targetTime: bigint;
  /** Whether the target time is a duration for the previous frame, which the swapchain does not promise to respect. */
  readonly isRelative: boolean;
  /** The requested VkPresentStageFlagsEXT. */
  readonly stages: number;
}

function timingAt(address: bigint): TimingRequest {
  const isRelative = (peek32(address + VkPresentTimingInfoEXT.flags) & RELATIVE) !== 0;
  const { targetTime, presentStageQueries } = VkPresentTimingInfoEXT;
  return { targetTime: peek64(address + targetTime), isRelative, stages: peek32(address + presentStageQueries) };
}

/** The presented frames of a swapchain, as far as an application may ask for them. */
export class PresentHistory {
  /** The frames of VK_GOOGLE_display_timing. */
  times: PresentRecord[] = [];
  /** The frames of VK_EXT_present_timing, at most as many as its queue has room for. */
  timings: PresentRecord[] = [];
  /** The size of the queue of VK_EXT_present_timing. */
  queueSize = 0;
  /** The frames of present ids that are not on the display yet. */
  readonly #ids = new Map<bigint, bigint>();
  #enabled = false;

  /** Makes the window record timestamps, from the first request on. */
  enable(window: Window): void {
    if (!this.#enabled) window.enableFrameTimestamps(true);
    this.#enabled = true;
  }

  /** Makes the window record no timestamps any more. */
  disable(window: Window): void {
    if (this.#enabled) window.enableFrameTimestamps(false);
    this.#enabled = false;
  }

  /** Notes the frame that is about to be queued, and its requested time. */
  willQueue(window: Window, info: PresentInfo, index: number): void {
    const time = info.time(index), presentId = info.presentId(index), at = info.timing(index);
    if (!time && presentId === 0n && at === 0n) return;
    this.enable(window);
    const frame = window.nextFrameId();
    const timing = at === 0n ? undefined : timingAt(at);
    const record = { frame, time, presentId, timing };
    const wanted = time?.desiredPresentTime || (timing?.isRelative ? 0n : timing?.targetTime) || 0n;
    if (wanted !== 0n) window.setBuffersTimestamp(wanted);
    if (time) this.times = [...this.times, record].slice(-KEPT);
    if (timing && timing.stages !== 0) this.timings.push(record);
    if (presentId !== 0n) this.#ids.set(presentId, frame);
  }

  /** Whether a present requests the timing of more frames than the queue has room for. */
  isFullFor(info: PresentInfo, index: number): boolean {
    const at = info.timing(index);
    return at !== 0n && timingAt(at).stages !== 0 && this.timings.length >= this.queueSize;
  }

  /** Whether the frame of a present id was shown, or never will be. An id that was never queued counts as shown. */
  isPresented(window: Window, presentId: bigint): boolean {
    const frame = this.#ids.get(presentId);
    if (frame === undefined) return true;
    if (timestampsOf(window, frame)?.displayPresent === PENDING) return false;
    this.#ids.delete(presentId);
    return true;
  }
}

/** The timestamps that a window has of a frame; `undefined` for a frame without a record. */
export function timestampsOf(window: Window, frame: bigint): FrameTimestamps | undefined {
  const found = window.frameTimestamps(frame);
  return typeof found === "number" ? undefined : found;
}
