/**
 * Android's graphics loaders in TypeScript, over any native driver: the Vulkan
 * loader with its layers, and the window system below the layers.
 *
 * Start with {@linkcode loadVulkan}; `@pumice/gfx/vk` has the constants.
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
 * using window = new NativeWindow({ width: 640, height: 360, consumer: pngConsumer("out/frame-%04d.png") });
 * using vulkan = loadVulkan();
 * using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface", "VK_KHR_android_surface"] });
 * const surface = instance.vkCreateAndroidSurfaceKHR({ window: window.address });
 * ```
 *
 * @module
 */
export * from "./loader/mod.ts";
export { loadVulkan } from "./wsi/load_vulkan.ts";
export * from "./wsi/mod.ts";
export { type Gpu, openGpu, type OpenGpuOptions } from "./wsi/gpu/open_gpu.ts";
export type { Bindable, ShaderInputs } from "./wsi/gpu/inputs.ts";
export type { BareImageInfo } from "./wsi/gpu/bare_image.ts";
export type { Descriptor, Descriptors } from "./wsi/gpu/inputs.ts";
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
export type { GpuRequirements } from "./wsi/gpu/requirements.ts";
export type { ShaderCode } from "./wsi/gpu/shader.ts";
export type { GpuSampler, SamplerOptions } from "./wsi/gpu/sampler.ts";
export { createVulkanBackend, type OwnVulkanBackendOptions } from "./hwc/backends/own_vulkan.ts";
export type { CompositionBackend } from "./hwc/backends/backend.ts";
