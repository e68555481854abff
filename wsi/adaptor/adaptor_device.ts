import { arena } from "../../ffi/arena.ts";
import { peek64 } from "../../ffi/machine.ts";
import type { Layer } from "../../loader/layer.ts";
import type { RawCommands } from "../../loader/types.ts";
import { Acquires } from "./acquires.ts";
import { Below } from "./below.ts";
import { VERSION } from "./constants.ts";
import type { DevicePlan, QueuePlace } from "./device_plan.ts";
import type { GpuFacts } from "./gpu_facts.ts";
import type { NativeImage } from "./native_image.ts";
import type { AdaptorOptions } from "./options.ts";
import { Releases } from "./releases.ts";
import { scratch } from "./struct.ts";
import { Tiers } from "./tiers.ts";
import { UsageRules } from "./usage_rules.ts";

/** A device whose native buffers are the adaptor's affair. */
export class AdaptorDevice {
  /** Its handle. */
  readonly handle: bigint;
  /** The physical device it is of. */
  readonly gpu: GpuFacts;
  /** What it was made with. */
  readonly plan: DevicePlan;
  /** The commands of its instance, below the adaptor. */
  readonly instance: Below;
  /** What the adaptor was told. */
  readonly options: AdaptorOptions;
  /** Its images that are buffers, by handle. */
  readonly images = new Map<bigint, NativeImage>();
  /** Which tier images are on. */
  readonly tiers: Tiers;
  /** How gralloc lays buffers out for it. */
  readonly rules: UsageRules;
  /** The beginning of frames. */
  readonly acquires: Acquires;
  /** The end of frames. */
  readonly releases: Releases;
  readonly #below: Below;
  #queue: bigint | undefined;

  /** Takes part in a device that was just made. */
  constructor(parts: { layer: Layer; handle: bigint; gpu: GpuFacts; plan: DevicePlan; options: AdaptorOptions }) {
    ({ handle: this.handle, gpu: this.gpu, plan: this.plan, options: this.options } = parts);
    this.instance = new Below(parts.layer, parts.gpu.handle);
    this.#below = new Below(parts.layer, parts.handle);
    this.tiers = new Tiers(this);
    this.rules = new UsageRules(this);
    this.acquires = new Acquires(this);
    this.releases = new Releases(this);
  }

  /** The device's commands, below the adaptor. */
  get commands(): RawCommands {
    return this.#below.commands;
  }

  /** The suffix of commands that came with Vulkan 1.2. */
  get suffix12(): "" | "KHR" {
    return this.gpu.version >= VERSION.V1_2 ? "" : "KHR";
  }

  /** Where the queue for acquire operations is. */
  get place(): QueuePlace | undefined {
    return this.plan.queue;
  }

  /** The queue for acquire operations; 0n when the device has no queue. */
  get queue(): bigint {
    return this.#queue ??= this.#getQueue();
  }

  /** Says why something is not as it was asked. */
  say(sentence: string): void {
    this.options.log?.(sentence);
  }

  /** Frees everything that is the adaptor's on the device, which is about to be destroyed. */
  close(): void {
    this.releases.close();
    this.acquires.close();
    for (const image of [...this.images.values()]) image.close();
    this.rules.close();
  }

  #getQueue(): bigint {
    const { place } = this;
    if (!place) return 0n;
    return scratch(() => {
      const memory = arena(), out = memory.address(memory.alloc(8));
      this.commands.vkGetDeviceQueue(this.handle, place.family, place.index, out);
      return peek64(out);
    });
  }
}
