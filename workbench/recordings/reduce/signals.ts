import { VK_FENCE_CREATE_SIGNALED_BIT, VK_SEMAPHORE_TYPE_TIMELINE } from "../../../loader/gen/enums_core_gen.js";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import type { Fields } from "../state_tracker/fields.ts";

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
