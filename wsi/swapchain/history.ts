import { peek32, peek64 } from "../../ffi/machine.ts";
import type { FrameTimestamps, Window } from "../contract/window.ts";
import { VkPresentTimingInfoEXT } from "../../loader/gen/native_gen.ts";
import type { PresentInfo } from "./present_info.ts";

/** What is not known yet, and what never will be, among timestamps. */
export const PENDING = -2n, INVALID = -1n;
/** How many frames VK_GOOGLE_display_timing keeps, and of how many it needs to know before it tells. */
const KEPT = 10;
/** VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT. */
const RELATIVE = 1;

/** A frame that was presented, as the timing extensions see it. */
export interface PresentRecord {
  /** The window's number of it. */
  readonly frame: bigint;
  /** VkPresentTimeGOOGLE, if it came with one. */
  readonly time?: { readonly presentID: number; readonly desiredPresentTime: bigint };
  /** The id by VK_KHR_present_id or VK_KHR_present_id2; 0n for none. */
  readonly presentId: bigint;
  /** What VK_EXT_present_timing was asked for. */
  readonly timing?: TimingRequest;
}

/** What of a VkPresentTimingInfoEXT counts. */
interface TimingRequest {
  readonly targetTime: bigint;
  /** Whether that is how long the frame before is to be shown, which nobody promised to heed. */
  readonly isRelative: boolean;
  /** VkPresentStageFlagsEXT that are asked for. */
  readonly stages: number;
}

function timingAt(address: bigint): TimingRequest {
  const isRelative = (peek32(address + VkPresentTimingInfoEXT.flags) & RELATIVE) !== 0;
  const { targetTime, presentStageQueries } = VkPresentTimingInfoEXT;
  return { targetTime: peek64(address + targetTime), isRelative, stages: peek32(address + presentStageQueries) };
}

/** What a swapchain has presented, as far as anybody may ask for it. */
export class PresentHistory {
  /** Of VK_GOOGLE_display_timing. */
  times: PresentRecord[] = [];
  /** Of VK_EXT_present_timing, at most as many as its queue has room for. */
  timings: PresentRecord[] = [];
  /** The size of that queue. */
  queueSize = 0;
  /** In flight, by present id. */
  readonly #ids = new Map<bigint, bigint>();
  #enabled = false;

  /** Has the window keep timestamps, from the first time on that somebody wants any. */
  enable(window: Window): void {
    if (!this.#enabled) window.enableFrameTimestamps(true);
    this.#enabled = true;
  }

  /** Ends it. */
  disable(window: Window): void {
    if (this.#enabled) window.enableFrameTimestamps(false);
    this.#enabled = false;
  }

  /** Notes the frame that is about to be queued, and when it is wanted. */
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

  /** Whether a present asks for the timing of more frames than there is room for. */
  isFullFor(info: PresentInfo, index: number): boolean {
    const at = info.timing(index);
    return at !== 0n && timingAt(at).stages !== 0 && this.timings.length >= this.queueSize;
  }

  /** Whether a present id was shown, or never will be; what was never queued counts as shown. */
  isPresented(window: Window, presentId: bigint): boolean {
    const frame = this.#ids.get(presentId);
    if (frame === undefined) return true;
    if (timestampsOf(window, frame)?.displayPresent === PENDING) return false;
    this.#ids.delete(presentId);
    return true;
  }
}

/** What a window knows of a frame; `undefined` when it has forgotten it. */
export function timestampsOf(window: Window, frame: bigint): FrameTimestamps | undefined {
  const found = window.frameTimestamps(frame);
  return typeof found === "number" ? undefined : found;
}
