import type { RecordedCall } from "../../record/line.ts";
import {
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
  VK_QUERY_TYPE_PIPELINE_STATISTICS,
  VK_QUERY_TYPE_TIMESTAMP,
} from "../../../../loader/vk.ts";
import type { Fields } from "../../state_tracker/fields.ts";

/** Kinds of queries whose answers the specification leaves to the driver. */
const OWN: readonly number[] = [VK_QUERY_TYPE_TIMESTAMP, VK_QUERY_TYPE_PIPELINE_STATISTICS];

/**
 * Returns a copy of answers of queries, or what stands for the copy: times and
 * numbers of invocations are the driver's own, and become zero. `pool` is what
 * the pool of the queries was made from.
 */
export function answered(call: RecordedCall, pool: Fields | undefined): RecordedCall {
  const { commandBuffer, dstBuffer, dstOffset, stride, queryCount, flags = 0 } = call.args;
  if (!pool || !OWN.includes(pool.queryType) || queryCount === 0) return call;
  const values = (pool.queryType === VK_QUERY_TYPE_TIMESTAMP ? 1 : bitsOf(pool.pipelineStatistics)) +
    (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT ? 1 : 0);
  const last = values * (flags & VK_QUERY_RESULT_64_BIT ? 8 : 4);
  const size = `${BigInt(stride) * BigInt(queryCount - 1) + BigInt(last)}`;
  return { command: "vkCmdFillBuffer", args: { commandBuffer, dstBuffer, dstOffset, size, data: 0 } };
}

function bitsOf(flags = 0): number {
  return flags.toString(2).replaceAll("0", "").length;
}
