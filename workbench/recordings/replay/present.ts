import {
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
} from "../../../loader/gen/native_gen.ts";
import type { VkImage, VkImageCreateInfo, VkQueue } from "../../../loader/gen/types_core_gen.ts";
import { coreName } from "../record/commands.ts";
import type { RecordedCall } from "../record/line.ts";
import { type Copier, copyOut } from "./copy_out.ts";
import { batchBefore } from "./owed.ts";
import type { Place, Session } from "./session.ts";
import { propertiesOfTypes, ReplayedMemory } from "./memory.ts";
import { imageInfo, makeSwapchain } from "./swapchain.ts";
import { settle } from "./waits.ts";
import { zeroing } from "./carry_out.ts";

/** A handle for an object that is not created. */
const NOTHING = 1n;

/** Carries out a command of a window system, without needing one here. */
export function present(session: Session, call: RecordedCall, place: Place | undefined): void {
  const { command, args, out } = call;
  if (/^vkCreate\w*Surface/.test(command)) session.name(call, out!.pSurface, NOTHING);
  else if (command === "vkCreateSwapchainKHR") create(session, call);
  else if (command === "vkDestroySwapchainKHR") session.endSwapchain(args.swapchain);
  else if (command === "vkGetSwapchainImagesKHR") fill(session, call, place!);
  else if (command === "vkQueuePresentKHR") session.flow.submit(call, session.line, () => show(session, call));
  else if (command !== "vkDestroySurfaceKHR") acquire(session, call);
}

/** The number of images is known when they are queried. */
function create(session: Session, call: RecordedCall): void {
  const { args: { device, pCreateInfo }, out } = call, info = imageInfo(pCreateInfo);
  session.name(call, out!.pSwapchain, NOTHING);
  const none = { device, info, images: [], names: [], memories: [], shown: new Map(), close: () => [] };
  session.swapchains.set(out!.pSwapchain, none);
}

function fill(session: Session, call: RecordedCall, { gpu }: Place): void {
  const { args: { device, swapchain }, out } = call, known = session.swapchains.get(swapchain)!;
  if (known.names.length > 0) return;
  const types = { here: propertiesOfTypes(gpu), recorded: [VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT] };
  const place = { device: session.device(device), types, zero: zeroing(session.worker(device)) };
  const made = makeSwapchain(
    place.device,
    device,
    known.info,
    out!.pSwapchainImages,
    (needs) => new ReplayedMemory(place, { allocationSize: needs.size, memoryTypeIndex: 0 }, true, needs),
  );
  session.swapchains.set(swapchain, made);
  session.name(call, out!.pSwapchainImages, made.images);
}

/** A fence is signalled at once, a semaphore when something waits for it. */
function acquire(session: Session, call: RecordedCall): void {
  const { args } = call, { semaphore, fence } = (args.pAcquireInfo ?? args) as Record<string, string | undefined>;
  waitUntilShown(session, call);
  if (semaphore) session.owed.acquired(semaphore);
  if (fence) {
    const name = session.queueOf(args.device);
    (session.object(name) as unknown as VkQueue).vkQueueSubmit([], session.handle("VkFence", fence) as never);
    session.flow.handed(name, fence, session.line);
  }
  session.flow.note(coreName(call.command), call);
}

/**
 * The window system gave the image back when the picture before had been drawn: what the program writes for the next
 * picture must not reach the work for that one.
 */
function waitUntilShown(session: Session, { args, out }: RecordedCall): void {
  const { shown } = session.swapchains.get((args.pAcquireInfo ?? args).swapchain)!, index = Number(out?.pImageIndex);
  const queue = shown.get(index);
  shown.delete(index);
  if (queue !== undefined) settle(session, session.flow.pending((each) => each === queue));
}

function show(session: Session, call: RecordedCall): void {
  const { queue: name, pPresentInfo } = call.args, queue = session.object(name) as unknown as VkQueue;
  const { pWaitSemaphores = [], pSwapchains, pImageIndices } = pPresentInfo as Record<string, string[]>;
  session.owed.presented(name, pWaitSemaphores);
  for (const [at, each] of pSwapchains.entries()) {
    session.swapchains.get(each)?.shown.set(Number(pImageIndices[at]), name);
  }
  if (session.options.onPresent) {
    const handle = (each: string) => session.handle("VkSemaphore", each);
    for (const before of session.owed.take(call).values()) {
      queue.vkQueueSubmit([batchBefore(before, handle, false) as never]);
    }
  }
  for (const [index, name] of session.options.onPresent ? pSwapchains.entries() : []) {
    const { device, names, images, info } = session.swapchains.get(name)!, which = Number(pImageIndices[index]);
    const { format, extent } = info, { width, height } = extent as { width: number; height: number };
    const copier = session.copier(device, queue), read = () => readImage(copier, images[which], info);
    session.options.onPresent!({ image: names[which], format: format!, width, height, read });
  }
}

/** Bytes of a texel, for presented formats with other than four: 16-bit ones, and half floats. */
const TEXELS: Readonly<Record<number, number>> = { 4: 2, 5: 2, 6: 2, 7: 2, 8: 2, 97: 8 };

/** Returns the texels of an image. Presented images are in the general layout. */
function readImage(copier: Copier, image: VkImage, { format, extent }: VkImageCreateInfo): Uint8Array {
  const { width, height } = extent as { width: number; height: number };
  return copyOut(copier, width * height * (TEXELS[format!] ?? 4), (commands, buffer) => {
    const imageSubresource = { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, layerCount: 1 };
    commands.vkCmdCopyImageToBuffer(image, VK_IMAGE_LAYOUT_GENERAL, buffer, [{
      imageSubresource,
      imageExtent: extent,
    }]);
  });
}
