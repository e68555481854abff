import { peek32, peek64, poke32, poke64 } from "../../ffi/machine.ts";
import { PENDING, type PresentRecord, timestampsOf } from "./history.ts";
import { answerList, fill } from "./out.ts";
import { VK } from "./results.ts";
import type { Swapchain } from "./swapchain.ts";
import {
  sizeOfVkPastPresentationTimingEXT,
  VK_PAST_PRESENTATION_TIMING_ALLOW_OUT_OF_ORDER_RESULTS_BIT_EXT,
  VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT,
  VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_VISIBLE_BIT_EXT,
  VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT,
  VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT,
  VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT,
  VkPastPresentationTimingEXT,
  VkPastPresentationTimingPropertiesEXT,
  VkPresentStageTimeEXT,
  VkSwapchainTimeDomainPropertiesEXT,
} from "../../loader/gen/native_gen.ts";
import type { FrameTimestamps } from "../contract/window.ts";

/** VkPresentStageFlagBitsEXT. */
export const STAGE = {
  QUEUE_OPERATIONS_END: VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT,
  DEQUEUED: VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT,
  FIRST_PIXEL_OUT: VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT,
  FIRST_PIXEL_VISIBLE: VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_VISIBLE_BIT_EXT,
} as const;
/** VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT, and its only id. */
const STAGE_LOCAL = VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT, DOMAIN_ID = 1n;
const PROPERTIES = VkPastPresentationTimingPropertiesEXT, RECORD = VkPastPresentationTimingEXT;

const OUT_OF_ORDER = VK_PAST_PRESENTATION_TIMING_ALLOW_OUT_OF_ORDER_RESULTS_BIT_EXT;

/** The stage of a frame that each timestamp of a window belongs to. */
const STAMPS: readonly (readonly [stage: number, stamp: keyof FrameTimestamps])[] = [
  [STAGE.QUEUE_OPERATIONS_END, "acquire"],
  [STAGE.DEQUEUED, "latch"],
  [STAGE.FIRST_PIXEL_OUT, "firstRefreshStart"],
  [STAGE.FIRST_PIXEL_VISIBLE, "displayPresent"],
];

/** All stages that an application can request. */
export const ALL_STAGES: number = STAMPS.reduce((bits, [stage]) => bits | stage, 0);

/** vkSetSwapchainPresentTimingQueueSizeEXT. */
export function setQueueSize({ history }: Swapchain, size: number): number {
  if (size < history.timings.length) return VK.NOT_READY;
  history.queueSize = size;
  return VK.SUCCESS;
}

/** vkGetSwapchainTimingPropertiesEXT. */
export function timingProperties({ surface }: Swapchain, out: bigint, counter: bigint): number {
  const duration = surface ? surface.window.refreshCycleDuration() : -1n;
  if (duration < 0n) return VK.SURFACE_LOST;
  fill("VkSwapchainTimingPropertiesEXT", out, { refreshDuration: duration, refreshInterval: duration });
  if (counter !== 0n) poke64(counter, 1n);
  return VK.SUCCESS;
}

/** vkGetSwapchainTimeDomainPropertiesEXT: one domain. */
export function timeDomains(out: bigint, counter: bigint): number {
  const { timeDomainCount, pTimeDomains, pTimeDomainIds } = VkSwapchainTimeDomainPropertiesEXT;
  const count = out + timeDomainCount, domains = peek64(out + pTimeDomains), ids = peek64(out + pTimeDomainIds);
  if (counter !== 0n) poke64(counter, 1n);
  return answerList([STAGE_LOCAL], count, domains === 0n && ids === 0n ? 0n : 1n, (domain) => {
    if (domains !== 0n) poke32(domains, domain);
    if (ids !== 0n) poke64(ids, DOMAIN_ID);
  });
}

/**
 * vkGetPastPresentationTimingEXT. Only complete reports are returned, as the flags permit. Copied reports are deleted;
 * the others stay.
 */
export function pastStages(swapchain: Swapchain, flags: number, properties: bigint): number {
  const { history } = swapchain;
  poke64(properties + PROPERTIES.timingPropertiesCounter, 1n);
  poke64(properties + PROPERTIES.timeDomainsCounter, 1n);
  const open = history.timings.findIndex((record) => !isReady(swapchain, record));
  const all = open < 0 || (flags & OUT_OF_ORDER) !== 0 ? history.timings : history.timings.slice(0, open);
  const ready = all.filter((record) => isReady(swapchain, record));
  const array = peek64(properties + PROPERTIES.pPresentationTimings), copied = new Set<PresentRecord>();
  const result = answerList(ready, properties + PROPERTIES.presentationTimingCount, array, (record, index) => {
    copied.add(record);
    writeRecord(swapchain, record, array + BigInt(sizeOfVkPastPresentationTimingEXT * index));
  });
  history.timings = history.timings.filter((record) => !copied.has(record));
  return result;
}

function isReady(swapchain: Swapchain, { frame, timing }: PresentRecord): boolean {
  const stamps = stampsOf(swapchain, frame);
  return !stamps || STAMPS.every(([stage, name]) => (timing!.stages & stage) === 0 || stamps[name] !== PENDING);
}

/** The timestamps that the window has of a frame, while the swapchain is current. */
function stampsOf({ isCurrent, surface }: Swapchain, frame: bigint): FrameTimestamps | undefined {
  return isCurrent ? timestampsOf(surface!.window, frame) : undefined;
}

function writeRecord(swapchain: Swapchain, { frame, presentId, timing }: PresentRecord, at: bigint): void {
  const stamps = stampsOf(swapchain, frame), asked = STAMPS.filter(([stage]) => (timing!.stages & stage) !== 0);
  const stages = peek64(at + RECORD.pPresentStages),
    room = Math.min(peek32(at + RECORD.presentStageCount), asked.length);
  poke64(at + RECORD.presentId, presentId);
  poke64(at + RECORD.targetTime, timing!.targetTime);
  poke32(at + RECORD.presentStageCount, room);
  asked.slice(0, room).forEach(([stage, name], index) => {
    const time = stamps?.[name] ?? 0n, place = stages + 16n * BigInt(index);
    poke32(place, stage);
    poke64(place + VkPresentStageTimeEXT.time, time < 0n ? 0n : time);
  });
  poke32(at + RECORD.timeDomain, STAGE_LOCAL);
  poke64(at + RECORD.timeDomainId, DOMAIN_ID);
  poke32(at + RECORD.reportComplete, 1);
}
