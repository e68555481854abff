import { assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { invokeAddress, peek64 } from "../../../../ffi/machine.ts";
import { codec } from "../../../../loader/codec/codec.ts";
import { driverProc } from "../../../../loader/driver/interface/probe.ts";
import { QUERIES } from "../../../../loader/terminator/android/hooks.ts";
import type { AndroidLevelOptions } from "../../../../loader/terminator/android/options.ts";
import { struct, withChains } from "./chains.ts";
import { windowsAt } from "./fake_windows.ts";
import { AndroidDriverFixture, extensions, lacks, NEEDS_DRIVER } from "./fixture.ts";

const PROMOTED = [
  "VK_KHR_device_group_creation",
  "VK_KHR_external_fence_capabilities",
  "VK_KHR_external_memory_capabilities",
  "VK_KHR_external_semaphore_capabilities",
  "VK_KHR_get_physical_device_properties2",
];
const plain = new AndroidDriverFixture("");
/** Drivers of 1.0: with all of 1.1 as extensions, and with none of it. */
const aliased = new AndroidDriverFixture("aliased", {
  VERSION: 0,
  ALIASES: 1,
  GPUS: 3,
  INSTANCE_EXTENSIONS: extensions(...PROMOTED),
});
const bare = new AndroidDriverFixture("bare", { VERSION: 0, GPUS: 3 });

Deno.test("queries of 1.1 are a driver's own, under its core or its KHR name", NEEDS_DRIVER, () => {
  for (const [fixture, suffix] of [[plain, ""], [aliased, "KHR"]] as const) {
    withChains(fixture, {}, ({ driver, instance }) => {
      const own = fixture.address("vk_icdGetInstanceProcAddr"), memory = arena();
      for (const name of QUERIES) {
        const text = memory.place(new TextEncoder().encode(`${name}${suffix}\0`));
        assertEquals(driverProc(driver, instance, name), invokeAddress(own, "q:qq", [instance, text]), name);
      }
    });
  }
});

Deno.test("a driver that knows nothing of external handles can do nothing with them", NEEDS_DRIVER, () => {
  bare.withInstance((instance) => {
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    const buffer = gpu.vkGetPhysicalDeviceExternalBufferProperties({ usage: 1, handleType: 1 });
    assertEquals(Object.values(buffer.externalMemoryProperties), [0, 0, 0]);
    const fence = struct("VkExternalFenceProperties", { externalFenceFeatures: 7, compatibleHandleTypes: 7 });
    const info = struct("VkPhysicalDeviceExternalFenceInfo", { handleType: 1 });
    gpu.raw.vkGetPhysicalDeviceExternalFenceProperties(gpu.handle, info, fence);
    const { externalFenceFeatures, compatibleHandleTypes } = codec("VkExternalFenceProperties")
      .decode(Number(fence - arena().base));
    assertEquals([externalFenceFeatures, compatibleHandleTypes], [0, 0]);
    const semaphore = gpu.vkGetPhysicalDeviceExternalSemaphoreProperties({ handleType: 1 });
    assertEquals(semaphore.externalSemaphoreFeatures, 0);
  });
});

Deno.test("the other queries are absent from a driver that has none of them, where AOSP crashes", NEEDS_DRIVER, () => {
  withChains(bare, {}, ({ driver, instance }) => {
    for (const name of QUERIES.filter((name) => name.endsWith("2"))) {
      assertEquals(driverProc(driver, instance, name), 0n);
    }
  });
});

Deno.test("physical device groups are a driver's own, stamped, or one for each physical device", NEEDS_DRIVER, () => {
  assertEquals(
    plain.watching(() => plain.withInstance((instance) => void instance.vkEnumeratePhysicalDeviceGroups())),
    [
      "instance version=0 layers=0 next=0",
      "groups",
      "groups",
    ],
  );
  for (const [fixture, sizes] of [[aliased, [3]], [bare, [1, 1, 1]]] as const) {
    fixture.withInstance((instance) => {
      const groups = instance.vkEnumeratePhysicalDeviceGroups();
      assertEquals(groups.map(({ physicalDeviceCount }) => physicalDeviceCount), sizes);
      assertEquals(groups.map(({ subsetAllocation }) => subsetAllocation).includes(true), false);
      const handles = groups.flatMap(({ physicalDevices, physicalDeviceCount }) =>
        [...physicalDevices].slice(0, physicalDeviceCount) as unknown as bigint[]
      );
      assertEquals(new Set(handles).size, 3);
      assertEquals(handles.map(peek64), handles.map(() => peek64(instance.handle)));
    });
  }
});

Deno.test("groups under their older name are stamped, too; AOSP leaves them as they are", NEEDS_DRIVER, () => {
  aliased.withInstance((instance) => {
    const [{ physicalDevices }] = instance.vkEnumeratePhysicalDeviceGroupsKHR();
    const key = peek64(instance.handle), handles = [...physicalDevices].slice(0, 3) as unknown as bigint[];
    assertEquals(handles.map(peek64), [key, key, key]);
  }, { info: { ppEnabledExtensionNames: ["VK_KHR_device_group_creation"] } });
});

Deno.test("groups of a driver without them count as AOSP has it", NEEDS_DRIVER, () => {
  const none = new AndroidDriverFixture("no_gpus", { VERSION: 0, GPUS: 0 });
  const rows: [fixture: AndroidDriverFixture, room: number | null, result: number, count: number][] = [
    [bare, null, 0, 3],
    [bare, 5, 0, 3],
    [bare, 3, 0, 3],
    [bare, 2, 5, 2],
    [bare, 0, 5, 0],
    [none, null, 0, 0],
    [none, 2, 0, 0],
  ];
  const { size } = codec("VkPhysicalDeviceGroupProperties");
  for (const [fixture, room, result, count] of rows) {
    fixture.withInstance((instance) => {
      const memory = arena(), mark = memory.mark(), number = memory.alloc(4), list = memory.alloc(5 * size);
      memory.view.setUint32(number, room ?? 0, true);
      const out = room === null ? 0n : memory.address(list);
      const found = instance.raw.vkEnumeratePhysicalDeviceGroups(instance.handle, memory.address(number), out);
      assertEquals([found, memory.view.getUint32(number, true)], [result, count], `${room}`);
      memory.release(mark);
    });
  }
});

/** The features of a driver with a window system, by a command's name: maintenance, both of compression. */
function features(fixture: AndroidDriverFixture, options: AndroidLevelOptions, alias: boolean): number[] {
  const memory = arena(), mark = memory.mark(), { size, encodeOut } = codec("VkPhysicalDeviceFeatures2");
  const at = memory.alloc(size);
  encodeOut({ pNext: [1000275000, 1000338000, 1000437000] }, at);
  fixture.withInstance((instance) => {
    const [gpu] = instance.vkEnumeratePhysicalDevices(), to = memory.address(at);
    if (alias) gpu.raw.vkGetPhysicalDeviceFeatures2KHR(gpu.handle, to);
    else gpu.raw.vkGetPhysicalDeviceFeatures2(gpu.handle, to);
  }, {
    ...options,
    windowSystem: windowsAt(1n),
    info: { ppEnabledExtensionNames: alias ? ["VK_KHR_get_physical_device_properties2"] : [] },
  });
  const chain = codec("VkPhysicalDeviceFeatures2").decode(at).pNext as Record<string, unknown>[];
  const values = chain.map((each) => Number(Object.values(each).at(-1)));
  memory.release(mark);
  return values;
}

Deno.test("vkGetPhysicalDeviceFeatures2 says what the window system has", NEEDS_DRIVER, () => {
  assertEquals(features(plain, {}, false), [1, 1, 1]);
  assertEquals(features(aliased, {}, false), [1, 1, 1]);
});

Deno.test("swapchainMaintenance1 is had only where it is offered; under AOSP's quirks always", NEEDS_DRIVER, () => {
  const short = new AndroidDriverFixture("no_fences", { LACKS: lacks("vkGetPhysicalDeviceExternalFenceProperties") });
  assertEquals(features(short, {}, false)[0], 0);
  assertEquals(features(short, { quirks: "aosp" }, false)[0], 1);
});

Deno.test("the older name says the same; under AOSP's quirks only from release 17", NEEDS_DRIVER, () => {
  const rows: [options: AndroidLevelOptions, has: number][] = [
    [{ release: 14 }, 1],
    [{ release: 14, quirks: "aosp" }, 0],
    [{ quirks: "aosp" }, 1],
  ];
  for (const [options, has] of rows) assertEquals(features(aliased, options, true)[2], has);
});
