import { assert, assertEquals } from "@std/assert";
import { objectLeaks } from "../../../workbench/layers.ts";
import type { Layer, VulkanOptions } from "../../../loader/mod.ts";
import * as vk from "../../../loader/vk.ts";
import type { VkCommandBuffer, VkFence } from "../../../loader/types.ts";
import { perfettoTrace } from "../../../workbench/timeline/mod.ts";
import { validationManifest } from "../../../tools/setup/parts.ts";
import { type Gpu, openGpu } from "../../../wsi/gpu/open_gpu.ts";
import { createMessenger, listen } from "../../support/messenger.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { DRIVERS } from "../../wsi/adaptor/drawing.ts";
import { decodeTrace, type Slice } from "./decode.ts";

const VALIDATION = "VK_LAYER_KHRONOS_validation", FOREVER = 2n ** 64n - 1n;
const SIDE = 256;

type LayerChoices = NonNullable<VulkanOptions["layers"]>;

/** Recorded command buffers, and a fence for those who submit them. */
interface Bench {
  readonly gpu: Gpu;
  readonly buffers: readonly VkCommandBuffer[];
  readonly fence: VkFence;
}

/** Records a render pass that fills an image, as often as it is told. */
function record({ gpu }: Bench, commands: VkCommandBuffer, passes: number, flags: number): void {
  const image = gpu.image({ width: SIDE, height: SIDE });
  commands.vkBeginCommandBuffer({ flags });
  const barrier = {
    oldLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
    newLayout: vk.VK_IMAGE_LAYOUT_GENERAL,
    dstAccessMask: vk.VK_ACCESS_MEMORY_WRITE_BIT,
    image: image.image,
    subresourceRange: { aspectMask: 1, levelCount: 1, layerCount: 1, baseMipLevel: 0, baseArrayLayer: 0 },
  };
  const all = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  commands.vkCmdPipelineBarrier(all, all, 0, [], [], [barrier]);
  const attachment = {
    imageView: image.view,
    imageLayout: vk.VK_IMAGE_LAYOUT_GENERAL,
    loadOp: vk.VK_ATTACHMENT_LOAD_OP_CLEAR,
    storeOp: vk.VK_ATTACHMENT_STORE_OP_STORE,
    clearValue: { color: { float32: [1, 0, 0, 1] } },
  };
  const renderArea = { offset: { x: 0, y: 0 }, extent: { width: SIDE, height: SIDE } };
  for (let pass = 0; pass < passes; pass++) {
    commands.vkCmdBeginRendering({ renderArea, layerCount: 1, pColorAttachments: [attachment] });
    commands.vkCmdEndRendering();
  }
  commands.vkEndCommandBuffer();
}

const buffersOf = (buffers: readonly VkCommandBuffer[]) => buffers.map((commandBuffer) => ({ commandBuffer }));

/** Ways to submit, each with the number of the render passes that a trace shows, and with who times the work. */
const SUBMISSIONS: Record<string, [submit: (bench: Bench) => void, passes: number, by: string]> = {
  "one batch": [
    ({ gpu, buffers, fence }) => gpu.queue.vkQueueSubmit([{ pCommandBuffers: [buffers[0]] }], fence),
    1,
    "GPU",
  ],
  "the same command buffer again": [
    ({ gpu, buffers, fence }) => gpu.queue.vkQueueSubmit([{ pCommandBuffers: [buffers[0]] }], fence),
    1,
    "GPU",
  ],
  "several batches, the first and the last empty": [
    ({ gpu, buffers, fence }) =>
      gpu.queue.vkQueueSubmit([{}, { pCommandBuffers: [buffers[0]] }, { pCommandBuffers: [buffers[1]] }, {}], fence),
    4,
    "GPU",
  ],
  "vkQueueSubmit2": [
    ({ gpu, buffers, fence }) =>
      gpu.queue.vkQueueSubmit2(
        [{ pCommandBufferInfos: buffersOf([buffers[0], buffers[1]]) }, {
          pCommandBufferInfos: buffersOf([buffers[2]]),
        }],
        fence,
      ),
    4, // passes of a command buffer that may run twice at once are not timed
    "GPU",
  ],
  "no command buffers": [({ gpu, fence }) => gpu.queue.vkQueueSubmit([{}], fence), 0, "fence"],
  "no batches": [({ gpu, fence }) => gpu.queue.vkQueueSubmit([], fence), 0, "fence"],
};

const WAYS = Object.keys(SUBMISSIONS).length;

/** Submits in all ways, waiting each time; returns what validation said. */
function submitAll(driver: string, layers: LayerChoices): string[] {
  const messenger = createMessenger(), hears = layers.includes(VALIDATION);
  const features = {
    sType: vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    dynamicRendering: true,
    synchronization2: true,
  };
  try {
    using gpu = openGpu({
      driver,
      layers,
      apiVersion: vk.VK_API_VERSION_1_3,
      instanceExtensions: hears ? ["VK_EXT_debug_utils"] : [],
      pNext: [features],
    });
    using _listening = hears ? listen(gpu.instance, messenger) : undefined;
    const commandPool = gpu.device.vkCreateCommandPool({ queueFamilyIndex: gpu.queueFamilyIndex });
    const buffers = gpu.device.vkAllocateCommandBuffers({ commandPool, commandBufferCount: 3 });
    const fence = gpu.device.vkCreateFence({}), bench = { gpu, buffers, fence };
    const flags = [0, 0, vk.VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT];
    buffers.forEach((each, index) => record(bench, each, [1, 3, 1][index], flags[index]));
    for (const [submit] of Object.values(SUBMISSIONS)) {
      submit(bench);
      gpu.device.vkWaitForFences([fence], true, FOREVER);
      gpu.device.vkResetFences([fence]);
    }
    gpu.device.vkDestroyFence(fence);
    gpu.device.vkDestroyCommandPool(commandPool);
  } finally {
    messenger.close();
  }
  return messenger.messages;
}

/** The work of the queue in a trace: the submissions, each with its render passes. */
function workOf(slices: readonly Slice[]): { work: Slice; passes: Slice[] }[] {
  const onQueue = slices.filter(({ track }) => track.includes("VkQueue"));
  return onQueue.filter(({ depth }) => depth === 0).map((work) => ({
    work,
    passes: onQueue.filter((each) => each.depth === 1 && each.start >= work.start && each.end <= work.end),
  }));
}

for (const [name, driver] of DRIVERS) {
  for (
    const [where, layersOf] of Object.entries({
      alone: (layer: Layer) => [layer],
      "above validation": (layer: Layer) => [layer, VALIDATION],
      "below validation": (layer: Layer) => [VALIDATION, layer],
    })
  ) {
    const ignore = needs(name, driver).ignore ||
      where !== "alone" && needs("Khronos validation layer", validationManifest()).ignore;
    Deno.test(`perfettoTrace() shows when the GPU worked, ${where} (${name})`, { ignore }, () => {
      withFolder((folder) => {
        const path = `${folder}/gpu.pftrace`, leaks = objectLeaks();
        using trace = perfettoTrace({ path });
        assertEquals(submitAll(driver!, [...layersOf(trace.layer), leaks.layer]), []);
        assertEquals(leaks.report().leaked, []);
        trace.close();
        const { slices } = decodeTrace(Deno.readFileSync(path)), shown = workOf(slices).slice(-WAYS); // openGpu() submits, too
        const rows = shown.map(({ work, passes }) => [passes.length, work.args.timed_by]);
        assertEquals(rows, Object.values(SUBMISSIONS).map(([, passes, by]) => [passes, by]));
        const calls = slices.filter((each) =>
          each.track === "deno/JavaScript" && each.name.startsWith("vkQueueSubmit")
        );
        const waits = slices.filter(({ name }) => name === "vkWaitForFences");
        shown.forEach(({ work }, index) => {
          const [call, wait] = [calls.slice(-WAYS)[index], waits.slice(-WAYS)[index]],
            error = Number(work.args.error_ns ?? 0);
          assert(work.start >= call.start - error, "work begins after the call");
          if (work.args.timed_by === "GPU") assert(work.end <= wait.end + error, "work ends before the wait ends");
        });
      });
    });
  }
}

for (const [name, driver] of DRIVERS) {
  Deno.test(`perfettoTrace() waits for the GPU before a device is destroyed (${name})`, needs(name, driver), () => {
    withFolder((folder) => {
      const program = "tests/workbench/timeline/programs/destroyed_amid_work.ts";
      const { code, stdout, output } = runProgram(program, [driver!, `${folder}/amid.pftrace`]);
      assertEquals(code, 0, output);
      const [{ left }, [work]] = stdout.trim().split("\n").map((line) => JSON.parse(line));
      const own = ["VkBuffer", "VkCommandBuffer", "VkCommandPool", "VkDeviceMemory", "VkFence"];
      assertEquals([left, work.timed_by, work.unfinished], [own, "GPU", undefined], output);
    });
  });
}
