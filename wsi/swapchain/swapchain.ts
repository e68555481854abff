import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { DeviceState } from "./environment.ts";
import { PresentHistory } from "./history.ts";
import type { Surface } from "./surface.ts";

/** One image of a swapchain, and the buffer behind it. */
export interface SwapchainImage {
  /** The VkImage; 0n once it was destroyed, as those of a retired swapchain are early. */
  image: bigint;
  /** The buffer; `undefined` until the first acquisition where memory is allocated late. */
  buffer: GraphicBuffer | undefined;
  /** Whether the swapchain has the buffer and not the window. */
  dequeued: boolean;
  /** What the window wanted waited for when it handed the buffer out. */
  dequeueFence: NativeFence | undefined;
  /** When the application's last use of it is over. */
  releaseFence: NativeFence | undefined;
}

/** What a swapchain was made with. */
export interface SwapchainFacts {
  readonly device: DeviceState;
  readonly surface: Surface;
  /** VkPresentModeKHR; changes between compatible ones. */
  readonly mode: number;
  readonly preTransform: number;
  /** Nanoseconds of one refresh. */
  readonly refreshDuration: bigint;
  readonly extent: { readonly width: number; readonly height: number };
  /** Whether buffers are bound to images at their first acquisition. */
  readonly isDeferred: boolean;
}

/** A VkSwapchainKHR. */
export class Swapchain {
  /** Its handle. */
  readonly handle: bigint;
  /** The device it belongs to. */
  readonly device: DeviceState;
  /** What it draws into; `undefined` when that was destroyed before it. */
  surface: Surface | undefined;
  /** VkPresentModeKHR. */
  mode: number;
  readonly preTransform: number;
  readonly refreshDuration: bigint;
  readonly extent: { readonly width: number; readonly height: number };
  readonly isDeferred: boolean;
  /** Its images, in order. */
  images: SwapchainImage[] = [];
  /** The dequeue timeout that the window was told last, nanoseconds; negative waits for ever. */
  timeout = -1n;
  /** Whether the last frame said what of it changed; the window keeps that until it hears otherwise. */
  hadDamage = false;
  /** What it has presented. */
  readonly history: PresentHistory = new PresentHistory();

  /** Without images yet. */
  constructor(handle: bigint, facts: SwapchainFacts) {
    this.handle = handle;
    ({ device: this.device, surface: this.surface, mode: this.mode, preTransform: this.preTransform } = facts);
    ({ refreshDuration: this.refreshDuration, extent: this.extent, isDeferred: this.isDeferred } = facts);
  }

  /** Whether it is the one that its surface is drawn into by. */
  get isCurrent(): boolean {
    return this.surface?.swapchain === this.handle;
  }

  /** Forgets its surface, which is about to be destroyed: buffers it has go with the window. */
  loseSurface(): void {
    for (const image of this.images) {
      image.dequeueFence?.close();
      image.dequeueFence = undefined;
    }
    this.surface = undefined;
  }

  /** The image of an index. Throws a `TypeError` when there is none. */
  imageAt(index: number): SwapchainImage {
    const image = this.images[index];
    if (image) return image;
    const there = this.images.length === 0 ? "none" : `0 to ${this.images.length - 1}`;
    throw new TypeError(
      `Cannot present image ${index} of a swapchain: it has ${there}; give the index of an acquired image`,
    );
  }

  /** The index of the image of a buffer; -1 if it has none. */
  indexOf(buffer: GraphicBuffer): number {
    return this.images.findIndex((each) => each.buffer?.id === buffer.id);
  }
}
