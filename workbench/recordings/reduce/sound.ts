import type { Fields, RecordedCall, RecordedLine } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import {
  VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
  VK_FENCE_CREATE_SIGNALED_BIT,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_SEMAPHORE_TYPE_TIMELINE,
} from "../../../loader/gen/enums_core_gen.js";
import { hasAllInputs } from "./inputs.ts";
import { isAction, isDispatch, isDraw } from "../state_tracker/effects.ts";

/** Whether nobody waits for a fence or a semaphore that nothing signals. A driver would wait for ever. */
export function hasAllSignals(lines: readonly RecordedLine[]): boolean {
  const signaled = new Set<string>(), timelines = new Set<string>();
  return lines.every((line) => {
    if (!("command" in line)) return true;
    noteFences(line, signaled);
    if (isTimeline(line)) timelines.add(line.out!.pSemaphore as string);
    const { command, args } = line;
    if (command === "vkWaitForFences") return args.pFences.every((name: string) => signaled.has(name));
    return batchesOf(line).every((batch) => isReady(batch, signaled, timelines));
  });
}

function noteFences({ command, args, out }: RecordedCall, signaled: Set<string>): void {
  if (command === "vkResetFences") { for (const name of args.pFences) signaled.delete(name); }
  if (command === "vkCreateFence" && args.pCreateInfo?.flags & VK_FENCE_CREATE_SIGNALED_BIT) {
    signaled.add(out!.pFence as string);
  } else if (!/Destroy|Status/.test(command) && args.fence) signaled.add(args.fence);
}

/** Semaphores with numbers may be signaled by later calls. */
function isTimeline({ command, args }: RecordedCall): boolean {
  const chain: Fields[] = command === "vkCreateSemaphore" ? args.pCreateInfo?.pNext ?? [] : [];
  return chain.some(({ semaphoreType }) => semaphoreType === VK_SEMAPHORE_TYPE_TIMELINE);
}

/** Returns the batches that wait for semaphores and signal others, in the order of a call. */
function batchesOf({ command, args }: RecordedCall): Fields[] {
  if (/^vk(QueueSubmit|QueueBindSparse)/.test(command)) return args.pSubmits ?? args.pBindInfo ?? [];
  if (command === "vkQueuePresentKHR") return [args.pPresentInfo];
  const signals = /^vk(Acquire|ImportSemaphore)/.test(coreName(command)) ? [...namesIn(args)] : [];
  return [{ pSignalSemaphores: signals }];
}

/** The semaphore of a call, or of the struct that the call gets. */
function namesIn(args: Fields): string[] {
  return [args, ...Object.values(args)].flatMap((each) => each?.semaphore ?? []);
}

/** Whether a batch waits for nothing else than what was signaled. Each wait takes its signal away. */
function isReady(batch: Fields, signaled: Set<string>, timelines: ReadonlySet<string>): boolean {
  const { pWaitSemaphores = [], pWaitSemaphoreInfos = [], pSignalSemaphores = [], pSignalSemaphoreInfos = [] } = batch;
  const waits = [...pWaitSemaphores, ...pWaitSemaphoreInfos.map(({ semaphore }: Fields) => semaphore)];
  const isThere = waits.every((name: string) => timelines.has(name) || signaled.delete(name));
  for (const name of pSignalSemaphores) signaled.add(name);
  for (const { semaphore } of pSignalSemaphoreInfos) signaled.add(semaphore);
  return isThere;
}

/** The state that a command buffer has set so far. */
interface Recorded {
  readonly pipelines: Set<number>;
  hasIndices: boolean;
  isInside: boolean;
}

/**
 * Whether no command lacks its pipeline, its index buffer, its regions, its
 * pass or what it reads, and no wait its submission. Drivers crash or hang otherwise, so that such a
 * recording is not worth a replay.
 */
export function isSound(lines: readonly RecordedLine[]): boolean {
  return lines.every(hasRegions) && hasAllSignals(lines) && hasAllState(lines) && hasAllInputs(lines);
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

function hasAllState(lines: readonly RecordedLine[]): boolean {
  if (lines.some((line) => "command" in line && line.command === "vkCmdBindShadersEXT")) return true;
  const buffers = new Map<string, Recorded>();
  return lines.every((line) => {
    if (!("command" in line) || !/^vk(Cmd|BeginCommandBuffer)/.test(line.command)) return true;
    const core = coreName(line.command), { commandBuffer, pBeginInfo } = line.args;
    if (core !== "vkBeginCommandBuffer") return follow(core, line, buffers.get(commandBuffer));
    const isInside = (pBeginInfo?.flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) !== 0;
    buffers.set(commandBuffer, { pipelines: new Set(), hasIndices: false, isInside });
    return true;
  });
}

/** Notes a command. Returns whether everything is there that the command needs. */
function follow(core: string, { args }: RecordedCall, state: Recorded | undefined): boolean {
  if (!state) return false;
  if (core === "vkCmdBindPipeline") state.pipelines.add(args.pipelineBindPoint);
  else if (/^vkCmdBindIndexBuffer/.test(core)) state.hasIndices = true;
  else if (/^vkCmdBeginRender/.test(core)) state.isInside = true;
  else if (/^vkCmdEndRender/.test(core)) {
    if (!state.isInside) return false;
    state.isInside = false;
  } else if (isDraw(core)) {
    const needsIndices = core.includes("Indexed");
    return state.isInside && state.pipelines.has(VK_PIPELINE_BIND_POINT_GRAPHICS) &&
      (state.hasIndices || !needsIndices);
  } else if (isDispatch(core) && !core.includes("TraceRays")) {
    return state.pipelines.has(VK_PIPELINE_BIND_POINT_COMPUTE);
  } else if (/^vkCmdNextSubpass/.test(core)) return state.isInside;
  else if (isAction(core)) return core === "vkCmdClearAttachments" ? state.isInside : !state.isInside;
  return true;
}
