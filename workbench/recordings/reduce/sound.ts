import type { Fields, RecordedLine } from "../record/line.ts";
import { Flow, type Held } from "../state_tracker/flow.ts";
import { coreName } from "../record/commands.ts";
import {
  VK_INDEX_TYPE_UINT32,
  VK_INDEX_TYPE_UINT8,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
} from "../../../loader/gen/enums_core_gen.js";
import { isAction, isDispatch, isDraw } from "../state_tracker/effects.ts";
import type { Resources } from "../state_tracker/resources.ts";
import type { Bound } from "../state_tracker/state.ts";
import { type Executed, StateTracker } from "../state_tracker/state_tracker.ts";

/** Whether nobody waits for a fence or a semaphore that nothing signals. A driver would wait for ever. */
export function hasAllSignals(lines: readonly RecordedLine[]): boolean {
  const flow = new Flow();
  return lines.every((line, index) => {
    if (!("command" in line)) return true;
    const { command, args } = line;
    if (command === "vkWaitForFences" && !args.pFences.every((name: string) => flow.sync.has(name))) return false;
    flow.follow(line, index);
    return !flow.isHolding || flow.held.every(isLater);
  });
}

/** Whether later calls may give what work waits for: values and events, and no binary semaphores. */
function isLater({ name, value }: Held): boolean {
  return value !== undefined || !name.startsWith("VkSemaphore#");
}

/**
 * Whether no command lacks its pipeline, its index buffer, its regions, its
 * pass or what it reads, and no wait its submission. Drivers crash or hang otherwise, so that such a
 * recording is not worth a replay.
 */
export function isSound(lines: readonly RecordedLine[]): boolean {
  return lines.every(hasRegions) && hasAllSignals(lines) && hasAllInputs(lines);
}

/** Whether a copy copies something, and a blit has texels on both sides. */
function hasRegions(line: RecordedLine): boolean {
  if (!("command" in line)) return true;
  const { pRegions = line.args.pBlitImageInfo?.pRegions, pRects } = line.args;
  return pRegions?.length !== 0 && pRects?.length !== 0 && (pRegions ?? []).every(hasTexels);
}

/** Whether a region of a blit is empty in no direction. Other regions have an extent, which is never zero. */
function hasTexels({ srcOffsets, dstOffsets }: Fields): boolean {
  const isFull = ([from, to]: Fields[]) => to && (["x", "y", "z"] as const).every((axis) => from[axis] !== to[axis]);
  return !srcOffsets || isFull(srcOffsets) && isFull(dstOffsets);
}

/** VkDescriptorSetLayoutCreateFlagBits: the set is pushed by commands. */
const PUSHED = 1;

/**
 * Whether commands have what they read and need: a pipeline and a pass, the sets that are pushed, the indices; and
 * whether descriptors end with their buffers. The validation layer does not know the sets and the indices.
 */
function hasAllInputs(lines: readonly RecordedLine[]): boolean {
  const tracker = new StateTracker(), open = new Set<string>();
  // A shader object stands for a pipeline, and is not followed.
  const hasShaders = lines.some((line) => "command" in line && line.command === "vkCmdBindShadersEXT");
  const isWhole = (name: string) =>
    tracker.recorded(name).every((each) => (hasShaders || hasState(each)) && hasInputs(each));
  for (const [index, line] of lines.entries()) {
    if (!("command" in line)) continue;
    const core = coreName(line.command), { commandBuffer } = line.args;
    const ends = /^vk(Begin|End)CommandBuffer$/.test(core) && open.delete(commandBuffer);
    if (ends && !isWhole(commandBuffer)) return false;
    tracker.note(index, line);
    if (core === "vkBeginCommandBuffer") open.add(commandBuffer);
    else if (core.startsWith("vkCmd") && !open.has(commandBuffer)) return false;
    if (core === "vkUpdateDescriptorSets" && !fits(line.args, tracker.resources)) return false;
  }
  return [...open].every(isWhole);
}

/** Whether a command has its pipeline, its index buffer and its pass. */
function hasState({ call, scene: { state } }: Executed): boolean {
  const core = coreName(call.command), isInside = state.isInPass;
  if (/^vkCmd(EndRender|NextSubpass)/.test(core)) return isInside;
  if (isDraw(core)) {
    const hasPipeline = state.at(VK_PIPELINE_BIND_POINT_GRAPHICS).pipeline !== undefined;
    return isInside && hasPipeline && (state.indexBuffer !== undefined || !core.includes("Indexed"));
  }
  if (isDispatch(core)) {
    return core.includes("TraceRays") || state.at(VK_PIPELINE_BIND_POINT_COMPUTE).pipeline !== undefined;
  }
  if (!isAction(core) || /^vkCmdBeginRender/.test(core)) return true;
  return core === "vkCmdClearAttachments" ? isInside : !isInside;
}

/** Whether the sets that a pipeline wants pushed are so, and whether an index buffer has the indices of a draw. */
function hasInputs({ call, scene: { state, resources } }: Executed): boolean {
  const core = coreName(call.command), { args } = call;
  if (core === "vkCmdDrawIndexed" && state.indexBuffer) {
    const room = roomOf(state.indexBuffer, resources), size = sizeOf(state.indexBuffer.indexType);
    if ((args.firstIndex + args.indexCount) * size > room) return false;
  }
  if (isDraw(core)) return hasPushed(state.at(VK_PIPELINE_BIND_POINT_GRAPHICS), resources);
  return !isDispatch(core) || hasPushed(state.at(VK_PIPELINE_BIND_POINT_COMPUTE), resources);
}

function hasPushed({ pipeline, pushed }: Bound, resources: Resources): boolean {
  return resources.setLayoutsOf(pipeline).every(({ flags, pBindings }, number) =>
    (flags & PUSHED) === 0 || !(pBindings?.length > 0) || pushed.has(number)
  );
}

/** The bytes of indices that are there. */
function roomOf({ buffer, offset, size }: Fields, resources: Resources): number {
  const room = Number(resources.info(buffer)?.size ?? 0) - Number(offset);
  return size === undefined ? room : Math.min(room, Number(size));
}

function sizeOf(indexType: number): number {
  if (indexType === VK_INDEX_TYPE_UINT8) return 1;
  return indexType === VK_INDEX_TYPE_UINT32 ? 4 : 2;
}

/** Whether the descriptors of a vkUpdateDescriptorSets end with their buffers. */
function fits({ pDescriptorWrites }: Fields, resources: Resources): boolean {
  const infos: Fields[] = (pDescriptorWrites ?? []).flatMap(({ pBufferInfo }: Fields) => pBufferInfo ?? []);
  return infos.every(({ buffer, offset, range }) => {
    const size = Number(resources.info(buffer)?.size ?? Infinity), end = Number(offset ?? 0) + Number(range);
    return end > Number.MAX_SAFE_INTEGER || end <= size;
  });
}
