import { chance, pick } from "../../../workbench/programs/choices.ts";
import type { VkCommandBuffer, VkCommandPool, VkDevice, VkEvent, VkQueue, VkSemaphore } from "../../../loader/vk.ts";
import {
  VK_ACCESS_HOST_WRITE_BIT,
  VK_ACCESS_TRANSFER_READ_BIT,
  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_QUERY_TYPE_OCCLUSION,
  VK_SEMAPHORE_TYPE_TIMELINE,
  VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
} from "../../../loader/vk.ts";
import { makeBuffers, type Purpose, readData, refresh, type TestBuffer, writeData } from "./buffers.ts";
import { fillAll, orderAll, perhapsSecondary, recordSome, showHost } from "./commands.ts";
import { SimulatedQueue, type Work } from "./contents.ts";
import { type Context, used } from "./program.ts";
import { type Gate, openGates, submit } from "./submit.ts";
import { finish, type Submitted, waitForData } from "./waits.ts";

/** One of the frames in flight. */
export interface Frame extends Submitted {
  readonly pool: VkCommandPool;
  commands: VkCommandBuffer;
  secondary: VkCommandBuffer;
  /** An event that the host sets, for commands that wait. */
  readonly hostEvent: VkEvent;
  /** The buffers, of which the first is read. */
  buffers: TestBuffer[];
  /** The work of the recorded commands; none before they are recorded. */
  work: readonly Work[];
  /** Whether the recorded commands wait for the host's event. */
  waitsForHost: boolean;
  /** Whether the buffers have contents. */
  isFilled: boolean;
  /** Whether the fence is or will be signalled. */
  wasSignalled: boolean;
}

/** A device with its frames. */
export interface Frames {
  readonly device: VkDevice;
  readonly queue: VkQueue;
  readonly simulated: SimulatedQueue;
  /** Signalled by each submission with its number. */
  readonly timeline: VkSemaphore;
  /** Signalled by the host. */
  readonly hostTimeline: VkSemaphore;
  /** Signalled by a submission for the next one. */
  readonly chain: VkSemaphore;
  readonly scratch: TestBuffer;
  /** The number of memory types. */
  readonly kinds: number;
  readonly frames: readonly Frame[];
  /** The gates that hold up submissions and are not opened yet, in order. */
  gates: Gate[];
  submissions: number;
  hostValue: number;
  /** Whether the chain's semaphore is or will be signalled. */
  isChained: boolean;
}

/** Draws frames on a device, one to three in flight, and reads their results. */
export function* framesOf(context: Context, device: VkDevice, kinds: number): Generator<void> {
  const { choices } = context, all = setUp(context, device, kinds), count = choices.integer(2, 8);
  used(context, `${all.frames.length} frames in flight`);
  for (let index = 0; index < count; index++) yield* drawFrame(context, all, all.frames[index % all.frames.length]);
  for (const frame of all.frames) {
    collect(context, all, frame);
    yield;
  }
  yield* tearDown(all);
}

function setUp(context: Context, device: VkDevice, kinds: number): Frames {
  const { choices } = context, [scratch] = makeBuffers(context, device, ["scratch"], kinds);
  const timeline = (initialValue: bigint) =>
    device.vkCreateSemaphore({
      pNext: [{
        sType: VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE,
        initialValue,
      }],
    });
  return {
    device,
    queue: device.vkGetDeviceQueue(0, 0),
    simulated: new SimulatedQueue(),
    timeline: timeline(0n),
    hostTimeline: timeline(0n),
    chain: device.vkCreateSemaphore({}),
    scratch,
    kinds,
    frames: makeFrames(context, device, choices.integer(1, 3), kinds),
    gates: [],
    submissions: 0,
    hostValue: 0,
    isChained: false,
  };
}

/** The buffers of all frames share memory, or those of each frame, or each has its own. */
function makeFrames(context: Context, device: VkDevice, count: number, kinds: number): Frame[] {
  const { choices } = context, purposes: Purpose[] = ["result", pick(choices, ["upload", "both"] as const)];
  if (chance(choices, 30)) purposes.push("upload");
  const make = (some: readonly Purpose[]) => makeBuffers(context, device, some, kinds);
  const sharing = pick(choices, ["all", "frame", "none"]);
  const shared = sharing === "all" ? make(Array.from({ length: count }, () => purposes).flat()) : [];
  return Array.from({ length: count }, (_, index) => {
    const own = () => sharing === "frame" ? make(purposes) : purposes.flatMap((each) => make([each]));
    const at = index * purposes.length;
    return makeFrame(device, sharing === "all" ? shared.slice(at, at + purposes.length) : own());
  });
}

function makeFrame(device: VkDevice, buffers: TestBuffer[]): Frame {
  const flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0, flags });
  const [[commands], [secondary]] = [0, 1].map((level) => allocate(device, pool, level));
  return {
    pool,
    commands,
    secondary,
    hostEvent: device.vkCreateEvent({}),
    event: device.vkCreateEvent({}),
    queries: device.vkCreateQueryPool({ queryType: VK_QUERY_TYPE_OCCLUSION, queryCount: 1 }),
    fence: device.vkCreateFence({}),
    buffers,
    work: [],
    waitsForHost: false,
    isFilled: false,
    wasSignalled: false,
    pending: undefined,
  };
}

function allocate(device: VkDevice, commandPool: VkCommandPool, level: number): VkCommandBuffer[] {
  return device.vkAllocateCommandBuffers({ commandPool, level: level as 0 | 1, commandBufferCount: 1 });
}

function* drawFrame(context: Context, all: Frames, frame: Frame): Generator<void> {
  const { choices } = context;
  collect(context, all, frame);
  yield;
  prepare(context, all, frame);
  yield;
  const gate = submit(context, all, frame);
  yield;
  if (!gate) return;
  if (chance(choices, 60)) writeUploads(context, frame); // the device waits, so that the host may still write
  if (chance(choices, 50)) openGates(all);
  yield;
}

/** Waits for the results of a frame, reads them and perhaps overwrites its data, and then waits for its end. */
function collect(context: Context, all: Frames, frame: Frame): void {
  if (!frame.pending) return;
  openGates(all);
  waitForData(context, all, frame);
  for (const buffer of frame.buffers) refresh(context, buffer);
  for (const buffer of frame.buffers) {
    if (buffer.isWritten && chance(context.choices, 85)) readData(context, all.device, buffer);
  }
  if (chance(context.choices, 50)) writeUploads(context, frame);
  finish(context, all, frame);
}

/** Writes data and records the commands, if they are not submitted again as they are. */
function prepare(context: Context, all: Frames, frame: Frame): void {
  const { choices } = context;
  if (frame.isFilled && chance(choices, 10)) replaceBuffers(context, all, frame);
  if (chance(choices, 10)) pick(choices, frame.buffers).block.mapAgain();
  writeUploads(context, frame);
  if (frame.work.length > 0 && !frame.waitsForHost && chance(choices, 15)) return used(context, "commands again");
  resetCommands(context, all, frame);
  frame.commands.vkBeginCommandBuffer({});
  frame.work = record(context, all, frame);
  frame.commands.vkEndCommandBuffer();
  frame.isFilled = true;
}

/** New buffers in new memory, while other frames are on the device. */
function replaceBuffers(context: Context, { device, kinds }: Frames, frame: Frame): void {
  const blocks = new Set(frame.buffers.map(({ block }) => block));
  if (blocks.size < frame.buffers.length) return; // the memory is shared
  used(context, "buffers replaced");
  for (const { handle, block } of frame.buffers) {
    device.vkDestroyBuffer(handle);
    block.close();
  }
  const purposes = frame.buffers.map((each, index): Purpose =>
    index === 0 ? "result" : each.isWritten ? "both" : "upload"
  );
  frame.buffers = purposes.flatMap((each) => makeBuffers(context, device, [each], kinds));
  Object.assign(frame, { isFilled: false, work: [] });
}

function resetCommands(context: Context, { device }: Frames, frame: Frame): void {
  const { choices } = context, how = pick(choices, ["begin", "begin", "buffer", "pool", "anew"]);
  if (how === "buffer") frame.commands.vkResetCommandBuffer(0);
  if (how === "pool") device.vkResetCommandPool(frame.pool);
  if (how === "anew") {
    device.vkFreeCommandBuffers(frame.pool, [frame.commands]);
    [frame.commands] = allocate(device, frame.pool, 0);
  }
  used(context, `reset by ${how}`);
}

function record(context: Context, { scratch, submissions }: Frames, frame: Frame): Work[] {
  const { commands, buffers } = frame, [result] = buffers, work: Work[] = [];
  frame.waitsForHost = chance(context.choices, 12);
  if (frame.waitsForHost) waitForHost(commands, frame.hostEvent);
  orderAll(commands);
  if (submissions === 0) work.push(fillAll(commands, scratch, 0x1111_1111));
  if (!frame.isFilled) work.push(fillAll(commands, result, 0x2222_2222));
  const from = buffers.filter(({ isWritten }) => !isWritten),
    to = [scratch, ...buffers.filter((each) => each.isWritten)];
  work.push(...perhapsSecondary(context, commands, frame.secondary, (into) => recordSome(context, into, { from, to })));
  showHost(commands);
  commands.vkCmdSetEvent(frame.event, VK_PIPELINE_STAGE_TRANSFER_BIT);
  commands.vkCmdBeginQuery(frame.queries, 0);
  commands.vkCmdEndQuery(frame.queries, 0);
  return work;
}

function waitForHost(commands: VkCommandBuffer, event: VkEvent): void {
  commands.vkCmdWaitEvents([event], VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, [
    { srcAccessMask: VK_ACCESS_HOST_WRITE_BIT, dstAccessMask: VK_ACCESS_TRANSFER_READ_BIT },
  ]);
}

/** Writes new data; all that there is the first time, so that the device never reads what nobody wrote. */
function writeUploads(context: Context, frame: Frame): void {
  for (const buffer of frame.buffers.slice(1)) {
    if (!frame.isFilled) writeAll(buffer);
    if (!frame.isFilled || chance(context.choices, 70)) writeData(context, buffer);
  }
}

function writeAll({ block, at, size, contents }: TestBuffer): void {
  const bytes = new Uint8Array(size).fill(0x33);
  block.write(at, bytes);
  contents.set(bytes);
  if (block.needsFlush) block.flush(at, size);
}

function* tearDown({ device, frames, scratch, timeline, hostTimeline, chain }: Frames): Generator<void> {
  device.vkDeviceWaitIdle();
  const buffers = [scratch, ...frames.flatMap((frame) => frame.buffers)];
  for (const { pool, hostEvent, event, queries, fence } of frames) {
    device.vkDestroyCommandPool(pool);
    for (const each of [hostEvent, event]) device.vkDestroyEvent(each);
    device.vkDestroyQueryPool(queries);
    device.vkDestroyFence(fence);
    yield;
  }
  for (const { handle } of buffers) device.vkDestroyBuffer(handle);
  for (const block of new Set(buffers.map((buffer) => buffer.block))) block.close();
  for (const each of [timeline, hostTimeline, chain]) device.vkDestroySemaphore(each);
}
