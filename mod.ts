/**
 * Android's graphics loaders in TypeScript, over any native driver: the Vulkan
 * loader with its layers, and the window system below the layers.
 *
 * Start with {@linkcode loadVulkan}; {@linkcode openGpu} has what a script
 * needs to compute and draw. The other entries of the package:
 *
 * - `@pumice/gfx/vk`: Vulkan's constants, structs and commands
 * - `@pumice/gfx/loader`: the loader alone, without Android's window system
 * - `@pumice/gfx/core`: the least of it, for a driver that is named
 * - `@pumice/gfx/layers`: layers that are ready to use, recordings, layers in
 *   other processes
 * - `@pumice/gfx/drivers`: drivers in TypeScript
 * - `@pumice/gfx/wsi`: windows, buffers and fences alone
 * - `@pumice/gfx/egl`, `@pumice/gfx/gl`, `@pumice/gfx/gles-layers`: EGL, the
 *   constants of OpenGL ES, and layers for both
 * - `@pumice/gfx/hwc`: Hardware Composer
 * - `@pumice/gfx/perfetto`: all of it on one timeline
 * - `@pumice/gfx/check`, `@pumice/gfx/vkjson`: what Android requires of
 *   drivers, and what drivers can do
 * - `@pumice/gfx/testing`: tests of drivers
 * - `@pumice/gfx/compare`, `@pumice/gfx/fuzz`: drivers compared on recordings,
 *   and random programs
 * - `@pumice/gfx/cli`: the command line as a function
 * - `@pumice/gfx/ffi`: native memory and calls
 *
 * @example Name the GPUs of this machine
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx";
 *
 * using vulkan = loadVulkan();
 * using instance = vulkan.vkCreateInstance({});
 * for (const gpu of instance.vkEnumeratePhysicalDevices()) {
 *   console.log(gpu.vkGetPhysicalDeviceProperties().deviceName);
 * }
 * ```
 *
 * @example A window on any driver
 * ```ts ignore
 * import { loadVulkan, NativeWindow, pngConsumer } from "@pumice/gfx";
 *
 * const consumer = pngConsumer("out/frame-%04d.png");
 * using window = new NativeWindow({ width: 640, height: 360, consumer });
 * using vulkan = loadVulkan();
 * using instance = vulkan.vkCreateInstance({
 *   ppEnabledExtensionNames: ["VK_KHR_surface", "VK_KHR_android_surface"],
 * });
 * const surface = instance.vkCreateAndroidSurfaceKHR({
 *   window: window.address,
 * });
 * ```
 *
 * @module
 */
export * from "./loader/mod.ts";
export { loadVulkan } from "./wsi/load_vulkan.ts";
export * from "./wsi/mod.ts";
export { type Gpu, openGpu, type OpenGpuOptions, type WindowGpu } from "./wsi/gpu/open_gpu.ts";
export type { GpuSwapchain, GpuSwapchainOptions } from "./wsi/gpu/swapchain.ts";
export type { Bindable, ShaderInputs } from "./wsi/gpu/inputs.ts";
export type { BareImageInfo } from "./wsi/gpu/bare_image.ts";
export type { DescriptorInput, DescriptorSetWithLayout } from "./wsi/gpu/inputs.ts";
export type { ViewInfo } from "./wsi/gpu/bare_image.ts";
export type { GraphicsPipelineInfo } from "./wsi/gpu/draw.ts";
export type { ViewAttachment, ViewsPass } from "./wsi/gpu/render_pass.ts";
export { fullBarrier, type ImagePart, turnImage, zeroImage } from "./wsi/gpu/barriers.ts";
export type { GpuBuffer } from "./wsi/gpu/buffer.ts";
export type { ComputeOptions } from "./wsi/gpu/compute.ts";
export type { OpenedDevice } from "./wsi/gpu/device.ts";
export type { DrawOptions } from "./wsi/gpu/draw.ts";
export type { GpuTools } from "./wsi/gpu/gpu.ts";
export { changeLayout, type GpuImage, type GpuImageOptions } from "./wsi/gpu/image.ts";
export type { DeviceCriteria, DeviceType, GpuRequirements } from "./wsi/gpu/requirements.ts";
export type { ShaderCode } from "./wsi/gpu/shader.ts";
export type { GpuSampler, SamplerOptions } from "./wsi/gpu/sampler.ts";
export { createVulkanBackend, type OwnVulkanBackendOptions } from "./hwc/backends/own_vulkan.ts";
export type { CompositionBackend } from "./hwc/backends/backend.ts";
