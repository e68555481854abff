import { VulkanError } from "../../../loader/error.ts";
import {
  VK_ERROR_DEVICE_LOST,
  VK_EVENT_SET,
  VK_NOT_READY,
  VK_QUERY_RESULT_WAIT_BIT,
  VK_TIMEOUT,
} from "../../../loader/gen/native_gen.ts";
import type { VkDevice, VkEvent, VkQueue, VkSemaphore } from "../../../loader/gen/types_core_gen.ts";
import type { RecordedCall } from "../record/line.ts";
import type { ParsedCall } from "./arguments.ts";
import { heldText } from "../state_tracker/flow.ts";
import type { Session } from "./session.ts";
import type { Lacking } from "../state_tracker/sync_state.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { parseValue } from "./parse.ts";

/** Nanoseconds to wait for work that may need later lines. */
const SHORT = 1_000_000_000n;
/** Milliseconds between two questions. */
const PAUSE = 1;

/**
 * Waits until the device has done what some queues were given. Throws a
 * `TypeError` after the replay's timeout. Work that was forced on the device
 * may need later lines, so that the wait for it is short and may end in vain.
 */
export function settle(
  session: Session,
  queues: readonly string[] = session.flow.pending(),
  canWait = session.flow.missing.length === 0,
): void {
  const line = new Map(queues.map((queue) => [queue, session.flow.lastLine(queue)]));
  const late = lateQueue(session, queues, canWait ? session.patience : SHORT);
  if (late === undefined || !canWait) return;
  throw new TypeError(
    `${late} has not finished in ${session.timeout} ms what line ${
      line.get(late)
    } submits; give the device more time, ` +
      "or see whether it hangs",
  );
}

/** Waits for queues, for some nanoseconds each. Returns the first that has not finished then. */
function lateQueue(session: Session, queues: readonly string[], patience: bigint): string | undefined {
  const done = new Set<bigint>();
  for (const name of queues) {
    const queue = session.object(name) as unknown as VkQueue;
    if (!done.has(queue.handle) && !endsInTime(session, name, queue, patience)) return name;
    done.add(queue.handle);
    session.flow.waited("vkQueueWaitIdle", { queue: name });
  }
}

/** A fence that the device still has is destroyed with the device. */
function endsInTime(session: Session, name: string, queue: VkQueue, patience: bigint): boolean {
  const owner = session.deviceOf(name)!, device = session.device(owner), fence = device.vkCreateFence({});
  let ended = false;
  try {
    queue.vkQueueSubmit([], fence);
    ended = device.vkWaitForFences([fence], true, patience) !== VK_TIMEOUT;
  } finally {
    if (ended) device.vkDestroyFence(fence);
    else session.keep(`VkFence#of${fence}`, { value: fence, owner, command: "vkCreateFence" });
  }
  return ended;
}

/** Repeats a vkQueueWaitIdle or vkDeviceWaitIdle, which have no timeout of their own. */
export function waitIdle(session: Session, core: string, call: RecordedCall, parsed: ParsedCall): void {
  const { flow } = session, { queue, device } = call.args;
  const told = reach(session, core, call);
  try {
    settle(session, flow.pending((name, owner) => name === queue || owner === device), true);
  } catch (error) {
    throw told === "" ? error : new TypeError(`${(error as Error).message}. ${told}`);
  }
  session.call(call, parsed);
  flow.waited(core, call.args);
}

/** A recorded wait has ended. This one may take longer, but not for ever. */
export function wait(session: Session, core: string, call: RecordedCall, parsed: ParsedCall): void {
  parsed.given.set("timeout", session.patience);
  const told = reach(session, core, call);
  if (session.call(call, parsed) !== VK_TIMEOUT) return session.flow.waited(core, call.args);
  throw new TypeError(
    `nothing came in ${session.timeout} ms; ${told || "is there still a submission that signals it?"}`,
  );
}

/**
 * Asks again and again, within the replay's timeout, until there is an answer. Held work is handed over if there is none
 * when all other work is done: a device that takes its time is no reason.
 */
export function until<T>(session: Session, ask: () => T | undefined, late: string): T {
  const end = performance.now() + session.timeout, { flow } = session;
  let found = ask();
  if (found === undefined && flow.isHolding) {
    session.settle();
    found = ask();
    if (found === undefined) flow.force();
  }
  for (found ??= ask(); found === undefined; found = ask()) {
    if (performance.now() > end) throw new TypeError(`${late} after ${session.timeout} ms`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
  }
  return found;
}

/** Hands over held work that a wait needs: the recorded program got an end. Returns what that work waits for, in words. */
function reach({ flow }: Session, core: string, { args }: RecordedCall): string {
  const needed = flow.neededBy(core, args);
  if (needed.length > 0) flow.force();
  return heldText(needed);
}

/** Gives held work what only later calls would give, so that the work can be looked at. */
export function giveHeld(session: Session, device: string): void {
  const { flow } = session;
  for (let [first] = flow.held; first; [first] = flow.held) {
    giveOnHost(session, device, first);
    flow.give(first);
  }
}

/**
 * Ends the work of a device, so that the device and its objects can be
 * destroyed. Work that was forced on the device gets what it lacks. Returns
 * whether the device is idle; a lost one is.
 */
export function finish(session: Session, name: string): boolean {
  const { flow } = session, device = session.device(name);
  try {
    const isOwn = (each: Lacking) => (session.deviceOf(each.name) ?? name) === name, own = flow.missing.filter(isOwn);
    flow.missing = flow.missing.filter((each) => !isOwn(each)); // which later lines still give
    for (const each of own) giveOnHost(session, name, each);
    if (lateQueue(session, flow.pending((_, owner) => owner === name), session.patience) !== undefined) return false;
    device.vkDeviceWaitIdle();
  } catch (error) {
    if (!(error instanceof VulkanError) || error.code !== VK_ERROR_DEVICE_LOST) throw error;
  }
  return true;
}

function giveOnHost(session: Session, name: string, { name: object, value }: Lacking): void {
  const device = session.device(session.deviceOf(object) ?? name);
  if (value !== undefined) signal(device, session.handle("VkSemaphore", object) as VkSemaphore, value);
  else if (object.startsWith("VkEvent#")) device.vkSetEvent(session.handle("VkEvent", object) as VkEvent);
}

function signal(device: VkDevice, semaphore: VkSemaphore, value: bigint): void {
  eitherName(
    () => device.vkGetSemaphoreCounterValue(semaphore) < value && device.vkSignalSemaphore({ semaphore, value }),
    () => device.vkGetSemaphoreCounterValueKHR(semaphore) < value && device.vkSignalSemaphoreKHR({ semaphore, value }),
  );
}

/**
 * Waits until a timeline semaphore that is about to be destroyed has the value that finished work gives. Some drivers,
 * such as lavapipe 22.3, signal a submission's fence first and write into its timelines after that. A wait that ends in
 * vain changes nothing: the recorded program destroyed the semaphore, too.
 */
export function restTimeline(session: Session, name: string): void {
  const { sync, missing } = session.flow, value = sync.value(name);
  if (!value || missing.some((each) => each.name === name)) return;
  const device = session.device(session.deviceOf(name)!),
    semaphore = session.handle("VkSemaphore", name) as VkSemaphore;
  const info = { pSemaphores: [semaphore], pValues: [value] };
  eitherName(() => device.vkWaitSemaphores(info, SHORT), () => device.vkWaitSemaphoresKHR(info, SHORT));
}

/** Commands have a suffix where timeline semaphores are an extension. */
function eitherName(core: () => unknown, extension: () => unknown): void {
  try {
    core();
  } catch (error) {
    if (error instanceof VulkanError) throw error;
    extension();
  }
}

/** Repeats a vkGetQueryPoolResults, whose answers the program got: asks until they are there, and reports both. */
export function readQueries(session: Session, call: RecordedCall, parsed: ParsedCall): void {
  const { queryPool, firstQuery, flags } = call.args;
  parsed.given.set("flags", Number(flags) & ~VK_QUERY_RESULT_WAIT_BIT);
  const { data } = until(session, () => {
    const found = session.ask(parsed) as { result: number; data: Uint8Array };
    return found.result === VK_NOT_READY ? undefined : found;
  }, `the queries of ${queryPool} from ${firstQuery} on have no results`);
  const content: StructObject | undefined = call.out?.pData;
  if (content === undefined) return;
  const view = parseValue({ name: "pData", type: "void", kind: "void" }, content, session) as Uint8Array;
  const queryType = session.queryTypes.get(queryPool) ?? 0;
  session.options.onQueries?.({ queryPool, firstQuery, queryType, recorded: view, replayed: data });
}

/**
 * Repeats a vkGetEventStatus: asks until the answer is the recorded one, which
 * the program acted on. An answer that work changes again may be gone here: then
 * the device has come far enough when the work is done.
 */
export function awaitEvent(session: Session, call: RecordedCall, parsed: ParsedCall): void {
  const { args: { event }, result } = call;
  if (result === undefined) return;
  const { flow } = session, isLasting = () => flow.sync.has(event) === (result === VK_EVENT_SET);
  if (!isLasting() && flow.isHolding) flow.force();
  if (!isLasting()) return session.settle();
  until(session, () => session.ask(parsed) === result || undefined, `${event} has not the recorded state ${result}`);
}
