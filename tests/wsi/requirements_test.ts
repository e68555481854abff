import { assert, assertEquals, assertThrows } from "@std/assert";
import { createEvent, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { poke32 } from "../../ffi/machine.ts";
import { structAt } from "../../loader/codec/codec.ts";
import type { VkSwapchainKHR } from "../../loader/types.ts";
import type { Frame } from "../../wsi/contract/frame_consumer.ts";
import { droppingConsumer } from "../../wsi/consumer/dropping.ts";
import { closeFenceWorker } from "../../wsi/fence/fence_worker.ts";
import { NativeFence } from "../../wsi/fence/native_fence.ts";
import { loadVulkan } from "../../wsi/load_vulkan.ts";
import { openFiles } from "../support/open_files.ts";
import { resultOf } from "../support/result_of.ts";
import {
  FENCE_COMMANDS,
  NATIVE_BUFFER,
  NativeBufferDriver,
  Phone,
  USAGE,
  USAGE_COMMANDS,
} from "./native_buffer_driver.ts";
import { FOREVER, MODES, swapchainInfo } from "./swapchain/presenter.ts";

const TIMED = { systemProperties: { "service.sf.present_timestamp": "1" } };
const SHARED = "VK_KHR_shared_presentable_image", QUERIES = "VK_KHR_get_physical_device_properties2";
const NATIVE_BUFFER_STRUCT = 1000010000, SWAPCHAIN_IMAGE = 1000010001;
const NOT_READY = 1, TIMEOUT = 2, DEVICE_LOST = -4, EXTENSION_NOT_PRESENT = -7;

function withSwapchain(phone: Phone, use: (swapchain: VkSwapchainKHR) => void, info: object = {}): void {
  const { device, surface, window } = phone;
  const swapchain = device.vkCreateSwapchainKHR(swapchainInfo(surface, window, info));
  use(swapchain);
  device.vkDestroySwapchainKHR(swapchain);
}

function present(phone: Phone, swapchain: VkSwapchainKHR, index: number): unknown {
  return phone.queue.vkQueuePresentKHR({ pSwapchains: [swapchain], pImageIndices: [index] });
}

Deno.test("VK4 the loader has surfaces and swapchains, and no driver is asked for any", () => {
  using driver = new NativeBufferDriver();
  using phone = new Phone(driver);
  withSwapchain(phone, (swapchain) => {
    assertEquals(phone.device.vkGetSwapchainImagesKHR(swapchain).length, 3);
    const { imageIndex } = phone.device.vkAcquireNextImageKHR(swapchain, FOREVER, null, phone.device.vkCreateFence({}));
    assertEquals(present(phone, swapchain, imageIndex), 0);
  });
  assertEquals(driver.scripted.calls.filter((name) => /Swapchain(?!Gralloc)|Surface|Present/.test(name)), []);
});

Deno.test("VK24 the extensions of Android's window system are there", () => {
  using driver = new NativeBufferDriver({ deviceExtensions: ["VK_KHR_driver_properties"] });
  using phone = new Phone(driver, { vulkan: { ...TIMED, release: 14 } });
  using vulkan = loadVulkan({ driver: driver.scripted, platform: "android" });
  const ofInstances = vulkan.vkEnumerateInstanceExtensionProperties().map(({ extensionName }) => extensionName);
  for (const name of ["VK_KHR_surface", "VK_KHR_android_surface"]) assert(ofInstances.includes(name), name);
  const wanted = ["VK_KHR_swapchain", "VK_KHR_driver_properties", "VK_GOOGLE_display_timing"];
  for (const name of wanted) assert(phone.extensions.includes(name), name);
});

Deno.test("VK24 VK_KHR_swapchain has the version that the driver's native buffers allow", () => {
  const versions = [7, 8, 11].map((version) => {
    using driver = new NativeBufferDriver({ version });
    using phone = new Phone(driver);
    const list = phone.gpu.vkEnumerateDeviceExtensionProperties();
    return list.find(({ extensionName }) => extensionName === "VK_KHR_swapchain")!.specVersion;
  });
  assertEquals(versions, [68, 70, 70]);
});

Deno.test("VK24 VK_GOOGLE_display_timing depends on the system's property", () => {
  using driver = new NativeBufferDriver();
  using off = new Phone(driver), on = new Phone(driver, { vulkan: TIMED });
  assertEquals([off, on].map(({ extensions }) => extensions.includes("VK_GOOGLE_display_timing")), [false, true]);
});

Deno.test("VK24 VK_EXT_swapchain_maintenance1 needs a driver that imports SYNC_FD with AOSP's quirks alone", () => {
  const IMPORTABLE = 2, EXTENSION = "VK_EXT_swapchain_maintenance1";
  const shown = [0, IMPORTABLE].flatMap((features) => {
    using driver = new NativeBufferDriver({
      commands: {
        vkGetPhysicalDeviceExternalFenceProperties: (_next, _gpu, info, out) =>
          poke32(out + 24n, structAt("VkPhysicalDeviceExternalFenceInfo", info).handleType === 8 ? features : 0),
      },
    });
    using ours = new Phone(driver), aosp = new Phone(driver, { vulkan: { quirks: "aosp" } });
    return [ours, aosp].map(({ extensions }) => extensions.includes(EXTENSION));
  });
  assertEquals(shown, [true, false, true, true]);
});

Deno.test("VK25 an application never sees VK_ANDROID_native_buffer", () => {
  using driver = new NativeBufferDriver();
  using vulkan = loadVulkan({ driver: driver.scripted, platform: "android" });
  for (const extensions of [[], ["VK_KHR_surface", "VK_KHR_android_surface"]]) {
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: extensions });
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    const listed = gpu.vkEnumerateDeviceExtensionProperties().map(({ extensionName }) => extensionName);
    assertEquals([listed.includes(NATIVE_BUFFER), listed.includes("VK_KHR_swapchain")], [false, true], `${extensions}`);
    const create = (...names: string[]) =>
      gpu.vkCreateDevice({
        pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
        ppEnabledExtensionNames: names,
      });
    assertEquals(resultOf(() => create(NATIVE_BUFFER)), EXTENSION_NOT_PRESENT);
    assertEquals(resultOf(() => create("VK_KHR_swapchain", NATIVE_BUFFER)), EXTENSION_NOT_PRESENT);
    using device = create("VK_KHR_swapchain");
    for (const name of [...FENCE_COMMANDS, ...USAGE_COMMANDS]) {
      assertEquals(instance.vkGetInstanceProcAddr(name), 0n, name);
      assertEquals(device.vkGetDeviceProcAddr(name), 0n, name);
    }
  }
});

Deno.test("VK25 AOSP ignores an application that enables VK_ANDROID_native_buffer", () => {
  using driver = new NativeBufferDriver();
  using _phone = new Phone(driver, { deviceExtensions: [NATIVE_BUFFER], vulkan: { quirks: "aosp" } });
  assertEquals(driver.of("vkCreateDevice")[0].info.ppEnabledExtensionNames, [NATIVE_BUFFER]);
});

Deno.test("VK25 a driver that has native buffers is used as it is", () => {
  using driver = new NativeBufferDriver();
  using _phone = new Phone(driver);
  const [{ info }] = driver.of("vkCreateDevice");
  assertEquals(info.ppEnabledExtensionNames, [NATIVE_BUFFER]);
});

for (const [index, command] of USAGE_COMMANDS.entries()) {
  const requirement = index === 3 ? "VK27" : "VK26", older = USAGE_COMMANDS.slice(index + 1);
  Deno.test(`${requirement} ${command} returns the usage of buffers if there is no newer command`, () => {
    using driver = new NativeBufferDriver({ missing: USAGE_COMMANDS.slice(0, index) });
    using phone = new Phone(driver, { window: { consumer: { usage: 0x800n, attach() {}, onFrame() {} } } });
    withSwapchain(phone, () => {});
    const names = driver.asked.map((each) => each.command).filter((name) => USAGE_COMMANDS.includes(name));
    assertEquals([names, older.filter((name) => names.includes(name))], [[command], []]);
    const [call] = driver.of(command), { format, imageUsage, swapchainUsage, swapchainImageUsage } = call.info ?? call;
    assertEquals([format, imageUsage, swapchainUsage ?? swapchainImageUsage ?? 0], [37, 0x12, 0]);
    // The pair's bits for writing often are folded to gralloc 0's.
    const asked = [USAGE.whole, USAGE.whole, 0x100n | 0x200n | 0x30n, BigInt(USAGE.old)][index];
    assertEquals(usageOf(driver), asked | 0x800n);
  });
}

/** The usage bits of the first image's buffer. */
function usageOf(driver: NativeBufferDriver): bigint {
  return driver.of("vkCreateImage")[0].info.pNext[0].usage3;
}

Deno.test("VK26 a shared swapchain's usage is asked for with the SHARED bit", () => {
  using driver = new NativeBufferDriver({ sharedImage: true });
  using phone = new Phone(driver, { deviceExtensions: [SHARED] });
  withSwapchain(phone, () => {}, { presentMode: MODES.SHARED_DEMAND });
  assertEquals(driver.of(USAGE_COMMANDS[0])[0].info.swapchainImageUsage, 1);
});

Deno.test("VK28 each image is made of a buffer, when the swapchain is", () => {
  using driver = new NativeBufferDriver();
  using phone = new Phone(driver);
  withSwapchain(phone, () => {
    const images = driver.of("vkCreateImage");
    assertEquals(images.length, 3);
    const natives = images.map(({ info }) => info.pNext[0]);
    for (const native of natives) {
      const { sType, stride, format, usage, usage2, usage3 } = native;
      const vendor = 1n << 50n, wanted = 0x200n | vendor | 0x3n;
      assertEquals({ sType, stride, format, usage, usage2, usage3 }, {
        sType: NATIVE_BUFFER_STRUCT,
        stride: 64,
        format: 1,
        usage: Number(BigInt.asIntN(32, wanted)),
        usage2: { consumer: 0x6n | vendor, producer: 0x206n | vendor },
        usage3: wanted,
      });
    }
    assertEquals(new Set(natives.map(({ handle }) => handle)).size, 3);
  }, { minImageCount: 3 });
});

Deno.test("VK28 the window is asked for as many buffers as the application wants images", () => {
  using driver = new NativeBufferDriver();
  using phone = new Phone(driver);
  for (const minImageCount of [1, 4, 7]) {
    driver.asked.length = 0;
    withSwapchain(phone, () => {
      assertEquals(driver.of("vkCreateImage").length, Math.max(minImageCount, 3));
    }, { minImageCount });
  }
});

Deno.test("VK29 the images are what Android says they are", () => {
  using driver = new NativeBufferDriver();
  using phone = new Phone(driver);
  withSwapchain(phone, () => {}, {
    imageExtent: { width: 40, height: 24 },
    imageFormat: 4,
    imageUsage: 0x13,
    imageSharingMode: 1,
    pQueueFamilyIndices: [0, 1],
  });
  const { pNext: _, ...info } = driver.of("vkCreateImage")[0].info;
  assertEquals({ ...info, pQueueFamilyIndices: [...info.pQueueFamilyIndices] }, {
    sType: 14,
    flags: 0,
    imageType: 1,
    format: 4,
    extent: { width: 40, height: 24, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: 1,
    tiling: 0,
    usage: 0x13,
    sharingMode: 1,
    queueFamilyIndexCount: 2,
    pQueueFamilyIndices: [0, 1],
    initialLayout: 0,
  });
});

Deno.test("VK30 the images say how the swapchain uses them", () => {
  using driver = new NativeBufferDriver({ sharedImage: true });
  using phone = new Phone(driver, { deviceExtensions: [SHARED] });
  const uses = [MODES.FIFO, MODES.SHARED_DEMAND, MODES.SHARED_CONTINUOUS].map((presentMode) => {
    driver.asked.length = 0;
    withSwapchain(phone, () => {}, { presentMode });
    return driver.of("vkCreateImage").map(({ info: { pNext: [, { sType, usage }] } }) => [sType, usage]);
  });
  const own = [SWAPCHAIN_IMAGE, 0], shared = [SWAPCHAIN_IMAGE, 1];
  assertEquals(uses, [[own, own, own], [shared], [shared]]);
});

Deno.test("VK31 an application's image is bound to a swapchain's buffer", () => {
  using driver = new NativeBufferDriver();
  using phone = new Phone(driver);
  const { device } = phone;
  withSwapchain(phone, (swapchain) => {
    const handles = driver.of("vkCreateImage").map(({ info }) => info.pNext[0].handle);
    const image = device.vkCreateImage({
      ...{ imageType: 1, format: 37, extent: { width: 64, height: 32, depth: 1 }, mipLevels: 1, arrayLayers: 1 },
      ...{ samples: 1, tiling: 0, usage: 0x10, sharingMode: 0, initialLayout: 0 },
      pNext: [{ sType: 1000060008, swapchain }],
    });
    assertEquals(driver.of("vkCreateImage").at(-1)!.info.pNext.map(({ sType }: { sType: number }) => sType), [
      1000060008,
    ]);
    const bind = (imageIndex: number) =>
      device.vkBindImageMemory2([{
        image,
        memory: null as never,
        memoryOffset: 0n,
        pNext: [{ sType: 1000060009, swapchain, imageIndex }],
      }]);
    bind(1);
    const [{ infos: [info] }] = driver.of("vkBindImageMemory2");
    assertEquals([info.image, info.memory], [image, 0n]);
    assertEquals(info.pNext.map(({ sType }: { sType: number }) => sType), [NATIVE_BUFFER_STRUCT, 1000060009]);
    assertEquals([info.pNext[0].handle, info.pNext[1].imageIndex], [handles[1], 1]);
    assertThrows(() => bind(3), TypeError, "it has 3");
    assertEquals(driver.of("vkBindImageMemory2").length, 1);
    device.vkDestroyImage(image);
  });
});

Deno.test("VK32 an image is acquired when the window's fence is signalled, if that is no sync_file", () => {
  using driver = new NativeBufferDriver();
  const signals: (() => void)[] = [];
  const consumer = {
    attach() {},
    onFrame(source: { acquire(): Frame | undefined }) {
      const { fence, signal } = NativeFence.create();
      signals.push(signal);
      source.acquire()!.release(fence);
    },
  };
  using phone = new Phone(driver, { window: { consumer } });
  const { device } = phone, semaphore = device.vkCreateSemaphore({}), fence = device.vkCreateFence({});
  const acquire = (swapchain: VkSwapchainKHR, timeout: bigint) =>
    device.vkAcquireNextImageKHR(swapchain, timeout, semaphore, fence);
  withSwapchain(phone, (swapchain) => {
    for (let frame = 0; frame < 5; frame++) {
      const files = openFiles();
      if (frame === 3) { // the first buffer that was shown before
        const calls = driver.of("vkAcquireImageANDROID").length;
        assertEquals([acquire(swapchain, 0n).result, acquire(swapchain, 1000n).result], [NOT_READY, TIMEOUT]);
        assertEquals(driver.of("vkAcquireImageANDROID").length, calls, "a driver is not given what it cannot import");
        for (const signal of signals.splice(0)) signal();
      }
      const { result, imageIndex } = acquire(swapchain, FOREVER);
      assertEquals(result, 0);
      const { fd, ...call } = driver.of("vkAcquireImageANDROID").at(-1)!;
      assertEquals([fd, call.semaphore, call.fence], [-1, semaphore, fence] as unknown[]);
      assert(openFiles() <= files);
      assertEquals(present(phone, swapchain, imageIndex), 0);
    }
  });
  for (const signal of signals) signal();
});

Deno.test("VK32 an image that a driver does not acquire goes back to the window, and no file stays open", () => {
  using driver = new NativeBufferDriver();
  using phone = new Phone(driver, { window: { consumer: droppingConsumer() } });
  const { device } = phone, fence = device.vkCreateFence({});
  withSwapchain(phone, (swapchain) => {
    const files = openFiles();
    driver.acquireResult = DEVICE_LOST;
    for (let turn = 0; turn < 5; turn++) {
      assertEquals(resultOf(() => device.vkAcquireNextImageKHR(swapchain, FOREVER, null, fence)), DEVICE_LOST);
    }
    assertEquals(openFiles(), files);
    assertEquals(phone.window.statistics.cancelled, 8); // three when the swapchain was made
    driver.acquireResult = 0;
    assertEquals(device.vkAcquireNextImageKHR(swapchain, FOREVER, null, fence).result, 0);
  });
});

Deno.test("VK33 a frame waits for the fence that the driver releases it with", () => {
  using driver = new NativeBufferDriver();
  const events: number[] = [], ready: boolean[] = [];
  driver.releaseFence = () => {
    events.push(createEvent());
    return events.at(-1)!;
  };
  const consumer = {
    attach() {},
    onFrame(source: { acquire(): Frame | undefined }) {
      const frame = source.acquire()!;
      ready.push(frame.fence.poll());
      signalEvent(events.at(-1)!);
      ready.push(frame.fence.poll());
      frame.release();
    },
  };
  const draw = () => {
    using phone = new Phone(driver, { window: { consumer } });
    const { device, queue } = phone, semaphore = device.vkCreateSemaphore({}), fence = device.vkCreateFence({});
    withSwapchain(phone, (swapchain) => {
      const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, FOREVER, null, fence);
      const info = { pWaitSemaphores: [semaphore], pSwapchains: [swapchain], pImageIndices: [imageIndex] };
      assertEquals(queue.vkQueuePresentKHR(info), 0);
      const { count, image } = driver.of("vkQueueSignalReleaseImageANDROID").at(-1)!;
      assertEquals([count, image], [1, device.vkGetSwapchainImagesKHR(swapchain)[imageIndex]] as unknown[]);
    });
  };
  draw(); // which opens what stays open
  closeFenceWorker();
  const files = openFiles();
  draw();
  closeFenceWorker();
  assertEquals(ready, [false, true, false, true]);
  assertEquals(openFiles(), files);
});

Deno.test("VK34 a shared image is released again and again without being acquired between", () => {
  using driver = new NativeBufferDriver({ sharedImage: true });
  using phone = new Phone(driver, { deviceExtensions: [SHARED], window: { consumer: droppingConsumer() } });
  const { device } = phone, fence = device.vkCreateFence({});
  withSwapchain(phone, (swapchain) => {
    assertEquals(device.vkGetSwapchainImagesKHR(swapchain).length, 1);
    const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, FOREVER, null, fence);
    for (let frame = 0; frame < 4; frame++) assertEquals(present(phone, swapchain, imageIndex), 0);
    const [acquired] = driver.of("vkAcquireImageANDROID");
    assertEquals([driver.of("vkAcquireImageANDROID").length, acquired.fd], [1, -1]);
    assertEquals(driver.of("vkQueueSignalReleaseImageANDROID").length, 4);
    assertEquals(device.vkGetSwapchainStatusKHR(swapchain) as number, 0);
  }, { presentMode: MODES.SHARED_DEMAND });
});

Deno.test("VK35 images are shared only if the driver says so", () => {
  for (const sharedImage of [true, false, undefined]) {
    using driver = new NativeBufferDriver({ sharedImage });
    using phone = new Phone(driver);
    const modes = phone.gpu.vkGetPhysicalDeviceSurfacePresentModesKHR(phone.surface) as number[];
    const isShared = sharedImage === true;
    assertEquals([phone.extensions.includes(SHARED), modes.includes(MODES.SHARED_DEMAND)], [isShared, isShared]);
  }
});

Deno.test("VK35 images are never shared by a driver that cannot be asked", () => {
  for (const asks of [false, true]) {
    using driver = new NativeBufferDriver({
      apiVersion: null,
      sharedImage: true,
      instanceExtensions: asks ? [QUERIES] : [],
    });
    for (const instanceExtensions of asks ? [[], [QUERIES]] : [[]]) {
      using phone = new Phone(driver, { apiVersion: 0x400000, instanceExtensions });
      const modes = phone.gpu.vkGetPhysicalDeviceSurfacePresentModesKHR(phone.surface) as number[];
      assertEquals([phone.extensions.includes(SHARED), modes.includes(MODES.SHARED_DEMAND)], [asks, asks]);
    }
  }
});
