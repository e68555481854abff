import { longIn } from "../../../ffi/long.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";
import { structAt } from "../../../loader/codec/codec.ts";
import {
  offsetsOfVkCommandBufferAllocateInfo as ALLOCATE,
  offsetsOfVkCommandBufferBeginInfo,
  offsetsOfVkCommandPoolCreateInfo as POOL,
  offsetsOfVkDeviceQueueInfo2,
  offsetsOfVkRenderingInfo,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY as PRIMARY,
  VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
  VK_COMMAND_POOL_CREATE_PROTECTED_BIT as PROTECTED,
  VK_RENDERING_RESUMING_BIT,
  VK_RENDERING_SUSPENDING_BIT,
  VK_SUCCESS,
} from "../../../loader/gen/native_gen.ts";
import type { AnyHook } from "../../../loader/layer.ts";
import { createWith, type InstanceFacts, instanceFacts } from "./gpu/enable.ts";
import { gpuFacts } from "./gpu/gpu_facts.ts";
import type { Below } from "./gpu/below.ts";
import type { Queues } from "./queues.ts";

/** The parts that the effects of commands change and ask. */
export interface EffectParts {
  readonly queues: Queues;
  /** The facts about instances, by their dispatch key, which their physical devices share. */
  readonly instances: Map<bigint, InstanceFacts>;
  /** Returns the commands below the layer for a physical device. */
  readonly below: (physicalDevice: bigint) => Below;
  /** Called with the ANativeWindow of a new surface. */
  readonly onWindow: (address: bigint) => void;
  /** Whether the GPU writes timestamps. */
  readonly gpuTimes: boolean;
  /** Whether calls are written now. */
  readonly isOn: () => boolean;
}

/** A further effect of a command than a slice: a hook below the one that writes the slice. */
type Effect = (parts: EffectParts, command: string) => AnyHook;

const EFFECTS: Readonly<Record<string, Effect>> = {
  vkCreateInstance: ({ instances }) => (next, info, allocator, out) => {
    const result = next(info, allocator, out);
    if (result === VK_SUCCESS && info !== 0n) instances.set(peek64(peek64(out)), instanceFacts(info));
    return result;
  },
  vkDestroyInstance: ({ instances }) => (next, instance, allocator) => {
    if (instance !== 0n) instances.delete(peek64(instance));
    return next(instance, allocator);
  },
  vkCreateDevice: ({ queues, instances, below, gpuTimes }) => (next, gpu, info, allocator, out) => {
    if (!gpuTimes) return next(gpu, info, allocator, out);
    const facts = gpuFacts(gpu, below(gpu), instances.get(peek64(gpu)));
    const { result, isEnabled } = createWith(facts.extension, info, (given) => next(gpu, given, allocator, out));
    if (result !== VK_SUCCESS) return result;
    queues.created(peek64(out), isEnabled ? facts : { ...facts, extension: undefined });
    return result;
  },
  vkDestroyDevice: ({ queues }) => (next, device, allocator) => {
    queues.forget(device);
    return next(device, allocator);
  },
  vkGetDeviceQueue: ({ queues }) => (next, device, family, index, out) => {
    next(device, family, index, out);
    const queue = peek64(out);
    if (queue !== 0n) queues.follow(device, queue, family);
  },
  vkGetDeviceQueue2: ({ queues }) => (next, device, info, out) => {
    next(device, info, out);
    const queue = peek64(out);
    if (queue !== 0n) queues.follow(device, queue, member(info, offsetsOfVkDeviceQueueInfo2.queueFamilyIndex));
  },
  vkQueueSubmit: submits,
  vkQueueSubmit2: submits,
  vkQueueSubmit2KHR: submits,
  vkCreateCommandPool: ({ queues }) => (next, device, info, allocator, out) => {
    const result = next(device, info, allocator, out), isProtected = (member(info, POOL.flags) & PROTECTED) !== 0;
    const times = isProtected ? undefined : queues.timesOf(device, member(info, POOL.queueFamilyIndex));
    if (result === VK_SUCCESS && times) queues.passes.poolCreated(peek64(out), times.passQueries);
    return result;
  },
  vkDestroyCommandPool: ({ queues }) => (next, device, pool, allocator) => {
    queues.passes.poolDestroyed(device, pool);
    return next(device, pool, allocator);
  },
  vkAllocateCommandBuffers: ({ queues }) => (next, device, info, out) => {
    const result = next(device, info, out);
    if (result !== VK_SUCCESS || member(info, ALLOCATE.level) !== PRIMARY) return result;
    const pool = peek64(info + BigInt(ALLOCATE.commandPool)), count = member(info, ALLOCATE.commandBufferCount);
    queues.passes.allocated(device, pool, longsAt(out, count));
    return result;
  },
  vkFreeCommandBuffers: ({ queues }) => (next, device, pool, count, buffers) => {
    if (buffers !== 0n) queues.passes.freed(device, pool, longsAt(buffers, count));
    return next(device, pool, count, buffers);
  },
  vkBeginCommandBuffer: ({ queues, isOn }) => (next, buffer, info) => {
    const flags = member(info, offsetsOfVkCommandBufferBeginInfo.flags);
    const mayOverlap = (flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) !== 0;
    queues.passes.begun(buffer, isOn() && !mayOverlap);
    return next(buffer, info);
  },
  vkCmdBeginRenderPass: begins,
  vkCmdBeginRenderPass2: begins,
  vkCmdBeginRenderPass2KHR: begins,
  vkCmdBeginRendering: beginsRendering,
  vkCmdBeginRenderingKHR: beginsRendering,
  vkCmdEndRenderPass: ends,
  vkCmdEndRenderPass2: ends,
  vkCmdEndRenderPass2KHR: ends,
  vkCmdEndRendering: ends,
  vkCmdEndRenderingKHR: ends,
  vkCreateAndroidSurfaceKHR: ({ onWindow, isOn }) => (next, instance, info, ...rest) => {
    if (isOn()) onWindow(structAt("VkAndroidSurfaceCreateInfoKHR", info).window as bigint);
    return next(instance, info, ...rest);
  },
};

/** Returns the effect of a command; `undefined` for a command that is only written down. */
export function effectOf(command: string, parts: EffectParts): AnyHook | undefined {
  return EFFECTS[command]?.(parts, command);
}

function submits({ queues, isOn }: EffectParts, command: string): AnyHook {
  return (next, queue, ...rest) =>
    isOn() ? queues.submit(queue, command, [queue, ...rest], next) : next(queue, ...rest);
}

function begins({ queues }: EffectParts): AnyHook {
  return (next, buffer, ...rest) => {
    queues.passes.before(buffer);
    return next(buffer, ...rest);
  };
}

/** Nothing may stand between two parts of one pass. */
function beginsRendering({ queues }: EffectParts): AnyHook {
  return (next, buffer, info) => {
    const flags = member(info, offsetsOfVkRenderingInfo.flags);
    const isPart = (flags & (VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT)) !== 0;
    if (!isPart) queues.passes.before(buffer);
    return next(buffer, info);
  };
}

function ends({ queues }: EffectParts): AnyHook {
  return (next, buffer, ...rest) => {
    next(buffer, ...rest);
    queues.passes.after(buffer);
  };
}

/** A 32-bit member of a struct; 0 for NULL, which the driver may judge. */
function member(struct: bigint, offset: number): number {
  return struct === 0n ? 0 : peek32(struct + BigInt(offset));
}

function longsAt(list: bigint, count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => longIn(list, index));
}
