import { assert, assertEquals } from "@std/assert";
import { apiRecording, readRecording, replayRecording } from "../../../../workbench/layers.ts";
import { COMMANDS } from "../../../../loader/gen/command_table_gen.js";
import { findCommand } from "../../../../loader/command/registry/table.ts";
import { isRecorded } from "../../../../workbench/recordings/record/commands.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import type { VkBuffer, VkCommandBuffer, VkDevice, VkQueue } from "../../../../loader/types.ts";
import * as vk from "../../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { PageWatch } from "../../../../workbench/recordings/record/written_pages.ts";
import { prepareHooks } from "../../../../loader/layers/shipped/native/prepare.ts";
import { withFolder } from "../../../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const DRIVERS = [["lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const;
const PAGE = 4096;

/** A mapped buffer, its words, and its memory. */
interface Mapped {
  readonly buffer: VkBuffer;
  readonly words: Uint32Array;
}

/** The objects of a program. */
interface Program {
  readonly device: VkDevice;
  readonly queue: VkQueue;
  readonly commands: readonly VkCommandBuffer[];
  /** Makes a buffer of so many bytes in memory of its own, which stays mapped. */
  mapped(size: number, usage: number): Mapped;
}

/** Runs a program with two command buffers, recorded; returns the gaps, the lines, and the first words of all reads of a replay. */
function recorded(driver: string, program: (program: Program) => void) {
  return withFolder((folder) => {
    const path = `${folder}/program.jsonl`;
    using recording = apiRecording({ path });
    {
      using vulkan = loadVulkan({ driver, layers: [recording.layer] });
      using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: vk.VK_API_VERSION_1_2 } });
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      gpu.vkGetPhysicalDeviceMemoryProperties();
      const features = { sType: vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, timelineSemaphore: true };
      using device = gpu.vkCreateDevice({
        pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
        pNext: [features as never],
      });
      const flags = vk.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
      const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0, flags });
      const commands = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 2 });
      const mapped = (size: number, usage: number) => mappedBuffer(device, size, usage);
      program({ device, queue: device.vkGetDeviceQueue(0, 0), commands, mapped });
    }
    recording.close();
    if (recording.error !== undefined) throw recording.error;
    const replayed: string[] = [];
    if (recording.gaps.length === 0) {
      replayRecording({ driver }, path, {
        onRead({ buffer, offset, recorded, replayed: found }) {
          replayed.push(
            `${buffer} at ${offset}: ${recorded.every((byte, at) => byte === found![at]) ? "same" : "other"}`,
          );
        },
      });
    }
    return { gaps: recording.gaps, lines: readRecording(path).lines, replayed };
  });
}

function mappedBuffer(device: VkDevice, size: number, usage: number): Mapped {
  const buffer = device.vkCreateBuffer({ size: BigInt(size), usage });
  const { size: allocationSize } = device.vkGetBufferMemoryRequirements(buffer);
  const memory = device.vkAllocateMemory({ allocationSize, memoryTypeIndex: 0 });
  device.vkBindBufferMemory(buffer, memory, 0n);
  const address = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, vk.VK_WHOLE_SIZE))!;
  return { buffer, words: new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(address, size)) };
}

function copy(commands: VkCommandBuffer, from: Mapped, to: Mapped, dstOffset: number, size = PAGE): void {
  commands.vkBeginCommandBuffer({});
  commands.vkCmdCopyBuffer(from.buffer, to.buffer, [{
    srcOffset: 0n,
    dstOffset: BigInt(dstOffset),
    size: BigInt(size),
  }]);
  commands.vkEndCommandBuffer();
}

for (const [name, driver] of DRIVERS) {
  Deno.test(`apiRecording() says of each mapping how what the program writes is found there, on ${name}`, {
    ...needs(name, driver),
  }, () => {
    prepareHooks();
    const { lines } = recorded(driver!, ({ mapped }) => {
      mapped(64, vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT); // less than a page, of which others may write the rest
      mapped(16 * PAGE, vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    });
    using watch = PageWatch.open();
    const found = lines.flatMap((line) => "command" in line && line.command === "vkMapMemory" ? [line.writes] : []);
    assertEquals(found, ["comparison", watch ? "userfaultfd" : "comparison"]);
  });
}

function isDifferent(line: string): boolean {
  return !line.endsWith("same");
}

for (const [name, driver] of DRIVERS) {
  const usages = [vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT, vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT];
  Deno.test(
    `apiRecording() has every upload of frames in flight, also into buffers that the GPU can write, on ${name}`,
    needs(name, driver),
    () => {
      for (const usage of usages) {
        const frames = 6, saw: number[] = [];
        const { gaps, lines, replayed } = recorded(driver!, ({ device, queue, commands, mapped }) => {
          const out = mapped(PAGE * frames, vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT);
          const ups = commands.map(() => mapped(PAGE, usage | vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT));
          const fences = commands.map(() => device.vkCreateFence({ flags: vk.VK_FENCE_CREATE_SIGNALED_BIT }));
          for (let frame = 0; frame < frames; frame++) {
            const which = frame % 2, fence = fences[which];
            device.vkWaitForFences([fence], true, 10n ** 11n);
            device.vkResetFences([fence]);
            ups[which].words.fill(100 + frame);
            copy(commands[which], ups[which], out, PAGE * frame);
            queue.vkQueueSubmit([{ pCommandBuffers: [commands[which]] }], fence);
          }
          queue.vkQueueWaitIdle();
          for (let frame = 0; frame < frames; frame++) saw.push(out.words[frame * PAGE / 4]);
        });
        assertEquals([saw, gaps], [[100, 101, 102, 103, 104, 105], []]);
        assert(lines.filter((line) => "write" in line).length >= frames);
        assert(replayed.length > 0);
        assertEquals(replayed.filter(isDifferent), []);
      }
    },
  );

  Deno.test(
    `apiRecording() has what a program writes after it has seen how far the GPU is, on ${name}`,
    needs(name, driver),
    () => {
      const size = 8 << 20;
      for (const how of ["fence", "event", "query", "semaphore"]) {
        let saw: number[] = [];
        const { gaps, replayed, lines } = recorded(driver!, ({ device, queue, commands: [first, second], mapped }) => {
          const up = mapped(PAGE, vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
          const out = mapped(2 * PAGE, vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT);
          const [big, other] = [1, 2].map((usage) => device.vkCreateBuffer({ size: BigInt(size), usage }));
          for (const buffer of [big, other]) {
            const { size: allocationSize } = device.vkGetBufferMemoryRequirements(buffer);
            device.vkBindBufferMemory(buffer, device.vkAllocateMemory({ allocationSize, memoryTypeIndex: 0 }), 0n);
          }
          const event = device.vkCreateEvent({}), fence = device.vkCreateFence({});
          const queries = device.vkCreateQueryPool({ queryType: vk.VK_QUERY_TYPE_TIMESTAMP, queryCount: 1 });
          const pNext = [{
            sType: vk.VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
            semaphoreType: 1,
            initialValue: 0n,
          }];
          const semaphore = device.vkCreateSemaphore({ pNext: pNext as never });
          first.vkBeginCommandBuffer({});
          first.vkCmdResetQueryPool(queries, 0, 1);
          for (let times = 0; times < 8; times++) {
            first.vkCmdCopyBuffer(big, other, [{ srcOffset: 0n, dstOffset: 0n, size: BigInt(size) }]);
          }
          first.vkCmdCopyBuffer(up.buffer, out.buffer, [{ srcOffset: 0n, dstOffset: 0n, size: BigInt(PAGE) }]);
          first.vkCmdSetEvent(event, vk.VK_PIPELINE_STAGE_TRANSFER_BIT);
          first.vkCmdWriteTimestamp(vk.VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 0);
          first.vkEndCommandBuffer();
          copy(second, up, out, PAGE);
          const timeline = { sType: vk.VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, pSignalSemaphoreValues: [5n] };
          up.words.fill(1);
          queue.vkQueueSubmit(
            [{ pCommandBuffers: [first], pSignalSemaphores: [semaphore], pNext: [timeline as never] }],
            fence,
          );
          const until = Date.now() + 60_000;
          const poll = (isDone: () => boolean) => {
            while (!isDone()) assert(Date.now() < until, `${how}: the GPU does not go on`);
          };
          if (how === "fence") poll(() => device.vkGetFenceStatus(fence) === vk.VK_SUCCESS);
          else if (how === "event") poll(() => device.vkGetEventStatus(event) === vk.VK_EVENT_SET);
          else if (how === "semaphore") poll(() => device.vkGetSemaphoreCounterValue(semaphore) === 5n);
          else {
            const flags = vk.VK_QUERY_RESULT_64_BIT | vk.VK_QUERY_RESULT_WAIT_BIT;
            device.vkGetQueryPoolResults(queries, 0, 1, 8, 8n, flags);
          }
          saw = [out.words[0]];
          up.words.fill(2);
          queue.vkQueueSubmit([{ pCommandBuffers: [second] }]);
          queue.vkQueueWaitIdle();
          saw.push(out.words[PAGE / 4]);
        });
        const told = lines.map((line) => "command" in line ? line.command : Object.keys(line)[0]);
        const wait = {
          fence: "vkWaitForFences",
          event: "vkGetEventStatus",
          query: "vkGetQueryPoolResults",
          semaphore: "vkWaitSemaphores",
        }[how]!;
        const [submit, waited, read, write] = [
          told.indexOf("vkQueueSubmit"),
          told.indexOf(wait),
          told.indexOf("read"),
          told.lastIndexOf("write"),
        ];
        assert(submit < waited && waited < read && read < write, `${how}: ${told}`);
        assertEquals([how, saw, gaps, replayed.filter(isDifferent)], [how, [1, 2], [], []]);
      }
    },
  );
}

Deno.test("apiRecording() records every command by whose success codes a program learns how far the GPU is", () => {
  const codes: readonly number[] = [vk.VK_NOT_READY, vk.VK_TIMEOUT, vk.VK_EVENT_SET, vk.VK_EVENT_RESET];
  const names = COMMANDS.trim().split("\n").map((line) => line.split(" ")[0]);
  const telling = names.filter((name) => findCommand(name)?.codes.some((code) => codes.includes(code)));
  assert(telling.length >= 14);
  // of a host's own work, of the times at which pictures are shown, and of a device's faults
  assertEquals(telling.filter((name) => !isRecorded(name)), [
    "vkGetDeferredOperationResultKHR",
    "vkGetDeviceFaultReportsKHR",
    "vkGetSwapchainTimingPropertiesEXT",
  ]);
});

Deno.test(
  "apiRecording() names a buffer that changes while the GPU may be writing parts of it, and that more work uses",
  LAVAPIPE,
  () => {
    const { gaps } = recorded(lavapipePath()!, ({ device, queue, commands: [first, second], mapped }) => {
      const storage = mapped(PAGE, vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
      const out = mapped(PAGE, vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT);
      const descriptorType = vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      const setLayout = device.vkCreateDescriptorSetLayout({
        pBindings: [{ binding: 0, descriptorType, descriptorCount: 1, stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT }],
      });
      const layout = device.vkCreatePipelineLayout({ pSetLayouts: [setLayout] });
      const descriptorPool = device.vkCreateDescriptorPool({
        maxSets: 1,
        pPoolSizes: [{ type: descriptorType, descriptorCount: 1 }],
      });
      const [set] = device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [setLayout] });
      const pBufferInfo = [{ buffer: storage.buffer, offset: 0n, range: vk.VK_WHOLE_SIZE }];
      device.vkUpdateDescriptorSets([{ dstSet: set, dstBinding: 0, descriptorType, pBufferInfo }], []);
      first.vkBeginCommandBuffer({});
      first.vkCmdBindDescriptorSets(vk.VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [set], []);
      first.vkEndCommandBuffer();
      copy(second, storage, out, 0);
      queue.vkQueueSubmit([{ pCommandBuffers: [first] }]);
      storage.words.fill(7);
      queue.vkQueueSubmit([{ pCommandBuffers: [second] }]);
      queue.vkQueueWaitIdle();
    });
    assertEquals(gaps, [
      "Nobody saw who wrote to VkBuffer#1, which the GPU may have been writing when the program gave it more work there",
    ]);
  },
);

Deno.test(
  "apiRecording() has what a program writes while the GPU waits for the program, also where the GPU will write",
  LAVAPIPE,
  () => {
    for (const how of ["event", "semaphore"]) {
      const saw: number[] = [];
      const { gaps, lines, replayed } = recorded(lavapipePath()!, ({ device, queue, commands: [commands], mapped }) => {
        const both = mapped(PAGE, vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT | vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT);
        const out = mapped(PAGE, vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT);
        const event = device.vkCreateEvent({});
        const pNext = [{ sType: vk.VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, semaphoreType: 1, initialValue: 0n }];
        const semaphore = device.vkCreateSemaphore({ pNext: pNext as never });
        const [host, transfer] = [vk.VK_PIPELINE_STAGE_HOST_BIT, vk.VK_PIPELINE_STAGE_TRANSFER_BIT];
        commands.vkBeginCommandBuffer({});
        if (how === "event") commands.vkCmdWaitEvents([event], host, transfer, []);
        commands.vkCmdCopyBuffer(both.buffer, out.buffer, [{ srcOffset: 0n, dstOffset: 0n, size: BigInt(PAGE) }]);
        const access = {
          srcAccessMask: vk.VK_ACCESS_TRANSFER_READ_BIT,
          dstAccessMask: vk.VK_ACCESS_TRANSFER_WRITE_BIT,
        };
        commands.vkCmdPipelineBarrier(transfer, transfer, 0, [access]);
        commands.vkCmdFillBuffer(both.buffer, 0n, BigInt(PAGE), 9);
        commands.vkEndCommandBuffer();
        both.words.fill(1);
        const timeline = { sType: vk.VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, pWaitSemaphoreValues: [3n] };
        const waits = { pWaitSemaphores: [semaphore], pWaitDstStageMask: [transfer], pNext: [timeline as never] };
        queue.vkQueueSubmit([{ pCommandBuffers: [commands], ...how === "semaphore" && waits }]);
        both.words.fill(5);
        if (how === "event") device.vkSetEvent(event);
        else device.vkSignalSemaphore({ semaphore, value: 3n });
        queue.vkQueueWaitIdle();
        saw.push(out.words[0], both.words[0]);
      });
      assertEquals([how, saw, gaps, replayed.filter(isDifferent)], [how, [5, 9], [], []]);
      const told = lines.map((line) => "command" in line ? line.command : Object.keys(line)[0]);
      const [submit, write, read] = [told.indexOf("vkQueueSubmit"), told.lastIndexOf("write"), told.indexOf("read")];
      assert(submit < write && write < read, `${how}: ${told}`);
    }
  },
);

for (const [name, driver] of DRIVERS) {
  Deno.test(
    `apiRecording() has what the program could read from a mapped linear image, and a replay reads the same, on ${name}`,
    needs(name, driver),
    () => {
      const width = 16, height = 4, seen: number[] = [];
      let from = 0, rowPitch = 0;
      const { gaps, lines, replayed } = recorded(driver!, ({ device, queue, commands, mapped }) => {
        const up = mapped(4 * width * height, vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
        up.words.forEach((_, index) => up.words[index] = 0x0101_0101 * (index + 1));
        const image = device.vkCreateImage({
          imageType: vk.VK_IMAGE_TYPE_2D,
          format: vk.VK_FORMAT_R8G8B8A8_UNORM,
          extent: { width, height, depth: 1 },
          mipLevels: 1,
          arrayLayers: 1,
          samples: vk.VK_SAMPLE_COUNT_1_BIT,
          tiling: vk.VK_IMAGE_TILING_LINEAR,
          usage: vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        });
        const { size: allocationSize, alignment } = device.vkGetImageMemoryRequirements(image);
        const start = alignment; // so that an offset from the image is none from the memory
        const memory = device.vkAllocateMemory({ allocationSize: allocationSize + start, memoryTypeIndex: 0 });
        device.vkBindImageMemory(image, memory, start);
        const address = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, vk.VK_WHOLE_SIZE))!;
        const aspectMask = vk.VK_IMAGE_ASPECT_COLOR_BIT, layout = vk.VK_IMAGE_LAYOUT_GENERAL;
        const subresourceRange = { aspectMask, levelCount: 1, layerCount: 1 };
        const barrier = { newLayout: layout, dstAccessMask: vk.VK_ACCESS_TRANSFER_WRITE_BIT, image, subresourceRange };
        const [own] = commands, all = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        own.vkBeginCommandBuffer({});
        own.vkCmdPipelineBarrier(all, all, 0, [], [], [{ ...barrier, srcQueueFamilyIndex: 0, dstQueueFamilyIndex: 0 }]);
        own.vkCmdCopyBufferToImage(up.buffer, image, layout, [{
          imageSubresource: { aspectMask, layerCount: 1 },
          imageExtent: { width, height, depth: 1 },
        }]);
        own.vkEndCommandBuffer();
        queue.vkQueueSubmit([{ pCommandBuffers: [own] }]);
        queue.vkQueueWaitIdle();
        const place = device.vkGetImageSubresourceLayout(image, { aspectMask });
        from = Number(start + place.offset), rowPitch = Number(place.rowPitch);
        const bytes = Deno.UnsafePointerView.getArrayBuffer(address, Number(allocationSize + start));
        for (let y = 0; y < height; y++) seen.push(...new Uint32Array(bytes, from + y * rowPitch, width));
        device.vkDestroyImage(image);
        device.vkFreeMemory(memory);
      });
      const reads = lines.filter((line) => "read" in line);
      assertEquals([gaps, reads.map(({ read }) => read), replayed.some(isDifferent)], [[], ["VkImage#1"], false]);
      assertEquals(seen, Array.from({ length: width * height }, (_, index) => 0x0101_0101 * (index + 1) >>> 0));
      assertEquals(replayed, [`VkImage#1 at ${reads[0].offset}: same`]);
    },
  );
}
