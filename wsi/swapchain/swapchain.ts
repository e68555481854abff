import type { Window } from "../contract/window.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { DeviceState } from "./environment.ts";
import { PresentHistory } from "./history.ts";

/** A VkSurfaceKHR on a native window. */
export interface Surface {
  /** The VkSurfaceKHR. */
  readonly handle: bigint;
  /** The instance of the surface. */
  readonly instance: bigint;
  /** The window. */
  readonly window: Window;
  /** The usage bits that the window's consumer wants. */
  readonly consumerUsage: bigint;
  /** The current swapchain; 0n for none. */
  swapchain: bigint;
  /** Whether the surface has had a swapchain: the next swapchain must connect to the window anew. */
  used: boolean;
}

/** One image of a swapchain, and the buffer behind it. */
export interface SwapchainImage {
  /** The VkImage; 0n after its destruction, which is early for images of a retired swapchain. */
  image: bigint;
  /** The buffer; `undefined` until the first acquisition if memory is allocated late. */
  buffer: GraphicBuffer | undefined;
  /** Whether the swapchain has the buffer and not the window. */
  dequeued: boolean;
  /** The fence that the window handed out with the buffer. */
  dequeueFence: NativeFence | undefined;
  /** Signalled when the application's last use of the image is over. */
  releaseFence: NativeFence | undefined;
}

/** The properties with which a swapchain was created. */
export interface SwapchainFacts {
  readonly device: DeviceState;
  readonly surface: Surface;
  /** VkPresentModeKHR. The mode can change to a compatible one. */
  readonly mode: number;
  readonly preTransform: number;
  /** Duration of one refresh in nanoseconds. */
  readonly refreshDuration: bigint;
  readonly extent: { readonly width: number; readonly height: number };
  /** Whether buffers are bound to images at their first acquisition. */
  readonly isDeferred: boolean;
}

/** A VkSwapchainKHR. */
export class Swapchain {
  /** The handle. */
  readonly handle: bigint;
  /** The device of the swapchain. */
  readonly device: DeviceState;
  /** The surface; `undefined` if the surface was destroyed before the swapchain. */
  surface: Surface | undefined;
  /** VkPresentModeKHR. */
  mode: number;
  readonly preTransform: number;
  readonly refreshDuration: bigint;
  readonly extent: { readonly width: number; readonly height: number };
  readonly isDeferred: boolean;
  /** The images, in order. */
  images: SwapchainImage[] = [];
  /** The dequeue timeout that the window was last given, in nanoseconds; a negative value waits for ever. */
  timeout = -1n;
  /** Whether the last frame had damage, which the window keeps until it gets other damage. */
  hadDamage = false;
  /** The presented frames. */
  readonly history: PresentHistory = new PresentHistory();

  /** Makes a swapchain without images. */
  constructor(handle: bigint, facts: SwapchainFacts) {
    this.handle = handle;
    ({ device: this.device, surface: this.surface, mode: this.mode, preTransform: this.preTransform } = facts);
    ({ refreshDuration: this.refreshDuration, extent: this.extent, isDeferred: this.isDeferred } = facts);
  }

  /** Whether the swapchain is its surface's current one. */
  get isCurrent(): boolean {
    return this.surface?.swapchain === this.handle;
  }

  /** Forgets the surface, which is about to be destroyed. The swapchain's buffers go with the window. */
  loseSurface(): void {
    for (const image of this.images) {
      image.dequeueFence?.close();
      image.dequeueFence = undefined;
    }
    this.surface = undefined;
  }

  /** The image at an index. Throws a `TypeError` for an invalid index. */
  imageAt(index: number): SwapchainImage {
    const image = this.images[index];
    if (image) return image;
    const there = this.images.length === 0 ? "none" : `0 to ${this.images.length - 1}`;
    throw new TypeError(
      `Cannot present image ${index} of a swapchain: it has ${there}; give the index of an acquired image`,
    );
  }

  /** The index of the image of a buffer; -1 for an unknown buffer. */
  indexOf(buffer: GraphicBuffer): number {
    return this.images.findIndex((each) => each.buffer?.id === buffer.id);
  }
}
