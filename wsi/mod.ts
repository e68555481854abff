/**
 * Windows and buffers. So far: how Android's swapchain maps Vulkan formats to
 * gralloc's.
 *
 * @module
 */
export { type PixelFormat, pixelFormatOf, pixelFormatOfHal } from "./pixel_format.ts";
