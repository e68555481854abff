import { chance, pick } from "../../../workbench/programs/choices.ts";
import type { VkDevice, VkEvent, VkFence, VkQueryPool, VkQueue, VkSemaphore } from "../../../loader/vk.ts";
import {
  VK_EVENT_SET,
  VK_QUERY_RESULT_WAIT_BIT,
  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
  VK_SUCCESS,
} from "../../../loader/vk.ts";
import { type Context, used } from "./program.ts";

/** The objects of a submission that tell how far the device is. */
export interface Submitted {
  /** Set by the last command. */
  readonly event: VkEvent;
  /** One query, which ends before. */
  readonly queries: VkQueryPool;
  readonly fence: VkFence;
  /** The objects that the submission signals when it ends; `undefined` if no submission is pending. */
  pending: { readonly hasFence: boolean; readonly value: bigint | undefined } | undefined;
}

/** The object that is waited on. */
interface Waited {
  readonly device: VkDevice;
  readonly queue: VkQueue;
  readonly timeline: VkSemaphore;
}

/** The longest wait, in nanoseconds, and in milliseconds. */
const LONGEST = 30_000_000_000n, LONGEST_POLL = 30_000;

type Wait = (waited: Waited, submitted: Submitted) => void;

const WITH_FENCE: Readonly<Record<string, Wait>> = {
  "vkWaitForFences": waitForFence,
  "vkGetFenceStatus": ({ device }, { fence }) => poll(() => device.vkGetFenceStatus(fence) === VK_SUCCESS),
};
const WITH_TIMELINE: Readonly<Record<string, Wait>> = {
  "vkWaitSemaphores": ({ device, timeline }, { pending }) =>
    came(device.vkWaitSemaphores({ pSemaphores: [timeline], pValues: [pending!.value!] }, LONGEST)),
  "vkGetSemaphoreCounterValue": ({ device, timeline }, { pending }) =>
    poll(() => device.vkGetSemaphoreCounterValue(timeline) >= pending!.value!),
};
const IDLE: Readonly<Record<string, Wait>> = {
  "vkQueueWaitIdle": ({ queue }) => queue.vkQueueWaitIdle(),
  "vkDeviceWaitIdle": ({ device }) => device.vkDeviceWaitIdle(),
};
/** Waits after which the results are there, but the command buffer still counts as pending. */
const FOR_DATA: Readonly<Record<string, Wait>> = {
  "vkGetEventStatus": ({ device }, { event }) => poll(() => device.vkGetEventStatus(event) === VK_EVENT_SET),
  "vkGetQueryPoolResults polled": ({ device }, { queries }) =>
    poll(() => device.vkGetQueryPoolResults(queries, 0, 1, 4, 4n).result === VK_SUCCESS),
  "vkGetQueryPoolResults with availability": ({ device }, { queries }) =>
    poll(() => device.vkGetQueryPoolResults(queries, 0, 1, 8, 8n, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT).data[4] !== 0),
  "vkGetQueryPoolResults waited": ({ device }, { queries }) =>
    void device.vkGetQueryPoolResults(queries, 0, 1, 4, 4n, VK_QUERY_RESULT_WAIT_BIT),
};

/** Waits in one of all ways until the results of a frame are there. */
export function waitForData(context: Context, waited: Waited, submitted: Submitted): void {
  waitBy(context, { ...ends(submitted), ...IDLE, ...FOR_DATA }, waited, submitted);
}

/** Waits until a frame's command buffers can be recorded again. */
export function finish(context: Context, waited: Waited, submitted: Submitted): void {
  const all = ends(submitted), { hasFence } = submitted.pending!;
  waitBy(context, Object.keys(all).length === 0 || chance(context.choices, 10) ? IDLE : all, waited, submitted);
  if (hasFence && chance(context.choices, 50)) waitForFence(waited, submitted);
  submitted.pending = undefined;
}

/** Waits for a frame's fence, which is signalled after everything else that tells of the submission's end. */
export function waitForFence({ device }: Pick<Waited, "device">, { fence }: Pick<Submitted, "fence">): void {
  came(device.vkWaitForFences([fence], true, LONGEST));
}

/** The waits that this submission has. */
function ends({ pending }: Submitted): Readonly<Record<string, Wait>> {
  return { ...pending!.hasFence && WITH_FENCE, ...pending!.value !== undefined && WITH_TIMELINE };
}

function waitBy(context: Context, ways: Readonly<Record<string, Wait>>, waited: Waited, submitted: Submitted): void {
  const way = pick(context.choices, Object.keys(ways));
  used(context, way);
  ways[way](waited, submitted);
}

function came(result: number): void {
  if (result !== VK_SUCCESS) throw new Error(`A wait of the program ended with ${result} after ${LONGEST_POLL} ms`);
}

function poll(isDone: () => boolean): void {
  const last = performance.now() + LONGEST_POLL, pause = new Int32Array(new SharedArrayBuffer(4));
  while (!isDone()) {
    if (performance.now() > last) throw new Error(`What the program polls did not come in ${LONGEST_POLL} ms`);
    Atomics.wait(pause, 0, 0, 0.2);
  }
}
