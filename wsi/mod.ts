/**
 * Windows, buffers and fences: Android's window system over any Vulkan driver.
 *
 * A swapchain draws into a {@linkcode NativeWindow}; the window's consumer shows
 * or keeps the frames. {@linkcode androidWsi} returns layers with Android's
 * surfaces and swapchains for the bottom of a chain; `loadVulkan` of
 * `@pumice/gfx` includes these layers.
 *
 * @example A frame drawn by the processor, as a PNG
 * ```ts ignore
 * import { NativeWindow, pngConsumer, WINDOW_API } from "@pumice/gfx/wsi";
 *
 * using window = new NativeWindow({ width: 64, height: 64, consumer: pngConsumer("frame.png") });
 * window.apiConnect(WINDOW_API.CPU);
 * const taken = window.dequeueBuffer();
 * if (typeof taken === "number") throw new Error(`no buffer: ${taken}`);
 * taken.buffer.lock().fill(200);
 * taken.buffer.unlock();
 * window.queueBuffer(taken.buffer, taken.fence);
 * ```
 *
 * @module
 */
import "../ffi/image/assembler.ts";

export { type AndroidWsi, androidWsi, type AndroidWsiOptions } from "./android_wsi.ts";
export { type NativeBufferAdaptor, nativeBufferAdaptor } from "./adaptor/native_buffer_adaptor.ts";
export type { DeviceDescription, FormatDescription } from "./adaptor/adaptor.ts";
export type { QueuePlace } from "./adaptor/device_plan.ts";
export type { AdaptorOptions, AdaptorTier, SemaphoreKind } from "./adaptor/options.ts";
export type { WindowSystemOptions } from "./swapchain/environment.ts";

export { type AndroidWindow, androidWindow, type AndroidWindowOptions } from "./window/android_window.ts";
export { CpuWindow } from "./window/cpu_window.ts";
export { NativeWindow, type NativeWindowOptions, type WindowStatistics } from "./window/native_window.ts";
export { Surface, TIMESTAMP_AUTO } from "./window/surface.ts";
export { windowAt } from "./window/window_memory.ts";
export type {
  Cta8613,
  DequeuedBuffer,
  FrameTimestamps,
  NativeBufferUse,
  Rect,
  Smpte2086,
  Window,
  WindowQuery,
} from "./contract/window.ts";

export type { Frame, FrameConsumer, FrameRequest, FrameSource } from "./contract/frame_consumer.ts";
export { CallbackConsumer, callbackConsumer, type FrameCallback, type FrameOptions } from "./consumer/frames.ts";
export { FrameView } from "./consumer/frame_view.ts";
export { DroppingConsumer, droppingConsumer } from "./consumer/dropping.ts";
export { PngConsumer, pngConsumer, type PngOptions, type PngPattern } from "./consumer/png.ts";
export { encodePng } from "./consumer/png_file.ts";
export { VideoConsumer, videoConsumer, type VideoOptions } from "./consumer/video/video_consumer.ts";
export { X11Window, x11Window, type X11WindowOptions } from "./consumer/x11/x11_window.ts";
export type { XKeyEvent, XPointerEvent } from "./consumer/x11/events.ts";
export {
  type ViewerStatistics,
  type ViewerWindowOptions,
  WebViewer,
  webViewer,
  type WebViewerOptions,
} from "./web/web_viewer.ts";
export {
  type ConvertOptions,
  convertPixels,
  convertPixels16,
  type Picture,
  type PixelSource,
} from "./consumer/pixels/convert.ts";

export {
  allocateBuffer,
  exportInts,
  type ForeignBuffer,
  importBuffer,
  importHandle,
  openBuffers,
  wrapDmaBuf,
} from "./buffer/gralloc.ts";
export { MODIFIER, modifierName } from "./buffer/modifier.ts";
export type { BufferRequest } from "./buffer/check_request.ts";
export { type BufferMemory, type BufferParts, GraphicBuffer, type SharedBuffer } from "./buffer/graphic_buffer.ts";
export {
  fourcc,
  HAL_FORMATS,
  type HalFormat,
  halFormatOf,
  halFormatsOfDrm,
  halFormatsOfVk,
  NV12,
  type PixelArrangement,
} from "./buffer/hal_format.ts";
export type { CpuAccess } from "./buffer/cpu_access.ts";
export { type Layout, layOut, type LayoutPlane, type YCbCrOffsets } from "./buffer/layout.ts";
export { type BufferLayout, type LayoutRule, registerLayout } from "./buffer/layout.ts";
export type { MemoryKind } from "./buffer/memory.ts";
export { DATASPACE, FORMAT, LINEAR_DATASPACE, SCALING_MODE, TRANSFORM, WINDOW_API } from "./android_values.ts";
export { USAGE } from "./buffer/usage.ts";
export {
  usageFromGralloc0,
  usageFromProducerConsumer,
  usageToGralloc0,
  usageToProducerConsumer,
} from "./buffer/usage.ts";
export type { LockedYCbCr } from "./buffer/cpu_access.ts";
export { type PixelFormat, pixelFormatOf, pixelFormatOfHal } from "./buffer/hal_format.ts";

export { NativeFence } from "./fence/native_fence.ts";
export type { FenceSource } from "./fence/fence_source.ts";
export { closeFenceWorker, FenceWorker, fenceWorker } from "./fence/fence_worker.ts";
export type { FenceJob, FenceSignaled, SemaphoreReached, SignalSemaphore } from "./fence/fence_job.ts";
export { semaphoreSource, vkFenceSource } from "./fence/vulkan_source.ts";

export { type AcquireRequest, NO_BUFFER_AVAILABLE, PRESENT_LATER, STALE_BUFFER_SLOT } from "./queue/acquire.ts";
export { dropBuffer, holdBuffer } from "./queue/buffer_hold.ts";
export type { BufferItem, QueueInput } from "./queue/buffer_item.ts";
export { BufferQueue, type BufferQueueOptions } from "./queue/buffer_queue.ts";
export { BufferConsumer } from "./queue/consumer.ts";
export { FrameHistory, TIMESTAMP_INVALID, TIMESTAMP_PENDING } from "./queue/frame_history.ts";
export type { BufferChange, BufferEvent, ConsumerListener, ProducerListener, QueueWatcher } from "./queue/listeners.ts";
export {
  BufferProducer,
  type ConnectOptions,
  type DequeuedSlot,
  type DequeueRequest,
  type QueueOutput,
} from "./queue/producer.ts";

export { WsiError, type WsiErrorCode } from "./error.ts";
export { STATUS, type Status } from "./android_values.ts";
export { GraphicsError, type GraphicsErrorParts } from "../ffi/error.ts";
