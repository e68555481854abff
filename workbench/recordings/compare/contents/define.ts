import type { Fields, RecordedCall, RecordedLine } from "../../record/line.ts";
import { coreName } from "../../record/commands.ts";
import {
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_ATTACHMENT_LOAD_OP_CLEAR,
  VK_ATTACHMENT_LOAD_OP_DONT_CARE,
  VK_ATTACHMENT_LOAD_OP_LOAD,
  VK_ATTACHMENT_LOAD_OP_NONE,
  VK_ATTACHMENT_STORE_OP_DONT_CARE,
  VK_ATTACHMENT_STORE_OP_NONE,
  VK_ATTACHMENT_STORE_OP_STORE,
  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
  VK_QUERY_TYPE_PIPELINE_STATISTICS,
  VK_QUERY_TYPE_TIMESTAMP,
  VK_QUEUE_FAMILY_IGNORED,
  VK_RENDERING_RESUMING_BIT,
} from "../../../../loader/gen/enums_core_gen.js";
import { barriersOf } from "../../state_tracker/effects.ts";
import type { StateTracker } from "../../state_tracker/state_tracker.ts";
import { aspectsOf, formatOf } from "../../../../loader/texels/format.ts";

/** Kinds of queries whose answers the specification leaves to the driver. */
const OWN: readonly number[] = [VK_QUERY_TYPE_TIMESTAMP, VK_QUERY_TYPE_PIPELINE_STATISTICS];

/**
 * Returns a copy of answers of queries, or what stands for the copy: times and
 * numbers of invocations are the driver's own, and become zero. `pool` is what
 * the pool of the queries was made from.
 */
function answered(call: RecordedCall, pool: Fields | undefined): RecordedCall {
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

/** Clear values where the recording has none. A union takes its first member. */
const NO_COLOR = { color: { float32: [0, 0, 0, 0] } }, NO_DEPTH = { depthStencil: { depth: 0, stencil: 0 } };
const ALL_ACCESS = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

/**
 * Rewrites lines so that contents that the specification leaves undefined are
 * zero: images that come from the undefined layout, and attachments whose old
 * or new contents nobody cares about. Otherwise two drivers may differ where
 * both are right.
 */
export class Definer {
  readonly #tracker: StateTracker;
  /** Whether an image can be cleared by a command in a command buffer here. */
  readonly #isClearable: (image: string, commandBuffer: string) => boolean;
  /** Command buffers in which a pass goes on. */
  readonly #inPass = new Set<string>();

  readonly #isMeasured: boolean;

  /** Takes the state tracker that notes the same lines. With `isMeasured` the answers of queries stay what they are. */
  constructor(
    tracker: StateTracker,
    isClearable: (image: string, commandBuffer: string) => boolean,
    isMeasured = false,
  ) {
    this.#tracker = tracker;
    this.#isClearable = isClearable;
    this.#isMeasured = isMeasured;
  }

  /** Returns the lines to carry out instead of one. */
  rewrite(line: RecordedLine): RecordedLine[] {
    if (!("command" in line)) return [line];
    const core = coreName(line.command), { commandBuffer } = line.args;
    if (/^vkCmdBeginRender/.test(core)) this.#inPass.add(commandBuffer);
    if (/^vkCmdEndRender/.test(core)) this.#inPass.delete(commandBuffer);
    if (core === "vkBeginCommandBuffer") this.#begin(line);
    if (/^vkCreateRenderPass2?$/.test(core)) return [renderPass(line)];
    if (/^vkCmdBeginRenderPass2?$/.test(core)) return [this.#clearing(line)];
    if (core === "vkCmdBeginRendering") return [rendering(line)];
    if (core === "vkCmdCopyQueryPoolResults" && !this.#isMeasured) {
      return [answered(line, this.#tracker.resources.info(line.args.queryPool))];
    }
    if (!/^vkCmd(PipelineBarrier|WaitEvents)2?$/.test(core) || this.#inPass.has(commandBuffer)) return [line];
    return [line, ...barriersOf(line.args).flatMap((barrier) => this.#cleared(commandBuffer, barrier))];
  }

  #begin({ args: { commandBuffer, pBeginInfo } }: RecordedCall): void {
    if ((pBeginInfo?.flags ?? 0) & 2) this.#inPass.add(commandBuffer);
    else this.#inPass.delete(commandBuffer);
  }

  /** Whether the contents that a barrier leaves undefined outside of a pass are cleared. */
  clears(commandBuffer: string, barrier: Fields): boolean {
    const { image, oldLayout, newLayout, srcQueueFamilyIndex, dstQueueFamilyIndex } = barrier;
    const facts = this.#tracker.resources.image(image);
    if (oldLayout !== VK_IMAGE_LAYOUT_UNDEFINED || newLayout === oldLayout || !facts) return false;
    if (srcQueueFamilyIndex !== dstQueueFamilyIndex || !this.#isClearable(image, commandBuffer)) return false;
    const [aspect] = aspectsOf(facts.format);
    return aspect !== undefined && formatOf(facts.format, aspect).blockExtent.every((length) => length === 1);
  }

  /** The commands behind a barrier that clear what the barrier leaves undefined. */
  #cleared(commandBuffer: string, barrier: Fields): RecordedCall[] {
    if (!this.clears(commandBuffer, barrier)) return [];
    const { image, newLayout, subresourceRange } = barrier;
    const isColor = aspectsOf(this.#tracker.resources.image(image)!.format).includes("color");
    const clear = {
      commandBuffer,
      image,
      imageLayout: VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
      pRanges: [subresourceRange],
      ...isColor ? { pColor: NO_COLOR.color } : { pDepthStencil: NO_DEPTH.depthStencil },
    };
    return [
      turning(commandBuffer, barrier, newLayout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL),
      { command: isColor ? "vkCmdClearColorImage" : "vkCmdClearDepthStencilImage", args: clear },
      turning(commandBuffer, barrier, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, newLayout),
    ];
  }

  /** Gives clear values to the attachments that are cleared only here. */
  #clearing(line: RecordedCall): RecordedCall {
    const { resources } = this.#tracker, { pRenderPassBegin } = line.args;
    const attachments: Fields[] = resources.info(pRenderPassBegin.renderPass)?.pAttachments ?? [];
    const given: Fields[] = pRenderPassBegin.pClearValues ?? [];
    const pClearValues = attachments.map((attachment, index) => {
      const isColor = aspectsOf(attachment.format).includes("color");
      const ops = isColor ? [attachment.loadOp] : [attachment.loadOp, attachment.stencilLoadOp];
      return ops.includes(VK_ATTACHMENT_LOAD_OP_CLEAR) && given[index] || (isColor ? NO_COLOR : NO_DEPTH);
    });
    return { ...line, args: { ...line.args, pRenderPassBegin: { ...pRenderPassBegin, pClearValues } } };
  }
}

function turning(commandBuffer: string, barrier: Fields, oldLayout: number, newLayout: number): RecordedCall {
  return {
    command: "vkCmdPipelineBarrier",
    args: {
      commandBuffer,
      srcStageMask: VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
      dstStageMask: VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
      dependencyFlags: 0,
      pMemoryBarriers: [],
      pBufferMemoryBarriers: [],
      pImageMemoryBarriers: [{
        srcAccessMask: ALL_ACCESS,
        dstAccessMask: ALL_ACCESS,
        oldLayout,
        newLayout,
        srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
        dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
        image: barrier.image,
        subresourceRange: barrier.subresourceRange,
      }],
    },
  };
}

function renderPass(line: RecordedCall): RecordedCall {
  const { pCreateInfo } = line.args;
  const pAttachments = (pCreateInfo.pAttachments ?? []).map((each: Fields) => {
    const isFresh = each.initialLayout === VK_IMAGE_LAYOUT_UNDEFINED;
    return {
      ...each,
      loadOp: loading(each.loadOp, isFresh),
      storeOp: storing(each.storeOp),
      stencilLoadOp: loading(each.stencilLoadOp, isFresh),
      stencilStoreOp: storing(each.stencilStoreOp),
    };
  });
  return { ...line, args: { ...line.args, pCreateInfo: { ...pCreateInfo, pAttachments } } };
}

function rendering(line: RecordedCall): RecordedCall {
  const { pRenderingInfo: info } = line.args;
  if (info.flags & VK_RENDERING_RESUMING_BIT) return line;
  const { pColorAttachments = [], pDepthAttachment, pStencilAttachment } = info;
  const pRenderingInfo = {
    ...info,
    pColorAttachments: pColorAttachments.map((each: Fields) => caring(each, NO_COLOR)),
    ...pDepthAttachment && { pDepthAttachment: caring(pDepthAttachment, NO_DEPTH) },
    ...pStencilAttachment && { pStencilAttachment: caring(pStencilAttachment, NO_DEPTH) },
  };
  return { ...line, args: { ...line.args, pRenderingInfo } };
}

function caring(attachment: Fields, clearValue: Fields): Fields {
  const loadOp = loading(attachment.loadOp, false), storeOp = storing(attachment.storeOp);
  return { ...attachment, loadOp, storeOp, ...loadOp !== attachment.loadOp && { clearValue } };
}

/**
 * Returns the load operation: an attachment that is not loaded keeps its contents unseen, which is the same as to load.
 */
function loading(op: number, isFresh: boolean): number {
  const known = op === VK_ATTACHMENT_LOAD_OP_NONE ? VK_ATTACHMENT_LOAD_OP_LOAD : op;
  const isOpen = known === VK_ATTACHMENT_LOAD_OP_DONT_CARE || isFresh && known === VK_ATTACHMENT_LOAD_OP_LOAD;
  return isOpen ? VK_ATTACHMENT_LOAD_OP_CLEAR : known;
}

/** Returns the operation that stores: attachments that are written and not stored would be undefined. */
function storing(op: number): number {
  const isOpen = op === VK_ATTACHMENT_STORE_OP_DONT_CARE || op === VK_ATTACHMENT_STORE_OP_NONE;
  return isOpen ? VK_ATTACHMENT_STORE_OP_STORE : op;
}
