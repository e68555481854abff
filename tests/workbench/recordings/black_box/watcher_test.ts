import { assert, assertEquals } from "@std/assert";
import { loadVulkan } from "../../../../loader/mod.ts";
import type { VkDevice } from "../../../../loader/vk.ts";
import { defineDriver } from "../../../../loader/drivers.ts";
import { peek32 } from "../../../../ffi/machine.ts";
import { Recorder } from "../../../../workbench/recordings/record/record.ts";
import type { MarkedCommands } from "../../../../workbench/recordings/black_box/marks.ts";
import { unmarkedTexts } from "../../../../workbench/recordings/black_box/unfinished.ts";
import { Watcher } from "../../../../workbench/recordings/black_box/watcher.ts";
import { ENDLESS, executingDriver } from "./executing_driver.ts";

const ALL = 100_000, AT_ONCE = 10_000;

/** Opens a device under the lower layer of a black box, which tells of the command buffers that are submitted. */
function watched(
  driver: ReturnType<typeof executingDriver>,
  use: (device: VkDevice, submitted: MarkedCommands[], watcher: Watcher) => void,
): void {
  const submitted: MarkedCommands[] = [];
  const nothing = () => {};
  const watcher = new Watcher(
    {
      lost: nothing,
      hangs: nothing,
      submitting: nothing,
      isWaiting: () => false,
      spare: nothing,
      submitted: (all) => void submitted.push(...all),
    },
    1000,
    {},
  );
  using vulkan = loadVulkan({ driver, layers: [watcher.layer] });
  using instance = vulkan.vkCreateInstance({});
  using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  use(device, submitted, watcher);
}

/** Allocates command buffers, records a dispatch into each, and submits them. */
function submit(device: VkDevice, commandPool: bigint, count: number, groups = 1) {
  const buffers = device.vkAllocateCommandBuffers({ commandPool: commandPool as never, commandBufferCount: count });
  for (const each of buffers) {
    each.vkBeginCommandBuffer({});
    each.vkCmdDispatch(groups, 1, 1);
    each.vkEndCommandBuffer();
  }
  device.vkGetDeviceQueue(0, 0).vkQueueSubmit([{ pCommandBuffers: buffers }]);
  return buffers;
}

Deno.test("100,000 command buffers that come and go leave nothing behind, and each has marks", () => {
  using driver = executingDriver("is lost");
  watched(driver, (device, submitted, watcher) => {
    const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 }), addresses = new Set<bigint>();
    const other = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    let before: ReturnType<typeof submit> = [], marked = 0;
    for (let count = 0; count < ALL; count += AT_ONCE) {
      // The next ones have other handles, since these live until then; some end with their pool.
      const next = submit(device, pool, AT_ONCE - 10);
      submit(device, other, 10);
      if (before.length > 0) device.vkFreeCommandBuffers(pool, before);
      before = next;
      for (const { address, base, places, unmarked } of submitted.splice(0)) {
        assertEquals([peek32(address), places.length, unmarked], [(base + 1) >>> 0, 1, undefined]);
        addresses.add(address);
        marked++;
      }
    }
    assertEquals(marked, ALL);
    assert(addresses.size < ALL / 2, `${addresses.size} places of marks`);
    device.vkFreeCommandBuffers(pool, before);
    device.vkDestroyCommandPool(other);
    assertEquals(watcher.device(device.handle)!.marks.size, 0);
    const [last] = submit(device, pool, 1, ENDLESS);
    const [{ address, base, handle }] = submitted;
    assertEquals([handle, peek32(address)], [last.handle, base >>> 0]);
  });
});

Deno.test("100,000 command buffers that live at a time have a mark each", () => {
  using driver = executingDriver("is lost");
  watched(driver, (device, submitted) => {
    const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    submit(device, pool, ALL);
    assertEquals(new Set(submitted.map(({ address }) => address)).size, ALL);
    assertEquals(submitted.filter(({ unmarked }) => unmarked), []);
  });
  assertEquals(driver.live("VkDeviceMemory"), 0);
});

Deno.test("commands without marks are counted, and the reason is told", () => {
  let left = 0;
  using driver = defineDriver({
    name: "little",
    physicalDevices: [{
      properties: { deviceName: "Little" },
      queueFamilies: [{ queueFlags: 7, queueCount: 1 }, { queueFlags: 0, queueCount: 1 }] as never,
      memoryProperties: {
        memoryTypeCount: 1,
        memoryTypes: [{ propertyFlags: 7, heapIndex: 0 }],
        memoryHeapCount: 1,
        memoryHeaps: [{ size: 1n << 28n, flags: 1 }],
      } as never,
    }],
    commands: { vkAllocateMemory: (next, ...args) => left-- > 0 ? next(...args) : -2 },
  });
  const told = (memories: number, family: number, dispatches: number) => {
    left = memories;
    const all: MarkedCommands[] = [];
    watched(driver, (device, submitted) => {
      const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: family });
      const [commands] = device.vkAllocateCommandBuffers({ commandPool, commandBufferCount: 1 });
      commands.vkBeginCommandBuffer({});
      for (let count = 0; count < dispatches; count++) commands.vkCmdDispatch(1, 1, 1);
      commands.vkEndCommandBuffer();
      device.vkGetDeviceQueue(0, 0).vkQueueSubmit([{ pCommandBuffers: [commands] }]);
      all.push(...submitted);
    });
    return unmarkedTexts(all.map(({ address, ...each }) => ({ ...each, address: `${address}`, buffer: "" })));
  };
  const saying = (count: number, why: string) => [
    `${count} submitted draws and the like have no marks, and may be unfinished: ${why}`,
  ];
  assertEquals(told(1, 0, 3), []);
  assertEquals(told(0, 0, 3), saying(3, "the driver refuses memory for them"));
  assertEquals(told(1, 1, 2), saying(2, "queues of its family cannot write them"));
  assertEquals(told(1, 0, 65540), saying(5, "a command buffer has 65535 marks at most"));
});

Deno.test("a recorder forgets 100,000 command buffers that end, by themselves or with their pool", () => {
  using driver = executingDriver("is lost");
  const nothing = () => {}, call = { end: nothing, put: nothing, close: nothing, abandon: nothing };
  let latest = "";
  using recorder = new Recorder({}, () => ({
    lines: {
      ...call,
      begin: (call) => ({ call } as never),
      end: (_, line) => void (latest = line?.out?.pCommandBuffers?.at(-1) ?? latest),
    },
    payloads: { put: () => ({ bytes: "" }) } as never,
  }));
  using vulkan = loadVulkan({ driver, layers: [recorder.layer] });
  using instance = vulkan.vkCreateInstance({});
  using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  for (let count = 0; count < ALL; count += 1000) {
    const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const buffers = device.vkAllocateCommandBuffers({ commandPool, commandBufferCount: 1000 });
    assert(recorder.handleOf(latest) !== undefined);
    if (count % 2000 === 0) device.vkFreeCommandBuffers(commandPool, buffers);
    device.vkDestroyCommandPool(commandPool);
    assertEquals(recorder.handleOf(latest), undefined);
  }
  assertEquals(latest, `VkCommandBuffer#${ALL}`);
  assertEquals(recorder.error, undefined);
});
