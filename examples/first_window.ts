/**
 * A swapchain on any driver, shown in a window of X11 or on a web page.
 *
 * ```sh
 * deno run --allow-ffi --allow-read '--allow-env=DISPLAY,HOME,XDG_*,VK_*' examples/first_window.ts
 * deno run --allow-ffi --allow-read '--allow-env=HOME,XDG_*,VK_*' --allow-net=127.0.0.1 examples/first_window.ts web
 * ```
 *
 * The first opens a window of the X server in DISPLAY, the second prints the
 * address of a page. A triangle turns until the window is closed, thirty seconds
 * at most.
 *
 * @module
 */
import { changeLayout, type GpuImage, NativeWindow, openGpu, webViewer, x11Window } from "@pumice/gfx";
import {
  VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_PRESENT_MODE_FIFO_KHR,
  VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
} from "@pumice/gfx/vk";
import { translate } from "naga-wasm";

const SIZE = { width: 480, height: 360 }, FRAMES = 1800, REFRESH = 1000 / 60, FOR_EVER = 2n ** 64n - 1n;
const source = `
  @group(0) @binding(0) var<uniform> turned: vec4f;
  struct Corner { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @vertex fn corner(@builtin(vertex_index) index: u32) -> Corner {
    let angle = f32(index) * 2.0944 + turned.x;
    let color = vec3f(f32(index == 0), f32(index == 1), f32(index == 2));
    return Corner(vec4f(0.6 * sin(angle), 0.8 * cos(angle), 0, 1), color);
  }
  @fragment fn shade(corner: Corner) -> @location(0) vec4f { return vec4f(corner.color, 1); }`;
const shaders = translate({ from: "wgsl", to: "spirv", source });

const onWeb = Deno.args[0] === "web";
let isOpen = true;
const consumer = onWeb
  ? webViewer()
  : x11Window({ ...SIZE, title: "A turning triangle", onClose: () => isOpen = false });
if ("url" in consumer) console.log(`Open ${consumer.url}`);
using native = new NativeWindow({ ...SIZE, consumer });
using gpu = openGpu({
  instanceExtensions: ["VK_KHR_surface", "VK_KHR_android_surface"],
  extensions: ["VK_KHR_swapchain"],
});
const { instance, physicalDevice, device, queue } = gpu;
const surface = instance.vkCreateAndroidSurfaceKHR({ window: native.address });
gpu.owned.defer(() => instance.vkDestroySurfaceKHR(surface));
const { minImageCount } = physicalDevice.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(surface);
const swapchain = device.vkCreateSwapchainKHR({
  surface,
  minImageCount,
  imageFormat: VK_FORMAT_R8G8B8A8_UNORM,
  imageExtent: SIZE,
  imageArrayLayers: 1,
  imageUsage: VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  preTransform: VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
  compositeAlpha: VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
  presentMode: VK_PRESENT_MODE_FIFO_KHR,
});
gpu.owned.defer(() => device.vkDestroySwapchainKHR(swapchain));
const images = device.vkGetSwapchainImagesKHR(swapchain).map(drawable);
const turned = gpu.buffer(16), fence = device.vkCreateFence({});
gpu.owned.defer(() => device.vkDestroyFence(fence));

let frames = 0;
for (const start = performance.now(); frames < FRAMES && isOpen; frames++) {
  const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, FOR_EVER, null, fence);
  device.vkWaitForFences([fence], true, FOR_EVER);
  device.vkResetFences([fence]);
  turned.floats[0] = frames / 60;
  const target = images[imageIndex];
  gpu.draw({ target, vertex: shaders, fragment: shaders, bindings: [turned], clear: [0.05, 0.05, 0.1, 1] });
  gpu.submit((commands) => changeLayout(commands, target, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR));
  queue.vkQueuePresentKHR({ pSwapchains: [swapchain], pImageIndices: [imageIndex] });
  const due = start + (frames + 1) * REFRESH - performance.now();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, due)));
}
console.log(`${frames} frames were drawn by ${gpu.properties.deviceName}`);

/** Returns an image as draw() takes a target. */
function drawable(image: GpuImage["image"]): GpuImage {
  const aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, format = VK_FORMAT_R8G8B8A8_UNORM;
  const subresourceRange = { aspectMask, levelCount: 1, layerCount: 1 };
  const view = device.vkCreateImageView({ image, viewType: VK_IMAGE_VIEW_TYPE_2D, format, subresourceRange });
  gpu.owned.defer(() => device.vkDestroyImageView(view));
  return { ...SIZE, image, view, format, aspectMask, layout: VK_IMAGE_LAYOUT_UNDEFINED };
}
