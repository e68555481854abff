import { assertEquals } from "@std/assert";
import { poke32, poke64 } from "../../../ffi/machine.ts";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { structsAt } from "../../../loader/codec/codec.ts";
import { defineDriver, type DriverSpec } from "../../../loader/drivers.ts";
import type { NativeCall } from "../../../loader/command/compile.ts";
import type { HooksByName } from "../../../loader/layer.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import type { VkCommandBuffer, VkCommandBufferLevel, VkDevice, VkQueue } from "../../../loader/types.ts";
import * as vk from "../../../loader/vk.ts";
import { perfettoTrace, type PerfettoTraceOptions } from "../../../workbench/timeline/mod.ts";
import { withFolder } from "../../support/temporary.ts";
import { withScripted } from "../../loader/layers/shipped/scripted.ts";
import { decodeTrace, type Slice } from "./decode.ts";

const CALIBRATED = "VK_EXT_calibrated_timestamps", BITS = 36, PERIOD = 2;

/** The differences from a GPU with timestamps, and the way in which the program submits. */
interface Case {
  readonly bits?: number;
  readonly extensions?: string[];
  readonly apiVersion?: number;
  readonly commands?: HooksByName;
  readonly options?: Partial<PerfettoTraceOptions>;
  readonly submit?: (queue: VkQueue, buffer: VkCommandBuffer, device: VkDevice) => void;
}

/** The result of a case. */
interface Seen {
  readonly work: Slice[];
  /** The number of command buffers of each batch that the driver got. */
  readonly buffers: number[];
  readonly live: string[];
  readonly calls: string[];
}

const submitOne: Case["submit"] = (queue, buffer) => queue.vkQueueSubmit([{ pCommandBuffers: [buffer] }]);

/** Runs a program on a scripted GPU whose clock stands where `now` says, and reads the trace. */
function run({ bits = BITS, apiVersion = vk.VK_API_VERSION_1_3, submit = submitOne, options, ...more }: Case): Seen {
  const buffers: number[] = [];
  const noting = (struct: string, list: string) => (next: NativeCall, ...args: (bigint | number)[]) => {
    const batches = args[2] === 0n ? [] : structsAt(struct, args[2] as bigint, args[1] as number);
    buffers.push(...batches.map((each) => (each[list] as unknown[]).length));
    return next(...args);
  };
  const spec: Partial<DriverSpec> = {
    physicalDevices: [{
      extensions: more.extensions ?? [CALIBRATED],
      properties: { limits: { timestampPeriod: PERIOD } },
      queueFamilies: [{ queueFlags: 1, queueCount: 1, timestampValidBits: bits }],
    }],
    commands: {
      vkQueueSubmit: noting("VkSubmitInfo", "pCommandBuffers"),
      vkQueueSubmit2: noting("VkSubmitInfo2", "pCommandBufferInfos"),
      vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(_next, _gpu, count, domains) {
        poke32(count, 2);
        [vk.VK_TIME_DOMAIN_DEVICE_KHR, vk.VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR].forEach((domain, index) =>
          poke32(domains + 4n * BigInt(index), domain)
        );
        return 0;
      },
      ...more.commands,
    },
  };
  return withFolder((folder) => {
    const path = `${folder}/script.pftrace`;
    using trace = perfettoTrace({ path, ...options });
    using driver = defineDriver({ name: "scripted GPU", ...spec });
    {
      using vulkan = loadVulkan({ driver, layers: [trace.layer] });
      using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion } });
      using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({
        pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
      });
      const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
      const [buffer] = device.vkAllocateCommandBuffers({ commandPool, commandBufferCount: 1 });
      submit!(device.vkGetDeviceQueue(0, 0), buffer, device);
      device.vkDestroyCommandPool(commandPool);
    }
    trace.close();
    const { slices } = decodeTrace(Deno.readFileSync(path));
    const live = ["VkFence", "VkQueryPool", "VkCommandPool", "VkCommandBuffer"].filter((type) => driver.live(type) > 0);
    const work = slices.filter(({ track }) => track.includes("VkQueue"));
    return { work, buffers, live, calls: driver.calls };
  });
}

const OWN = { timed_by: "fence" }, TIMED = { timed_by: "GPU", clock_by: CALIBRATED };
const groupInfo = { sType: vk.VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO, pCommandBufferDeviceMasks: [1] } as const;
const protectedInfo = { sType: vk.VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO, protectedSubmit: false } as const;
const REFUSED = vk.VK_ERROR_OUT_OF_DEVICE_MEMORY;

/** Cases by name, each with the number of command buffers in the program's batch and who times the work. */
const CASES: Record<string, [each: Case, buffers: number, by: Record<string, string>]> = {
  "a GPU with timestamps": [{}, 3, TIMED],
  "timestampValidBits of 0": [{ bits: 0 }, 1, OWN],
  "no extension that compares the clocks": [{ extensions: [] }, 3, { timed_by: "GPU", clock_by: "fence" }],
  "an instance that allows no such extension": [
    { apiVersion: vk.VK_API_VERSION_1_0 },
    3,
    { timed_by: "GPU", clock_by: "fence" },
  ],
  "a device that lists the extension and refuses it": [
    { commands: { vkCreateDevice: refuseExtension } },
    3,
    { timed_by: "GPU", clock_by: "fence" },
  ],
  "gpuTimes: false": [{ options: { gpuTimes: false } }, 1, OWN],
  "a driver without memory for query pools": [{ commands: { vkCreateQueryPool: () => REFUSED } }, 1, OWN],
  "a driver without memory for command pools": [{ commands: { vkCreateCommandPool: failSecond() } }, 1, OWN],
  "a driver that reads no timestamps": [{ commands: { vkGetQueryPoolResults: () => vk.VK_NOT_READY } }, 3, OWN],
  "command buffers of a device group": [
    { submit: (queue, buffer) => queue.vkQueueSubmit([{ pCommandBuffers: [buffer], pNext: [groupInfo] }]) },
    1,
    OWN,
  ],
  "a batch that speaks of protected memory": [
    { submit: (queue, buffer) => queue.vkQueueSubmit([{ pCommandBuffers: [buffer], pNext: [protectedInfo] }]) },
    1,
    OWN,
  ],
  "vkQueueSubmit2 of protected command buffers": [
    {
      submit: (queue, commandBuffer) =>
        queue.vkQueueSubmit2([{
          flags: vk.VK_SUBMIT_PROTECTED_BIT,
          pCommandBufferInfos: [{ commandBuffer }],
        }]),
    },
    1,
    OWN,
  ],
};

function refuseExtension(next: NativeCall, ...args: (bigint | number)[]): number {
  const [{ ppEnabledExtensionNames }] = structsAt("VkDeviceCreateInfo", args[1] as bigint, 1);
  const isRefused = (ppEnabledExtensionNames as string[] | null)?.includes(CALIBRATED);
  return isRefused ? vk.VK_ERROR_EXTENSION_NOT_PRESENT : next(...args) as number;
}

/** The program's own command pool is the first. */
function failSecond(): HooksByName["vkCreateCommandPool"] {
  let calls = 0;
  return (next, ...args) => ++calls > 1 ? REFUSED : next(...args);
}

for (const [name, [each, buffers, by]] of Object.entries(CASES)) {
  Deno.test(`perfettoTrace() times work by ${by.timed_by} and ${by.clock_by ?? "nothing else"}: ${name}`, () => {
    const seen = run(each);
    const shown = seen.work.map(({ args: { timed_by, clock_by } }) => clock_by ? { timed_by, clock_by } : { timed_by });
    assertEquals([shown, seen.buffers.filter((count) => count > 0).at(-1), seen.live], [[by], buffers, []]);
  });
}

Deno.test("perfettoTrace() adds no timestamps to submissions that are not written", () => {
  const { buffers, calls } = run({ options: { predicate: (command) => command !== "vkQueueSubmit" } });
  assertEquals([buffers, calls.includes("vkCreateQueryPool")], [[1], false]);
});

/** The making of a command buffer with one render pass, and the number of timestamps in it. */
const PASSES: Record<string, [how: Partial<Recorded>, stamps: number]> = {
  "an ordinary command buffer": [{}, 2],
  "a protected pool": [{ pool: vk.VK_COMMAND_POOL_CREATE_PROTECTED_BIT }, 0],
  "a command buffer that may run twice at once": [{ usage: vk.VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT }, 0],
  "a secondary command buffer": [{ level: vk.VK_COMMAND_BUFFER_LEVEL_SECONDARY }, 0],
  "a pass that another command buffer ends": [{ rendering: vk.VK_RENDERING_SUSPENDING_BIT }, 0],
  "a pass that another command buffer began": [{ rendering: vk.VK_RENDERING_RESUMING_BIT }, 0],
};

/** Flags of what is recorded. */
interface Recorded {
  readonly pool: number;
  readonly usage: number;
  readonly level: VkCommandBufferLevel;
  readonly rendering: number;
}

for (const [name, [{ pool = 0, usage = 0, level = 0, rendering = 0 }, stamps]] of Object.entries(PASSES)) {
  Deno.test(`perfettoTrace() writes ${stamps} timestamps around the render pass of ${name}`, () => {
    const { calls } = run({
      submit: (_queue, _buffer, device) => {
        const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0, flags: pool });
        const [buffer] = device.vkAllocateCommandBuffers({ commandPool, commandBufferCount: 1, level });
        buffer.vkBeginCommandBuffer({ flags: usage, pInheritanceInfo: {} });
        const renderArea = { offset: { x: 0, y: 0 }, extent: { width: 1, height: 1 } };
        buffer.vkCmdBeginRendering({ renderArea, layerCount: 1, flags: rendering });
        buffer.vkCmdEndRendering();
        buffer.vkEndCommandBuffer();
        device.vkDestroyCommandPool(commandPool);
      },
    });
    assertEquals(calls.filter((each) => each === "vkCmdWriteTimestamp").length, stamps);
  });
}

Deno.test("perfettoTrace() counts on where a GPU's counter of few bits begins anew", () => {
  const last = 2n ** BigInt(BITS), error = 1_000_000_000_000n, now = monotonicNow();
  const stamps = [[last - 500n, 500n], [2000n, 3000n]].values();
  const { work } = run({
    commands: {
      vkGetCalibratedTimestampsEXT: (_next, _device, _count, _infos, out, deviation) => {
        [last - 1000n, now].forEach((value, index) => poke64(out + 8n * BigInt(index), value));
        poke64(deviation, error);
        return 0;
      },
      vkGetQueryPoolResults: (_next, _device, _pool, _first, _count, _size, data) => {
        stamps.next().value!.forEach((value, index) => poke64(data + 8n * BigInt(index), value));
        return 0;
      },
    },
    submit: (...args) => {
      submitOne(...args);
      submitOne(...args);
    },
  });
  const since = (time: number) => (time - Number(now)) / PERIOD;
  assertEquals(work.map(({ start, end }) => [since(start), since(end)]), [[500, 1500], [3000, 4000]]);
});

Deno.test("perfettoTrace() shows queues of a device that is older than the layer, by fences", () => {
  withFolder((folder) => {
    const path = `${folder}/late.pftrace`;
    using trace = perfettoTrace({ path });
    withScripted([], ({ instance, device }) => {
      instance.attach(trace.layer);
      device.vkGetDeviceQueue(0, 0).vkQueueSubmit([]);
    });
    trace.close();
    const { slices } = decodeTrace(Deno.readFileSync(path));
    assertEquals(slices.filter(({ track }) => track.includes("VkQueue")).map(({ args }) => args.timed_by), ["fence"]);
  });
});
