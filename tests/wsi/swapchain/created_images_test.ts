import { assertEquals, assertThrows } from "@std/assert";
import type { VkSwapchainKHR } from "../../../loader/types.ts";
import type { VulkanOptions } from "../../../loader/mod.ts";
import { androidWsi } from "../../../wsi/android_wsi.ts";
import { droppingConsumer } from "../../../wsi/consumer/dropping.ts";
import { type Call, NativeBufferDriver, Phone, USAGE_COMMANDS } from "../native_buffer_driver.ts";
import { resultOf } from "../../support/result_of.ts";
import { windowAt } from "../../../wsi/window/window_memory.ts";
import { FOREVER, MODES, swapchainInfo } from "./presenter.ts";

const NATIVE_BUFFER = 1000010000, SWAPCHAIN_IMAGE = 1000010001, IMAGE_SWAPCHAIN = 1000060008;
const BIND_SWAPCHAIN = 1000060009, COMPRESSION = 1000338001, FORMAT_LIST = 1000147000;
const CREATE = { PROTECTED: 2, MUTABLE_FORMAT: 4, DEFERRED_MEMORY_ALLOCATION: 8 };
const PROTECTED_USAGE = 1n << 14n;

/** A driver with native buffers, and a swapchain over it. */
function withImages(
  info: object,
  use: (given: { driver: NativeBufferDriver; phone: Phone; swapchain: VkSwapchainKHR; images: Call[] }) => void,
  vulkan: Partial<VulkanOptions> = {},
): void {
  using driver = new NativeBufferDriver({ deviceExtensions: ["VK_EXT_image_compression_control"], sharedImage: true });
  using phone = new Phone(driver, { window: { consumer: droppingConsumer() }, vulkan });
  const { device, surface, window } = phone;
  const swapchain = device.vkCreateSwapchainKHR(swapchainInfo(surface, window, info));
  use({ driver, phone, swapchain, images: driver.of("vkCreateImage").map((call) => call.info) });
  device.vkDestroySwapchainKHR(swapchain);
}

const types = ({ pNext }: Call) => pNext.map(({ sType }: { sType: number }) => sType);

Deno.test("an image's chain keeps what the application says about compression", () => {
  const control = { sType: COMPRESSION, flags: 2, pFixedRateFlags: [4] };
  withImages({ pNext: [control] }, ({ images }) => {
    assertEquals(types(images[0]), [NATIVE_BUFFER, SWAPCHAIN_IMAGE, COMPRESSION]);
    const [, , { flags, compressionControlPlaneCount, pFixedRateFlags }] = images[0].pNext;
    assertEquals([flags, compressionControlPlaneCount, [...pFixedRateFlags]], [2, 1, [4]]);
  });
});

Deno.test("an image of a mutable swapchain can be viewed in the formats of its list", () => {
  const pNext = [{ sType: FORMAT_LIST, pViewFormats: [37, 43] }];
  withImages({ flags: CREATE.MUTABLE_FORMAT, pNext }, ({ images: [image] }) => {
    assertEquals(image.flags, 0x8 | 0x100); // MUTABLE_FORMAT, EXTENDED_USAGE
    assertEquals([...image.pNext.find(({ sType }: { sType: number }) => sType === FORMAT_LIST).pViewFormats], [37, 43]);
  });
});

Deno.test("a list of formats is left out of a swapchain that is not mutable", () => {
  withImages({ pNext: [{ sType: FORMAT_LIST, pViewFormats: [37, 43] }] }, ({ images: [image] }) => {
    assertEquals([image.flags, types(image)], [0, [NATIVE_BUFFER, SWAPCHAIN_IMAGE]]);
  });
});

Deno.test("the buffers and images of a protected swapchain are protected", () => {
  const asked: bigint[] = [];
  const ordinary = (address: bigint) => {
    const window = windowAt(address)!;
    const setUsage = (usage: bigint) => {
      asked.push(usage);
      return window.setUsage(usage & ~PROTECTED_USAGE); // of which gralloc has none here
    };
    return new Proxy(window, {
      get(target, name) {
        const value = name === "setUsage" ? setUsage : Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
  const { bottomLayers } = androidWsi({ windowAt: ordinary }), vulkan = { bottomLayers };
  withImages({ flags: CREATE.PROTECTED }, ({ images: [image] }) => assertEquals(image.flags, 0x800), vulkan);
  assertEquals(asked.map((usage) => usage & PROTECTED_USAGE), [PROTECTED_USAGE]);
});

Deno.test("a protected swapchain loses a surface whose window has no protected memory", () => {
  const create = () => withImages({ flags: CREATE.PROTECTED }, () => {});
  assertEquals(resultOf(create), -1000000000);
});

Deno.test("memory that is allocated late is bound when an image is first acquired", () => {
  withImages({ flags: CREATE.DEFERRED_MEMORY_ALLOCATION }, ({ driver, phone, swapchain, images }) => {
    const { device, queue } = phone, fence = device.vkCreateFence({});
    assertEquals(images.map(types), [[IMAGE_SWAPCHAIN], [IMAGE_SWAPCHAIN], [IMAGE_SWAPCHAIN]]);
    assertEquals(images.map(({ pNext: [{ swapchain }] }) => swapchain), Array(3).fill(swapchain));
    const handles = device.vkGetSwapchainImagesKHR(swapchain) as unknown as bigint[];
    for (let frame = 0; frame < 6; frame++) {
      const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, FOREVER, null, fence);
      queue.vkQueuePresentKHR({ pSwapchains: [swapchain], pImageIndices: [imageIndex] });
    }
    const bound = driver.of("vkBindImageMemory2").flatMap(({ infos }) => infos) as Call[];
    assertEquals(bound.map(types), bound.map(() => [NATIVE_BUFFER, BIND_SWAPCHAIN]));
    assertEquals(bound.map(({ image, pNext: [, at] }) => [image, at.swapchain, at.imageIndex]), [
      ...handles.slice(0, bound.length).map((image, index) => [image, swapchain as unknown as bigint, index]),
    ]);
    assertEquals(new Set(bound.map(({ pNext: [{ handle }] }) => handle)).size, bound.length);
    device.vkDestroyFence(fence);
  });
});

Deno.test("an image whose memory cannot be bound is not acquired, and its buffer goes back", () => {
  withImages({ flags: CREATE.DEFERRED_MEMORY_ALLOCATION }, ({ driver, phone, swapchain }) => {
    const { device, window } = phone, fence = device.vkCreateFence({});
    driver.bindResult = -2;
    assertEquals(resultOf(() => device.vkAcquireNextImageKHR(swapchain, FOREVER, null, fence)), -1000001004);
    assertEquals(window.statistics.cancelled, 1);
    driver.bindResult = 0;
    assertEquals(device.vkAcquireNextImageKHR(swapchain, FOREVER, null, fence).result, 0);
    device.vkDestroyFence(fence);
  });
});

Deno.test("a shared image is never allocated late", () => {
  const info = { flags: CREATE.DEFERRED_MEMORY_ALLOCATION, presentMode: MODES.SHARED_DEMAND };
  withImages(info, ({ images }) => assertEquals(images.map(types), [[NATIVE_BUFFER, SWAPCHAIN_IMAGE]]));
});

Deno.test("images that a driver cannot make leave no swapchain behind", () => {
  using driver = new NativeBufferDriver();
  using phone = new Phone(driver);
  const { device, surface, window } = phone;
  for (const failing of [0, 1, 2]) {
    driver.imageResults = [0, 0, 0].map((_, index) => index === failing ? -2 : 0);
    const create = () => device.vkCreateSwapchainKHR(swapchainInfo(surface, window));
    assertEquals(resultOf(create), -2);
    assertEquals(driver.scripted.live("VkImage"), 0);
  }
  const swapchain = device.vkCreateSwapchainKHR(swapchainInfo(surface, window));
  assertEquals(driver.scripted.live("VkImage"), 3);
  device.vkDestroySwapchainKHR(swapchain);
  assertEquals(driver.scripted.live("VkImage"), 0);
});

Deno.test("a driver that cannot report the usage of buffers loses the surface", () => {
  using driver = new NativeBufferDriver();
  using phone = new Phone(driver);
  driver.usageResult = -11;
  const create = () => phone.device.vkCreateSwapchainKHR(swapchainInfo(phone.surface, phone.window));
  assertEquals(resultOf(create), -1000000000);
  assertEquals(driver.of(USAGE_COMMANDS[0]).length, 1);
});

Deno.test("what swapchains can do about compression is what the driver can do about images'", () => {
  for (const imageCompressionControl of [true, false]) {
    const chain = [{ sType: 1000338000, imageCompressionControl }] as const;
    using driver = new NativeBufferDriver({ physicalDevice: { chain } });
    using phone = new Phone(driver);
    const { pNext: [, swapchain] } = phone.gpu.vkGetPhysicalDeviceFeatures2([
      { sType: 1000338000 },
      { sType: 1000437000 },
    ]);
    assertEquals(swapchain.imageCompressionControlSwapchain, imageCompressionControl);
    const swapchains = "VK_EXT_image_compression_control_swapchain";
    assertEquals(phone.extensions.includes(swapchains), imageCompressionControl);
  }
});

Deno.test("an invalid image index cannot be presented, and valid images still can", () => {
  withImages({}, ({ phone: { device }, swapchain }) => {
    const queue = device.vkGetDeviceQueue(0, 0);
    const present = (index: number) => () =>
      queue.vkQueuePresentKHR({ pSwapchains: [swapchain], pImageIndices: [index] });
    assertThrows(present(99), TypeError, "Cannot present image 99 of a swapchain: it has 0 to");
    const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, FOREVER, null, 7n as never);
    assertEquals(present(imageIndex)(), 0);
  });
});
