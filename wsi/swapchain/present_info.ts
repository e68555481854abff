import { peek32, peek64 } from "../../ffi/machine.ts";
import { chain, nextOf } from "../../loader/driver/structs/create_info.ts";
import {
  sizeOfVkPresentTimeGOOGLE,
  sizeOfVkPresentTimingInfoEXT,
  VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR,
  VK_STRUCTURE_TYPE_PRESENT_ID_KHR,
  VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR,
  VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE,
  VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT,
  VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_KHR,
  VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_KHR,
  VkExtent2D,
  VkOffset2D,
  VkPresentId2KHR,
  VkPresentIdKHR,
  VkPresentInfoKHR,
  VkPresentRegionKHR,
  VkPresentRegionsKHR,
  VkPresentTimeGOOGLE,
  VkPresentTimesInfoGOOGLE,
  VkPresentTimingsInfoEXT,
  VkRectLayerKHR,
  VkSwapchainPresentFenceInfoKHR,
  VkSwapchainPresentModeInfoKHR,
} from "../../loader/gen/native_gen.ts";
import type { Rect } from "../contract/window.ts";

/** The structure types of the structs that a present may have. */
const REGIONS = VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR,
  TIMES = VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE,
  PRESENT_ID = VK_STRUCTURE_TYPE_PRESENT_ID_KHR,
  PRESENT_ID_2 = VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR;
const FENCES = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_KHR,
  MODES = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_KHR,
  TIMINGS = VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT;
/** The sizes of VkPresentRegionKHR and VkRectLayerKHR. */
const REGION = 16n, RECT_LAYER = 20;

/** A VkPresentInfoKHR at an address. Each value is read when it is used. */
export class PresentInfo {
  readonly #address: bigint;
  /** The structs of the chain, by structure type. */
  readonly #chain: ReadonlyMap<number, bigint>;

  /** Reads the chain. */
  constructor(address: bigint) {
    this.#address = address;
    this.#chain = nextOf(address) === 0n
      ? NONE
      : new Map([...chain(nextOf(address))].map((each) => [each.sType, each.address]));
  }

  /** The number of semaphores to wait for. */
  get waitCount(): number {
    return peek32(this.#address + VkPresentInfoKHR.waitSemaphoreCount);
  }

  /** The address of the semaphores. */
  get waits(): bigint {
    return peek64(this.#address + VkPresentInfoKHR.pWaitSemaphores);
  }

  /** The number of swapchains. */
  get count(): number {
    return peek32(this.#address + VkPresentInfoKHR.swapchainCount);
  }

  /** The address for the results of the swapchains; 0n for none. */
  get results(): bigint {
    return peek64(this.#address + VkPresentInfoKHR.pResults);
  }

  /** The VkSwapchainKHR of an index. */
  swapchain(index: number): bigint {
    return peek64(peek64(this.#address + VkPresentInfoKHR.pSwapchains) + 8n * BigInt(index));
  }

  /** The image of the swapchain with an index. */
  imageIndex(index: number): number {
    return peek32(peek64(this.#address + VkPresentInfoKHR.pImageIndices) + 4n * BigInt(index));
  }

  /** The VkFence to signal when the wait for the semaphores is over; 0n for none. */
  fence(index: number): bigint {
    const array = this.#array(FENCES, VkSwapchainPresentFenceInfoKHR.pFences);
    return array === 0n ? 0n : peek64(array + 8n * BigInt(index));
  }

  /** The VkPresentModeKHR from this present on; `undefined` for the same mode. */
  mode(index: number): number | undefined {
    const array = this.#array(MODES, VkSwapchainPresentModeInfoKHR.pPresentModes);
    return array === 0n ? undefined : peek32(array + 4n * BigInt(index));
  }

  /** The id by VK_KHR_present_id or VK_KHR_present_id2; 0n for none. */
  presentId(index: number): bigint {
    const array = this.#array(PRESENT_ID_2, VkPresentId2KHR.pPresentIds) ||
      this.#array(PRESENT_ID, VkPresentIdKHR.pPresentIds);
    return array === 0n ? 0n : peek64(array + 8n * BigInt(index));
  }

  /** The id and time of VK_GOOGLE_display_timing; `undefined` without. */
  time(index: number): { readonly presentID: number; readonly desiredPresentTime: bigint } | undefined {
    const array = this.#array(TIMES, VkPresentTimesInfoGOOGLE.pTimes);
    if (array === 0n) return undefined;
    const at = array + BigInt(sizeOfVkPresentTimeGOOGLE * index);
    return { presentID: peek32(at), desiredPresentTime: peek64(at + VkPresentTimeGOOGLE.desiredPresentTime) };
  }

  /** Address of the VkPresentTimingInfoEXT of an index; 0n without. */
  timing(index: number): bigint {
    const array = this.#array(TIMINGS, VkPresentTimingsInfoEXT.pTimingInfos);
    return array === 0n ? 0n : array + BigInt(sizeOfVkPresentTimingInfoEXT * index);
  }

  /** The changed rectangles of VK_KHR_incremental_present, in image coordinates; empty for the whole image. */
  damage(index: number): Rect[] {
    const regions = this.#array(REGIONS, VkPresentRegionsKHR.pRegions);
    if (regions === 0n) return [];
    const region = regions + REGION * BigInt(index), rects = peek64(region + VkPresentRegionKHR.pRectangles);
    return Array.from(
      { length: rects === 0n ? 0 : peek32(region) },
      (_, each) => rectAt(rects + BigInt(RECT_LAYER * each)),
    );
  }

  #array(sType: number, offset: bigint): bigint {
    const struct = this.#chain.get(sType);
    return struct === undefined ? 0n : peek64(struct + offset);
  }
}

const NONE: ReadonlyMap<number, bigint> = new Map();

function rectAt(address: bigint): Rect {
  const { offset, extent } = VkRectLayerKHR, corner = address + offset, size = address + extent;
  const left = peek32(corner + VkOffset2D.x) | 0, top = peek32(corner + VkOffset2D.y) | 0;
  return { left, top, right: left + peek32(size + VkExtent2D.width), bottom: top + peek32(size + VkExtent2D.height) };
}
