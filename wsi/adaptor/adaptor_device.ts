import { fenceWorker } from "../fence/fence_worker.ts";
import { Acquires } from "./acquires.ts";
import type { Backing } from "./backing.ts";
import { Commands, recordHostBarrier } from "./commands.ts";
import type { UnboundImage } from "./create_image.ts";
import { type DeviceParts, DriverDevice } from "./driver_device.ts";
import type { NativeImage } from "./native_image.ts";
import { Releases } from "./releases.ts";
import { SubmitRewriter } from "./submit_rewriter.ts";
import { Tiers } from "./tiers.ts";
import { UsageRules } from "./usage_rules.ts";
import { VK_PHYSICAL_DEVICE_TYPE_CPU } from "../../loader/gen/native_gen.ts";

/** A device whose native buffers the adaptor provides: the driver's side of it, and the adaptor's own objects. */
export class AdaptorDevice extends DriverDevice {
  /** The device's images of buffers, by handle. */
  readonly images: Map<bigint, NativeImage> = new Map();
  /** Images of swapchains that are not bound to a buffer yet, by handle. */
  readonly unbound: Map<bigint, UnboundImage> = new Map();
  /** The memory of images, by buffer and tier. */
  readonly backings: Map<string, Backing> = new Map();
  /** Command buffers of the adaptor's own. */
  readonly recorder: Commands = new Commands(this);
  /** The tiers of images. */
  readonly tiers: Tiers = new Tiers(this);
  /** The rules by which gralloc lays out buffers for this device. */
  readonly rules: UsageRules = new UsageRules(this);
  /** The beginning of frames. */
  readonly acquires: Acquires = new Acquires(this);
  /** The end of frames. */
  readonly releases: Releases = new Releases(this);
  /** Rewrites submissions if semaphores are virtual. */
  readonly rewriter: SubmitRewriter | undefined;
  readonly #barriers = new Map<number, bigint>();

  /** Takes part in a device that was just made. */
  constructor(parts: DeviceParts) {
    super(parts);
    if (this.semaphores) this.rewriter = new SubmitRewriter(this.semaphores);
  }

  /** Returns a command buffer that makes drawings visible to the host; 0n if none is needed. */
  hostBarrier(family: number): bigint {
    if (this.gpu.type === VK_PHYSICAL_DEVICE_TYPE_CPU) return 0n;
    let barrier = this.#barriers.get(family);
    if (barrier === undefined) {
      barrier = this.recorder.recorded(family, (commands) => recordHostBarrier(this, commands));
      this.#barriers.set(family, barrier);
    }
    return barrier;
  }

  /** Frees everything that is the adaptor's on the device, which is about to be destroyed. */
  close(): void {
    this.acquires.abandonAll();
    fenceWorker().forgetDevice(this.handle);
    this.commands.vkDeviceWaitIdle(this.handle);
    for (const image of [...this.images.values()]) image.close();
    this.releases.close();
    this.acquires.close();
    this.recorder.close();
    this.rules.close();
    this.rewriter?.close();
    const shadows = this.semaphores?.all.map(({ shadow }) => shadow).filter((shadow) => shadow !== 0n) ?? [];
    for (const shadow of shadows) this.commands.vkDestroySemaphore(this.handle, shadow, 0n);
  }
}
