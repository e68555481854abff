import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { blackBox, type BlackBoxOptions, type SavedBlackBox } from "../../../../workbench/layers.ts";
import { readRecording, RecordingError, replayRecording } from "../../../../workbench/layers.ts";
import { loadVulkan, VulkanError } from "../../../../loader/mod.ts";
import {
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_SEMAPHORE_TYPE_TIMELINE,
  VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
  type VkDevice,
} from "../../../../loader/vk.ts";
import { withFolder } from "../../../support/temporary.ts";
import { ENDLESS, executingDriver, type Fate } from "./executing_driver.ts";

/** Milliseconds after which a wait counts as one that hangs. */
const BOUND = 30;

/** Submits command buffers of so many dispatches; that of a number, from 1, never ends in the last of them. */
function work(
  driver: ReturnType<typeof executingDriver>,
  layers: BlackBoxLayers,
  endless: number,
  submissions: number,
) {
  using vulkan = loadVulkan({ driver, layers: [...layers] });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const queue = device.vkGetDeviceQueue(0, 0), commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const fence = device.vkCreateFence({});
  for (let count = 1; count <= submissions; count++) {
    const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
    commands.vkBeginCommandBuffer({});
    for (let number = 1; number <= 6; number++) {
      commands.vkCmdDispatch(count === submissions && number === endless ? ENDLESS : number, 1, 1);
    }
    commands.vkEndCommandBuffer();
    queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
    device.vkWaitForFences([fence], true, BigInt(2 * BOUND) * 1_000_000n);
    device.vkResetFences([fence]);
  }
}
type BlackBoxLayers = ReturnType<typeof blackBox>["layers"];

/** Runs work under a black box, and passes on what it saved and what the program got. */
function boxed(
  fate: Fate,
  use: (saved: readonly SavedBlackBox[], thrown: unknown) => void,
  { endless = 4, extensions = [], ...options }: Partial<BlackBoxOptions> & {
    endless?: number;
    extensions?: readonly string[];
  } = {},
): void {
  withFolder((folder) => {
    using driver = executingDriver(fate, extensions);
    using box = blackBox({ path: `${folder}/box.jsonl`, bound: BOUND, ...options });
    let thrown: unknown;
    try {
      work(driver, box.layers, endless, 3);
    } catch (error) {
      thrown = error;
    }
    assertEquals(box.error, undefined);
    box.close();
    assertEquals([...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".ring")), []);
    use(box.saved, thrown);
  });
}

Deno.test("a lost device becomes a recording that loses the device", () => {
  boxed("is lost", (saved, thrown) => {
    assert(thrown instanceof VulkanError && thrown.code === -4, `${thrown}`);
    const [{ path, reason, trouble }, ...more] = saved;
    assertEquals([reason, trouble, more], ["vkWaitForFences returned VK_ERROR_DEVICE_LOST", undefined, []]);
    using driver = executingDriver("is lost");
    const error = assertThrows(() => replayRecording({ driver }, path), RecordingError);
    assertMatch(error.message, /vkWaitForFences: .*VK_ERROR_DEVICE_LOST/);
    const last = readRecording(path).lines.at(-1)!;
    assert("command" in last && last.unfinished, JSON.stringify(last));
  });
});

Deno.test("a wait that takes longer than the bound becomes a recording that hangs", () => {
  boxed("hangs", (saved) => {
    const [{ path, reason, trouble }, ...more] = saved;
    assertEquals([reason, trouble, more], ["vkWaitForFences has not returned in 0.03 s", undefined, []]);
    using driver = executingDriver("hangs");
    const error = assertThrows(() => replayRecording({ driver }, path, { timeout: 50 }), RecordingError);
    assertMatch(error.message, /has not finished in 50 ms|nothing came in 50 ms/);
  });
});

for (const extension of ["", "VK_AMD_buffer_marker", "VK_NV_device_diagnostic_checkpoints"]) {
  const how = extension === "" ? "vkCmdFillBuffer" : extension, extensions = extension === "" ? [] : [extension];
  for (const endless of [1, 4, 6]) {
    Deno.test(`marks of ${how} name dispatch ${endless} of 6, which the device did not finish`, () => {
      boxed("is lost", ([first], thrown) => {
        const { unfinished, path } = first ?? assertEquals(thrown, undefined);
        assertEquals([unfinished?.command, unfinished?.number], ["vkCmdDispatch", endless]);
        const line = readRecording(path).lines[unfinished!.line - 2]; // the header is line 1
        assertEquals("command" in line && line.args.groupCountX, ENDLESS);
      }, { endless, extensions });
    });
  }
}

Deno.test("nothing is written when nothing happens", () => {
  boxed("hangs", (saved, thrown) => assertEquals([saved, thrown], [[], undefined]), { endless: 0 });
});

/** Ways to ask whether work is done, without an end while the answer is no. */
const QUESTIONS: Readonly<Record<string, (device: VkDevice, fence: bigint, semaphore: bigint, event: bigint) => void>> =
  {
    vkWaitForFences: (device, fence) => void device.vkWaitForFences([fence as never], true, 0n),
    vkGetFenceStatus: (device, fence) => void device.vkGetFenceStatus(fence as never),
    vkGetSemaphoreCounterValue: (device, _, semaphore) => void device.vkGetSemaphoreCounterValue(semaphore as never),
    vkGetEventStatus: (device, _, __, event) => void device.vkGetEventStatus(event as never),
  };

for (const [command, ask] of Object.entries(QUESTIONS)) {
  Deno.test(`a program that asks with ${command} again and again instead of waiting hangs, too`, () => {
    withFolder((folder) =>
      polling(folder, ask, 1, (saved) => {
        assertEquals(saved?.reason, `${command} has had no other answer than not yet for 0.03 s`);
        assertEquals(saved?.trouble, undefined);
        assertEquals(saved?.unfinished?.command, "vkCmdDispatch");
        using driver = executingDriver("hangs");
        const error = assertThrows(() => replayRecording({ driver }, saved!.path, { timeout: 50 }), RecordingError);
        assertMatch(error.message, /in 50 ms/);
      })
    );
  });
}

for (const command of ["vkGetSemaphoreCounterValue", "vkGetEventStatus"]) {
  Deno.test(`a program that asks with ${command} while no work is left does not hang`, () => {
    withFolder((folder) => polling(folder, QUESTIONS[command], 0, (saved) => assertEquals(saved, undefined)));
  });
}

/** Submits a dispatch that ends or not, and asks until something is saved, or for three times the bound. */
function polling(
  folder: string,
  ask: typeof QUESTIONS[string],
  endless: number,
  use: (saved: SavedBlackBox | undefined) => void,
): void {
  {
    using driver = executingDriver("hangs"), box = blackBox({ path: `${folder}/box.jsonl`, bound: BOUND });
    using vulkan = loadVulkan({ driver, layers: [...box.layers] });
    using instance = vulkan.vkCreateInstance({});
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
    const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
    commands.vkBeginCommandBuffer({});
    commands.vkCmdDispatch(endless ? ENDLESS : 1, 1, 1);
    commands.vkEndCommandBuffer();
    const fence = device.vkCreateFence({}), event = device.vkCreateEvent({});
    const semaphore = device.vkCreateSemaphore({
      pNext: [{ sType: VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE }],
    });
    device.vkGetDeviceQueue(0, 0).vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
    for (const since = performance.now(); box.saved.length === 0;) {
      ask(device, fence, semaphore, event);
      if (!endless && performance.now() - since > 3 * BOUND) break;
    }
    use(box.saved[0]);
  }
}

Deno.test("save() writes what came last at any time, and never over a file that is there", () => {
  withFolder((folder) => {
    const path = `${folder}/box.jsonl`;
    Deno.writeTextFileSync(path, "mine");
    using driver = executingDriver("hangs"), box = blackBox({ path });
    using vulkan = loadVulkan({ driver, layers: [...box.layers] });
    using instance = vulkan.vkCreateInstance({});
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
    device.vkCreateBuffer({ size: 64n, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
    const { path: written, reason, submissions } = box.save("somebody asked");
    assertEquals([written, reason, submissions], [`${folder}/box-2.jsonl`, "somebody asked", 0]);
    assertEquals(Deno.readTextFileSync(path), "mine");
    using other = executingDriver("hangs");
    assertEquals(replayRecording({ driver: other }, written).deviceName, "Executing");
  });
});

Deno.test("blackBox() refuses a folder that cannot be made", () => {
  assertThrows(() => blackBox({ path: "/nowhere/box.jsonl" }), Deno.errors.NotFound);
  assertThrows(() => blackBox({ path: 1 as never }), TypeError);
});
