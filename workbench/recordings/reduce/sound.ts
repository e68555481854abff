import type { Fields, RecordedLine } from "../record/line.ts";
import { Flow, type Held } from "../state_tracker/flow.ts";
import { hasAllInputs } from "./inputs.ts";

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
