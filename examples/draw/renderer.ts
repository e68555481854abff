import {
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  VK_TIMEOUT,
  type VkCommandBuffer,
  type VkFence,
  type VkPhysicalDevice,
} from "@pumice/gfx/vk";
import { frameUniforms, OVERSAMPLING } from "../scene/scene.ts";
import { makeBindings } from "./bindings.ts";
import { type Gpu, openGpu } from "./gpu.ts";
import { scenePass, shadowPass } from "./passes.ts";
import { makePipelines } from "./pipelines.ts";
import { type Parts, recordFrame, recordRock } from "./record.ts";
import { type Extent, makeResources } from "./resources.ts";

/** The time before a message that there is still something to wait for, in nanoseconds. */
const PATIENCE = 1_000_000_000n;

/** Draws the scene on one device, with no window. */
export interface Renderer extends Disposable {
  /** Draws the frame at `time` seconds and returns its pixels: RGBA, 8 bits each, rows from the top. */
  draw(time: number): Uint8Array;
}

/** Makes everything the scene needs on a physical device; `waiting` is called each second while the device works. */
export function createRenderer(physicalDevice: VkPhysicalDevice, picture: Extent, waiting: () => void): Renderer {
  const gpu = openGpu(physicalDevice);
  const resources = makeResources(gpu, picture);
  const bindings = makeBindings(gpu, resources);
  const shadow = shadowPass(gpu, resources), light = scenePass(gpu, resources);
  const pipelines = makePipelines(gpu, bindings.layout, shadow, light);
  const parts: Parts = { resources, bindings, pipelines, shadow, light, picture };
  const submission = makeSubmission(gpu, waiting);
  submission.run((commands) => recordRock(commands, parts));
  const { frame, picture: pixels } = resources.buffers;
  return {
    draw(time) {
      frame.bytes.set(new Uint8Array(frameUniforms({ ...picture, oversampling: OVERSAMPLING, time }).buffer));
      submission.run((commands) => recordFrame(commands, parts));
      return pixels.bytes.slice();
    },
    [Symbol.dispose]: () => gpu.owned.dispose(),
  };
}

/** One command buffer, recorded, submitted and waited for again and again. */
function makeSubmission({ device, queue, queueFamilyIndex, owned }: Gpu, waiting: () => void) {
  const flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  const commandPool = device.vkCreateCommandPool({ flags, queueFamilyIndex });
  const level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level, commandBufferCount: 1 });
  const fence: VkFence = device.vkCreateFence({});
  owned.defer(() => device.vkDestroyCommandPool(commandPool));
  owned.defer(() => device.vkDestroyFence(fence));
  return {
    run(record: (commands: VkCommandBuffer) => void) {
      commands.vkBeginCommandBuffer({});
      record(commands);
      commands.vkEndCommandBuffer();
      queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
      while (device.vkWaitForFences([fence], true, PATIENCE) === VK_TIMEOUT) waiting();
      device.vkResetFences([fence]);
    },
  };
}
