/**
 * Windows, buffers and fences: Android's window system over any Vulkan driver.
 *
 * A {@linkcode NativeWindow} is what a swapchain draws into; its consumer shows
 * or keeps the frames. {@linkcode androidWsi} gives the layers for the bottom
 * of a chain that have Android's surfaces and swapchains; `loadVulkan` of
 * `@pumice/gfx` has them already.
 *
 * @module
 */
export { androidWsi, type AndroidWsiOptions } from "./android_wsi.ts";
export { type PixelFormat, pixelFormatOf, pixelFormatOfHal } from "./pixel_format.ts";
export { NativeFence } from "./fence/native_fence.ts";
export type { FenceSource } from "./fence/fence_source.ts";
export { allocateBuffer } from "./buffer/gralloc.ts";
export { type BufferMemory, type BufferRequest, GraphicBuffer } from "./buffer/graphic_buffer.ts";
export { USAGE } from "./buffer/usage.ts";
export type { AdaptorOptions, SemaphoreKind, Tier } from "./adaptor/options.ts";
export type { WindowSystemOptions } from "./swapchain/environment.ts";
export { Surface } from "./window/surface.ts";
export { NativeWindow, type NativeWindowOptions, type WindowStatistics } from "./window/native_window.ts";
export type { Cta8613, Dequeued, FrameTimestamps, Rect, Smpte2086, Window, WindowQuery } from "./window/window.ts";
export type { Frame, FrameConsumer, FrameSource } from "./consumer/frame_consumer.ts";
export { CallbackConsumer, type FrameCallback, type FrameOptions, frames } from "./consumer/frames.ts";
export type { ConvertOptions, Picture } from "./consumer/pixels/convert.ts";
export { FrameView } from "./consumer/frame_view.ts";
export { dropping, DroppingConsumer } from "./consumer/dropping.ts";
export { PngConsumer, pngConsumer, type PngOptions, type PngPattern } from "./consumer/png.ts";
export { WsiError, type WsiErrorCode } from "./error.ts";
export { STATUS, type Status } from "./status.ts";
