import { chance } from "../../../workbench/programs/choices.ts";
import type { VkSemaphore } from "../../../loader/vk.ts";
import {
  VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
} from "../../../loader/vk.ts";
import type { Frame, Frames } from "./frames.ts";
import { type Context, used } from "./program.ts";
import { waitForFence } from "./waits.ts";

/** A gate that holds up a submission until the host opens it. */
export interface Gate {
  /** Lets the submission begin. */
  open(): void;
}

/** A semaphore, and the value of one that counts. */
interface Point {
  readonly semaphore: VkSemaphore;
  readonly value: bigint;
}

/** Opens what holds up submissions, the oldest first. */
export function openGates(all: Frames): void {
  for (const gate of all.gates) {
    gate.open();
    all.simulated.open(gate);
  }
  all.gates = [];
}

/** Submits the commands of a frame. Returns what they wait for, if they do. */
export function submit(context: Context, all: Frames, frame: Frame): Gate | undefined {
  const { choices } = context, { device } = all;
  device.vkResetQueryPool(frame.queries, 0, 1);
  for (const event of [frame.event, frame.hostEvent]) device.vkResetEvent(event);
  if (frame.wasSignalled) resetFence(all, frame);
  if (all.isChained) openGates(all); // the specification lets no binary semaphore depend on the host
  const waits: Point[] = all.isChained ? [{ semaphore: all.chain, value: 0n }] : [], signals: Point[] = [];
  const gate = gateOf(context, all, frame, waits), value = BigInt(++all.submissions);
  const hasFence = chance(choices, 75), hasValue = chance(choices, 60);
  if (hasValue) signals.push({ semaphore: all.timeline, value });
  all.isChained = chance(choices, 25);
  if (all.isChained) signals.push({ semaphore: all.chain, value: 0n });
  if (chance(choices, 50)) submitOld(all, frame, { waits, signals, hasFence });
  else submitNew(all, frame, { waits, signals, hasFence });
  frame.pending = { hasFence, value: hasValue ? value : undefined };
  frame.wasSignalled = hasFence;
  if (gate) all.gates.push(gate);
  all.simulated.submit(frame.work, gate);
  if (all.isChained) used(context, "binary semaphore");
  return gate;
}

/** Resets a fence that may be pending still: only another object told that the submission had ended. */
function resetFence(all: Frames, frame: Frame): void {
  waitForFence(all, frame);
  all.device.vkResetFences([frame.fence]);
}

function gateOf(context: Context, all: Frames, frame: Frame, waits: Point[]): Gate | undefined {
  const { device, hostTimeline: semaphore } = all;
  if (frame.waitsForHost) {
    used(context, "commands wait for the host's event");
    return { open: () => device.vkSetEvent(frame.hostEvent) };
  }
  if (!chance(context.choices, 12)) return undefined;
  used(context, "submission waits for the host's semaphore");
  const value = BigInt(++all.hostValue);
  waits.push({ semaphore, value });
  return { open: () => device.vkSignalSemaphore({ semaphore, value }) };
}

/** The semaphores of a submission, and whether a fence tells of its end. */
interface Ends {
  readonly waits: readonly Point[];
  readonly signals: readonly Point[];
  readonly hasFence: boolean;
}

function submitOld({ queue }: Frames, { commands, fence }: Frame, { waits, signals, hasFence }: Ends): void {
  const semaphores = (points: readonly Point[]) => points.map(({ semaphore }) => semaphore);
  queue.vkQueueSubmit([{
    pWaitSemaphores: semaphores(waits),
    pWaitDstStageMask: waits.map(() => VK_PIPELINE_STAGE_ALL_COMMANDS_BIT),
    pCommandBuffers: [commands],
    pSignalSemaphores: semaphores(signals),
    pNext: [{
      sType: VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      pWaitSemaphoreValues: waits.map(({ value }) => value),
      pSignalSemaphoreValues: signals.map(({ value }) => value),
    }],
  }], hasFence ? fence : undefined);
}

function submitNew({ queue }: Frames, { commands, fence }: Frame, { waits, signals, hasFence }: Ends): void {
  const infos = (points: readonly Point[]) =>
    points.map((point) => ({ ...point, stageMask: VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT }));
  queue.vkQueueSubmit2([{
    pWaitSemaphoreInfos: infos(waits),
    pCommandBufferInfos: [{ commandBuffer: commands }],
    pSignalSemaphoreInfos: infos(signals),
  }], hasFence ? fence : undefined);
}
