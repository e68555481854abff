import { poke64 } from "../../ffi/machine.ts";
import { USAGE, usageFromProducerConsumer } from "../buffer/usage.ts";
import type { NativeBufferUse, Window } from "../contract/window.ts";
import { ARBITRARY, dataspaceOf, halFormat, UNKNOWN } from "./surface_formats.ts";
import type { Below, DeviceState, WindowSystem } from "./environment.ts";
import {
  CREATE,
  type ImageRequest,
  lacksFormatList,
  makeDeferredImages,
  makeImages,
  type SwapchainInfo,
} from "./make_images.ts";
import { destroyImages, orphan } from "./end_swapchain.ts";
import { VK } from "./results.ts";
import { capabilitiesOf, inverseTransform, isSharedMode, PRESENT_MODE } from "./surface_capabilities.ts";
import { type Surface, Swapchain } from "./swapchain.ts";
import { SCALING_MODE, WINDOW_API } from "../android_values.ts";
import { VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID } from "../../loader/gen/native_gen.ts";
import { arena } from "../../ffi/arena.ts";

type Ask = (context: Below, device: bigint, asked: UsageQuestion) => bigint | number;

/** The properties of images for which usage bits are asked. */
interface UsageQuestion {
  /** VkFormat value. */
  readonly format: number;
  /** VkImageUsageFlags. */
  readonly imageUsage: number;
  /** VkSwapchainImageUsageFlagsANDROID. */
  readonly swapchainUsage: number;
}

/** The four commands that return usage bits, newest first. */
const QUESTIONS: readonly (readonly [command: string, ask: Ask])[] = [
  ["vkGetSwapchainGrallocUsage4ANDROID", (context, device, { format, imageUsage, swapchainUsage }) => {
    const info = context.write("VkGrallocUsageInfo2ANDROID", {
      format: format as never,
      imageUsage: imageUsage as never,
      swapchainImageUsage: swapchainUsage as never,
    });
    return answered((out) => context.below(device).vkGetSwapchainGrallocUsage4ANDROID(device, info, out));
  }],
  ["vkGetSwapchainGrallocUsage3ANDROID", (context, device, { format, imageUsage }) => {
    const info = context.write("VkGrallocUsageInfoANDROID", {
      format: format as never,
      imageUsage: imageUsage as never,
    });
    return answered((out) => context.below(device).vkGetSwapchainGrallocUsage3ANDROID(device, info, out));
  }],
  [
    "vkGetSwapchainGrallocUsage2ANDROID",
    (context, device, { format, imageUsage, swapchainUsage }) =>
      answered((consumer, producer) =>
        context.below(device).vkGetSwapchainGrallocUsage2ANDROID(
          device,
          format,
          imageUsage,
          swapchainUsage,
          consumer,
          producer,
        ), (consumer, producer) => usageFromProducerConsumer(producer, consumer)),
  ],
  ["vkGetSwapchainGrallocUsageANDROID", (context, device, { format, imageUsage }) =>
    answered(
      (out) => context.below(device).vkGetSwapchainGrallocUsageANDROID(device, format, imageUsage, out),
      (usage) => usage & 0xffff_ffffn,
    )],
];

/**
 * The gralloc usage bits that a device wants for swapchain images, from the newest of the four commands that the device
 * has. Returns a negative VkResult if the command fails or there is none.
 */
function grallocUsage(context: Below, device: DeviceState, asked: UsageQuestion): bigint | number {
  const question = QUESTIONS.find(([command]) => device.isAdapted || device.has(command));
  return question ? question[1](context, device.handle, asked) : -3;
}

function answered(
  ask: (one: bigint, other: bigint) => number,
  join: (one: bigint, other: bigint) => bigint = (one) => one,
): bigint | number {
  const memory = arena(), at = memory.alloc(16);
  memory.view.setBigUint64(at, 0n, true);
  memory.view.setBigUint64(at + 8, 0n, true);
  const result = ask(memory.address(at), memory.address(at + 8));
  if (result < 0) return result;
  return join(memory.view.getBigUint64(at, true), memory.view.getBigUint64(at + 8, true));
}

/** vkCreateSwapchainKHR for a surface of the window system, by the steps of Android's. */
export function createSwapchain(
  system: WindowSystem,
  context: Below,
  device: DeviceState,
  info: SwapchainInfo,
  out: bigint,
): number {
  const surface = system.surfaces.get(info.surface as unknown as bigint)!;
  const dataspace = dataspaceOf(info.imageColorSpace!, info.imageFormat!);
  if (dataspace === UNKNOWN || lacksFormatList(info)) return VK.INITIALIZATION_FAILED;
  const old = (info.oldSwapchain ?? 0n) as unknown as bigint;
  if (surface.swapchain !== old) return VK.NATIVE_WINDOW_IN_USE;
  const former = system.swapchains.get(old);
  if (former) orphan(context, former);
  reconnect(surface);
  const settings = {
    mode: info.presentMode!,
    format: halFormat(info.imageFormat!),
    dataspace,
    extent: info.imageExtent!,
    preTransform: info.preTransform!,
  };
  if (configureWindow(surface.window, settings) < 0) return VK.SURFACE_LOST;
  const count = setImageCount(surface, info);
  if (count < 0) return count;
  const usage = usageFor(context, device, surface, info);
  if (typeof usage === "number") return usage;
  if (surface.window.setUsage(usage) < 0) return VK.SURFACE_LOST;
  return finish(system, context, { device, surface, info, count, usage }, out);
}

function finish(system: WindowSystem, context: Below, request: ImageRequest, out: bigint): number {
  const { device, surface, info, count } = request, { window } = surface;
  const hint = window.query("TRANSFORM_HINT"), refreshDuration = window.refreshCycleDuration();
  if (hint < 0 || refreshDuration < 0n) return VK.SURFACE_LOST;
  const isDeferred = (info.flags! & CREATE.DEFERRED_MEMORY_ALLOCATION) !== 0 && !isSharedMode(info.presentMode!);
  const swapchain = system.swapchains.add((handle) =>
    new Swapchain(handle, {
      ...{ device, surface, refreshDuration, isDeferred },
      ...{ mode: info.presentMode!, preTransform: info.preTransform!, extent: info.imageExtent! },
    })
  );
  const result = isDeferred
    ? makeDeferredImages(context, swapchain, info, count)
    : makeImages(context, swapchain, request);
  if (result < 0) {
    destroyImages(context, swapchain);
    system.swapchains.remove(swapchain.handle);
    return result;
  }
  surface.swapchain = swapchain.handle;
  window.noteNativeBuffers?.(useOf(device, info));
  poke64(out, swapchain.handle);
  return VK.SUCCESS;
}

function useOf({ handle, adaptor }: DeviceState, info: SwapchainInfo): NativeBufferUse {
  if (!adaptor) return { of: "driver" };
  return { of: "provided", tier: adaptor.tierOf(handle, info.imageFormat!, info.imageUsage!) };
}

/**
 * Disconnects and connects again, so that a window with an earlier producer releases its buffers. Errors are ignored.
 */
function reconnect(surface: Surface): void {
  if (surface.used) {
    surface.window.apiDisconnect(WINDOW_API.EGL);
    surface.window.apiConnect(WINDOW_API.EGL);
  }
  surface.used = true;
}

/** Sets the window's number of buffers. Returns the number of the swapchain's images, or a VkResult. */
function setImageCount({ window }: Surface, { minImageCount, presentMode }: SwapchainInfo): number {
  const capabilities = capabilitiesOf(window, presentMode), undequeued = window.query("MIN_UNDEQUEUED_BUFFERS");
  if (!capabilities || undequeued < 0) return VK.SURFACE_LOST;
  const { minImageCount: least, maxImageCount: most } = capabilities;
  if (least === undefined || most === undefined) return VK.INITIALIZATION_FAILED; // the surface does not offer the present mode
  const count = Math.min(Math.max(minImageCount!, least), most);
  const status = window.setBufferCount(Math.max(undequeued + 1, count));
  return status < 0 ? VK.SURFACE_LOST : count;
}

/** The usage bits of the buffers: those of the consumer, the driver, and the create flags. */
function usageFor(context: Below, device: DeviceState, surface: Surface, info: SwapchainInfo): bigint | number {
  const swapchainUsage = isSharedMode(info.presentMode!) ? VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID : 0;
  const asked = { format: info.imageFormat!, imageUsage: info.imageUsage!, swapchainUsage };
  const producer = grallocUsage(context, device, asked);
  if (typeof producer === "number") return VK.SURFACE_LOST;
  const isProtected = (info.flags! & CREATE.PROTECTED) !== 0;
  return surface.consumerUsage | producer | (isProtected ? USAGE.PROTECTED : 0n);
}

/** The settings of a window before a swapchain draws to it. */
interface WindowSettings {
  /** VkPresentModeKHR. */
  readonly mode: number;
  /** HAL_PIXEL_FORMAT. */
  readonly format: number;
  /** `android_dataspace`. */
  readonly dataspace: number;
  readonly extent: { readonly width: number; readonly height: number };
  /** VkSurfaceTransformFlagBitsKHR. */
  readonly preTransform: number;
}

/** Sets up a window in Android's order. Returns the first error status, otherwise 0. */
function configureWindow(window: Window, settings: WindowSettings): number {
  const { mode, format, dataspace, extent, preTransform } = settings, shared = isSharedMode(mode);
  const continuous = mode === PRESENT_MODE.SHARED_CONTINUOUS_REFRESH;
  const steps: (() => number)[] = [
    () => window.setDequeueTimeout(-1n),
    () => window.setSwapInterval(mode === PRESENT_MODE.MAILBOX ? 0 : 1),
    () => window.setSharedBufferMode(false),
    () => window.setAutoRefresh(false),
    () => window.setBuffersFormat(format),
    () => dataspace === ARBITRARY ? 0 : window.setBuffersDataspace(dataspace),
    () => window.setBuffersDimensions(extent.width, extent.height),
    () => window.setBuffersTransform(inverseTransform(preTransform)),
    () => window.setScalingMode(SCALING_MODE.SCALE_TO_WINDOW),
    () => shared ? window.setSharedBufferMode(true) : 0,
    () => continuous ? window.setAutoRefresh(true) : 0,
  ];
  for (const step of steps) {
    const status = step();
    if (status < 0) return status;
  }
  return 0;
}
