import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  apiRecording,
  objectLeaks,
  readRecording,
  type RecordedCall,
  type RecordedLine,
  type RecordedStream,
  RecordingError,
  replayRecording,
} from "../../../../workbench/layers.ts";
import { defineLayer, loadVulkan } from "../../../../loader/mod.ts";
import type { VkCommandBuffer } from "../../../../loader/gen/types_core_gen.ts";
import { Flow, heldText } from "../../../../workbench/recordings/state_tracker/flow.ts";
import {
  VK_API_VERSION_1_2,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_SEMAPHORE_TYPE_TIMELINE,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
  VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
  VK_WHOLE_SIZE,
} from "../../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { freshMemory } from "../replay/fresh_memory.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), SWIFTSHADER = needs("SwiftShader", swiftshaderPath());
const BOTH = { ignore: LAVAPIPE.ignore || SWIFTSHADER.ignore };
const SIZE = 4096n;

/** A flow whose submissions are noted when they go. */
function watched() {
  const flow = new Flow(), went: number[] = [];
  let line = 0;
  const submit = (queue: number, info: object, fence?: string) =>
    flow.submit(
      { command: "vkQueueSubmit", args: { queue: `VkQueue#${queue}`, pSubmits: [info], fence } },
      ++line,
      () => {
        went.push(line);
      },
    );
  const note = (command: string, args: object, out?: object) =>
    flow.note(command, { command, args, out } as RecordedCall);
  const timeline = (semaphore: string) => {
    const pNext = [{
      sType: "VkSemaphoreTypeCreateInfo",
      semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE,
      initialValue: "0",
    }];
    note("vkCreateSemaphore", { pCreateInfo: { pNext } }, { pSemaphore: semaphore });
  };
  return { flow, went, submit, note, timeline };
}

const waiting = (semaphore: string, value: string) => ({ pWaitSemaphoreInfos: [{ semaphore, value }] });
const giving = (semaphore: string, value: string) => ({ pSignalSemaphoreInfos: [{ semaphore, value }] });

Deno.test("Flow holds work that waits for a value until a host or another queue gives the value", () => {
  const { flow, submit, note, timeline } = watched(), went: string[] = [];
  timeline("VkSemaphore#1");
  const put = (name: string, queue: number, info: object) =>
    flow.submit(
      { command: "vkQueueSubmit2", args: { queue: `VkQueue#${queue}`, pSubmits: [info] } },
      1,
      () => went.push(name),
    );
  put("first", 1, waiting("VkSemaphore#1", "1"));
  put("behind", 1, {});
  put("aside", 2, {});
  assertEquals(went, ["aside"]);
  assertEquals(
    heldText(flow.held),
    "VkQueue#1 waits, since line 1, for value 1 of VkSemaphore#1, which no line before gives",
  );
  put("giver", 2, giving("VkSemaphore#1", "1"));
  assertEquals(went, ["aside", "giver", "first", "behind"]);
  put("later", 1, waiting("VkSemaphore#1", "5"));
  note("vkSignalSemaphore", { pSignalInfo: { semaphore: "VkSemaphore#1", value: "4" } });
  assertEquals(went.length, 4);
  note("vkSignalSemaphore", { pSignalInfo: { semaphore: "VkSemaphore#1", value: "5" } });
  assertEquals(went.at(-1), "later");
  assert(!flow.isHolding);
  submit(1, {});
});

Deno.test("Flow holds what waits for a semaphore of held work, and for events that nothing has set", () => {
  const { flow, went, submit, note, timeline } = watched();
  timeline("VkSemaphore#1");
  note("vkBeginCommandBuffer", { commandBuffer: "VkCommandBuffer#2" });
  note("vkCmdWaitEvents2", { commandBuffer: "VkCommandBuffer#2", pEvents: ["VkEvent#1"] });
  note("vkBeginCommandBuffer", { commandBuffer: "VkCommandBuffer#1" });
  note("vkCmdExecuteCommands", { commandBuffer: "VkCommandBuffer#1", pCommandBuffers: ["VkCommandBuffer#2"] });
  submit(1, { pCommandBuffers: ["VkCommandBuffer#1"], pSignalSemaphores: ["VkSemaphore#2"] });
  submit(2, { pWaitSemaphores: ["VkSemaphore#2"] });
  assertEquals([went.length, flow.held.map(({ name }) => name)], [0, ["VkEvent#1", "VkSemaphore#2"]]);
  assert(flow.uses(["VkCommandBuffer#2"]).isHeld, "within the one that executes it");
  note("vkSetEvent", { event: "VkEvent#1" });
  assertEquals([went.length, flow.isHolding], [2, false]);
  note("vkResetEvent", { event: "VkEvent#1" });
  submit(1, { pCommandBuffers: ["VkCommandBuffer#1"], pSignalSemaphores: ["VkSemaphore#2"] });
  assert(flow.isHolding);
  note("vkBeginCommandBuffer", { commandBuffer: "VkCommandBuffer#3" });
  note("vkCmdSetEvent", { commandBuffer: "VkCommandBuffer#3", event: "VkEvent#1" });
  submit(2, { pCommandBuffers: ["VkCommandBuffer#3"] });
  assertEquals([went.length, flow.isHolding], [4, false]);
});

Deno.test("Flow knows which held work a wait needs, and whose work a wait has ended", () => {
  const { flow, submit, note, timeline } = watched();
  timeline("VkSemaphore#1");
  for (const [queue, device] of [[1, 1], [2, 2]]) {
    note("vkGetDeviceQueue", { device: `VkDevice#${device}` }, { pQueue: `VkQueue#${queue}` });
  }
  submit(1, waiting("VkSemaphore#1", "1"), "VkFence#1");
  submit(2, {}, "VkFence#2");
  const needed = (core: string, args: object) => flow.neededBy(core, args).length;
  assertEquals(needed("vkQueueWaitIdle", { queue: "VkQueue#1" }), 1);
  assertEquals(needed("vkQueueWaitIdle", { queue: "VkQueue#2" }), 0);
  assertEquals(needed("vkDeviceWaitIdle", { device: "VkDevice#2" }), 0);
  assertEquals(needed("vkWaitForFences", { pFences: ["VkFence#1", "VkFence#2"], waitAll: true }), 1);
  assertEquals(needed("vkWaitForFences", { pFences: ["VkFence#1", "VkFence#2"], waitAll: false }), 0);
  const values = (flags: number) => ({ pWaitInfo: { flags, pSemaphores: ["VkSemaphore#1"], pValues: ["1"] } });
  assertEquals(needed("vkWaitSemaphores", values(0)), 1);
  assertEquals(flow.pending(), ["VkQueue#2"]);
  flow.waited("vkWaitForFences", { pFences: ["VkFence#2"], waitAll: true });
  assertEquals(flow.pending(), []);
  flow.force();
  assertEquals([flow.isHolding, flow.pending()], [false, ["VkQueue#1"]]);
  assertEquals(flow.missing, [{ name: "VkSemaphore#1", value: 1n }]);
});

/** A program whose work waits for the host, which goes on recording meanwhile. */
function recordHostSignal(path: string, driver: string, how: "timeline" | "event", more: number): number {
  using recording = apiRecording({ path });
  let seen = 0;
  {
    using vulkan = loadVulkan({ driver, layers: [recording.layer, freshMemory()] });
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_2 } });
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    gpu.vkGetPhysicalDeviceMemoryProperties();
    gpu.vkGetPhysicalDeviceQueueFamilyProperties();
    using device = gpu.vkCreateDevice({
      pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
      pNext: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, timelineSemaphore: true }],
    });
    const buffer = device.vkCreateBuffer({ size: SIZE, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
    const memory = device.vkAllocateMemory({ allocationSize: SIZE, memoryTypeIndex: 0 });
    device.vkBindBufferMemory(buffer, memory, 0n);
    const at = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, VK_WHOLE_SIZE))!;
    const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const all = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: more + 1 });
    const queue = device.vkGetDeviceQueue(0, 0), event = device.vkCreateEvent({});
    const type = { semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE, initialValue: 0n };
    const semaphore = device.vkCreateSemaphore({
      pNext: [{ sType: VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, ...type }],
    });
    const fill = (commands: VkCommandBuffer, value: number, waits: boolean) => {
      commands.vkBeginCommandBuffer({});
      if (waits) {
        commands.vkCmdWaitEvents([event], VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, [], [], []);
      }
      commands.vkCmdFillBuffer(buffer, 0n, SIZE, value);
      commands.vkEndCommandBuffer();
    };
    fill(all[0], 1, how === "event");
    const waits = {
      pWaitSemaphores: [semaphore],
      pWaitDstStageMask: [VK_PIPELINE_STAGE_TRANSFER_BIT],
      pNext: [{ sType: VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, pWaitSemaphoreValues: [1n] }],
    } as const;
    queue.vkQueueSubmit([{ pCommandBuffers: [all[0]], ...how === "timeline" && waits }]);
    for (let index = 1; index <= more; index++) fill(all[index], 1 + index, false);
    if (how === "timeline") device.vkSignalSemaphore({ semaphore, value: 1n });
    else device.vkSetEvent(event);
    for (let index = 1; index <= more; index++) queue.vkQueueSubmit([{ pCommandBuffers: [all[index]] }]);
    queue.vkQueueWaitIdle();
    seen = new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(at, 4))[0];
    device.vkDestroySemaphore(semaphore);
    device.vkDestroyEvent(event);
    device.vkDestroyCommandPool(commandPool);
    device.vkDestroyBuffer(buffer);
    device.vkFreeMemory(memory);
  }
  recording.close();
  assertEquals(recording.gaps, []);
  return seen;
}

/** Replays, and returns the words that were read and how long each wait was that a driver was asked for. */
function replayWords(driver: string, recording: string | RecordedStream, timeout?: number) {
  const words: number[] = [], ends: bigint[] = [];
  const listening = defineLayer({
    name: "VK_LAYER_TEST_waits",
    commands: {
      vkWaitForFences(next, ...args) {
        const result = next(...args);
        if (result !== 0) ends.push(args[4]);
        return result;
      },
    },
  });
  const report = replayRecording({ driver, layers: [listening] }, recording, {
    timeout,
    onRead: ({ recorded, replayed }) => {
      assertEquals(replayed, recorded);
      words.push(new Uint32Array(replayed!.slice().buffer)[0]);
    },
  });
  return { words, late: ends, report };
}

for (const how of ["timeline", "event"] as const) {
  Deno.test(`replayRecording() lets no wait run out while work waits for a host's ${how}`, BOTH, () => {
    withFolder((folder) => {
      const path = `${folder}/signal.jsonl`;
      assertEquals(recordHostSignal(path, lavapipePath()!, how, 8), 9);
      for (const driver of [lavapipePath()!, swiftshaderPath()!]) {
        const { words, late, report } = replayWords(driver, path);
        assertEquals([words, late, report.held], [[9], [], []]);
      }
    });
  });
}

/** Makes a second queue out of the host's signal: a submission there gives the value for which the first queue waits. */
function withTwoQueues(path: string, gives: boolean): RecordedStream {
  const { lines, data } = readRecording(path);
  const isCall = (line: RecordedLine, command: string): line is RecordedCall =>
    "command" in line && line.command === command;
  const other = "VkCommandBuffer#2", queue = "VkQueue#2", device = "VkDevice#1";
  const pSubmits = [{ pCommandBuffers: [other], pSignalSemaphoreInfos: [{ semaphore: "VkSemaphore#1", value: "1" }] }];
  const { pSignalSemaphoreInfos: _, ...plain } = pSubmits[0];
  const pNext = [{ sType: "VkTimelineSemaphoreSubmitInfo", pSignalSemaphoreValues: ["1"] }];
  const giving = { ...plain, pNext, pSignalSemaphores: ["VkSemaphore#1"] };
  return {
    data,
    lines: lines.flatMap((line): RecordedLine[] => {
      if (isCall(line, "vkGetPhysicalDeviceQueueFamilyProperties")) line.out!.pQueueFamilyProperties[0].queueCount = 2;
      if (isCall(line, "vkCreateDevice")) line.args.pCreateInfo.pQueueCreateInfos[0].pQueuePriorities = [1, 1];
      const args = { device, queueFamilyIndex: 0, queueIndex: 1 };
      if (isCall(line, "vkGetDeviceQueue")) return [line, { command: line.command, args, out: { pQueue: queue } }];
      if (isCall(line, "vkQueueSubmit") && JSON.stringify(line).includes(`"${other}"`)) return [];
      if (!isCall(line, "vkSignalSemaphore")) return [line];
      return [{ command: "vkQueueSubmit", args: { queue, pSubmits: [gives ? giving : plain] } }];
    }),
  };
}

Deno.test(
  "replayRecording() orders the work of two recorded queues that share one, of which one waits for the other",
  BOTH,
  () => {
    withFolder((folder) => {
      const path = `${folder}/queues.jsonl`;
      recordHostSignal(path, lavapipePath()!, "timeline", 3);
      for (const driver of [lavapipePath()!, swiftshaderPath()!]) {
        assertEquals(replayWords(driver, withTwoQueues(path, true)).words, [4]);
      }
    });
  },
);

Deno.test("replayRecording() names the work whose wait nothing ends, before it calls anything", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/endless.jsonl`, driver = lavapipePath()!, leaks = objectLeaks();
    recordHostSignal(path, driver, "timeline", 3);
    const error = assertThrows(
      () => replayRecording({ driver, layers: [leaks.layer] }, withTwoQueues(path, false)),
      RecordingError,
    );
    assertMatch(
      error.message,
      /line \d+, vkQueueWaitIdle: VkQueue#1 waits, since line \d+, for value 1 of VkSemaphore#1, which no line before/,
    );
  });
});

Deno.test("replayRecording() ends when nobody sets an event, and says so", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/event.jsonl`, driver = lavapipePath()!, leaks = objectLeaks();
    recordHostSignal(path, driver, "event", 1);
    const edit = (line: RecordedLine) => "command" in line && line.command === "vkSetEvent" ? undefined : line;
    const error = assertThrows(
      () => replayRecording({ driver, layers: [leaks.layer] }, path, { edit, timeout: 100 }),
      RecordingError,
    );
    assertMatch(error.message, /vkQueueWaitIdle: VkQueue#1 has not finished in 100 ms what line \d+ submits/);
    assertMatch(error.message, /VkQueue#1 waits, since line \d+, for VkEvent#1, which no line before gives/);
    assertEquals(leaks.report().text, "no object was leaked, none is live");
  });
});

Deno.test("replayRecording() says which work a cut recording never gives to the device", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/cut.jsonl`, driver = lavapipePath()!;
    recordHostSignal(path, driver, "event", 2);
    const { lines, data } = readRecording(path);
    const end = lines.findIndex((line) => "command" in line && line.command === "vkSetEvent");
    const { report, late } = replayWords(driver, { lines: lines.slice(0, end), data });
    assertEquals(late, []);
    assertMatch(report.held.join(), /^VkQueue#1 waits, since line \d+, for VkEvent#1, which no line before gives$/);
  });
});
