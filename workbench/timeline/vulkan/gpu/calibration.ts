import { inFrame } from "../../../../ffi/arena.ts";
import { codec } from "../../../../loader/codec/codec.ts";
import {
  VK_SUCCESS,
  VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR,
  VK_TIME_DOMAIN_DEVICE_KHR,
} from "../../../../loader/gen/native_gen.ts";
import { nanoseconds } from "../trace_writer.ts";
import type { Bracket } from "./brackets.ts";
import type { Below } from "./below.ts";
import type { GpuFacts } from "./gpu_facts.ts";
import type { Moment } from "./gpu_clock.ts";
import type { FencePool } from "../fence_pool.ts";
import type { Queries } from "./queries.ts";

/** Asks the driver for both clocks at one moment; `undefined` if the driver fails. */
export function calibrated(
  device: bigint,
  below: Below,
  extension: NonNullable<GpuFacts["extension"]>,
): Moment | undefined {
  const ask = extension === "VK_KHR_calibrated_timestamps"
    ? below.vkGetCalibratedTimestampsKHR
    : below.vkGetCalibratedTimestampsEXT;
  return inFrame((memory) => {
    const { view } = memory, { size, encode } = codec("VkCalibratedTimestampInfoKHR");
    const domains = [VK_TIME_DOMAIN_DEVICE_KHR, VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR];
    const infos = memory.alloc(size * domains.length), out = memory.alloc(24);
    domains.forEach((timeDomain, index) => encode({ timeDomain }, infos + size * index));
    const [infosAt, stamps, deviation] = [memory.address(infos), memory.address(out), memory.address(out + 16)];
    if (ask(device, domains.length, infosAt, stamps, deviation) !== VK_SUCCESS) return undefined;
    const [ticks, time, error] = [0, 8, 16].map((at) => view.getBigUint64(out + at, true));
    return { ticks, time: Number(time), error: Number(error), by: extension };
  });
}

/** Nanoseconds after which a queue that does nothing but write two timestamps is given up. */
const PATIENCE = 1_000_000_000n;

/**
 * Lets an idle queue write a timestamp and waits for the timestamp: the GPU wrote it between the call and the end of
 * the wait, so that half of the time in between is the error. `undefined` if the driver fails.
 */
export function anchored(queue: bigint, fences: FencePool, queries: Queries, bracket: Bracket): Moment | undefined {
  const { below } = queries, fence = fences.take();
  if (fence === undefined) return undefined;
  const called = nanoseconds(), isSubmitted = submitAlone(queue, below, bracket, fence);
  if (isSubmitted && !fences.wait(fence, PATIENCE)) {
    fences.lose(fence);
    return undefined;
  }
  const seen = nanoseconds(), error = (seen - called) / 2;
  fences.put(fence);
  const [first, last] = isSubmitted ? queries.read(bracket.queries, 2) ?? [] : [];
  if (first === undefined) return undefined;
  return { ticks: first + (last - first) / 2n, time: called + error, error: Math.ceil(error), by: "fence" };
}

function submitAlone(queue: bigint, below: Below, { before, after }: Bracket, fence: bigint): boolean {
  return inFrame((memory) => {
    const { size, encode } = codec("VkSubmitInfo"), info = memory.alloc(size);
    encode({ pCommandBuffers: [before, after] }, info);
    return below.vkQueueSubmit(queue, 1, memory.address(info), fence) === VK_SUCCESS;
  });
}
