import { type BufferLayout, registerLayout } from "../buffer/layout.ts";
import type { BufferRequest } from "../buffer/check_request.ts";
import { USAGE } from "../buffer/usage.ts";
import { colorFormatsOf, type ImageKind } from "./image_support.ts";
import { IMAGE_USAGE } from "./constants.ts";
import { driverLayout } from "./driver_layout.ts";
import type { TieredDevice } from "./tiers.ts";
import { VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID } from "../../loader/gen/native_gen.ts";

/** The image usage for which gralloc has a bit; other usage is refused. */
const RENDERED = IMAGE_USAGE.COLOR_ATTACHMENT | IMAGE_USAGE.TRANSFER_DST | IMAGE_USAGE.STORAGE;
const READ = IMAGE_USAGE.TRANSFER_SRC | IMAGE_USAGE.SAMPLED | IMAGE_USAGE.STORAGE | IMAGE_USAGE.INPUT_ATTACHMENT;

/** Gralloc usage bits of producer and consumer. */
export interface GrallocUsage {
  readonly consumer: bigint;
  readonly producer: bigint;
}

/** The layout rules of a device, one for each kind of image that was requested. */
export class UsageRules {
  readonly #device: TieredDevice;
  readonly #rules = new Map<string, { readonly usage: bigint; forget(): void }>();

  /** Without rules yet. */
  constructor(device: TieredDevice) {
    this.#device = device;
  }

  /** Returns the usage bits for allocating an image's buffers; `undefined` if such images are impossible. */
  usageFor(format: number, usage: number, swapchainUsage: number): GrallocUsage | undefined {
    if (usage === 0 || (usage & ~(RENDERED | READ)) !== 0 || colorFormatsOf(format).length === 0) return undefined;
    const kind = { format, usage, flags: 0 };
    if (!this.#device.tiers.of(kind)) return undefined;
    const drawn = (usage & RENDERED) !== 0 ? USAGE.GPU_RENDER_TARGET : 0n;
    const shared = (swapchainUsage & VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID) !== 0 ? USAGE.FRONT_BUFFER : 0n;
    return {
      consumer: (usage & READ) !== 0 ? USAGE.GPU_TEXTURE : 0n,
      producer: drawn | shared | this.#ruleFor(kind).usage,
    };
  }

  /** Ends the rules. Buffers that were laid out by them stay unchanged. */
  close(): void {
    for (const rule of this.#rules.values()) rule.forget();
    this.#rules.clear();
  }

  #ruleFor(kind: ImageKind): { readonly usage: bigint } {
    const key = `${kind.format} ${kind.usage}`;
    let rule = this.#rules.get(key);
    if (!rule) this.#rules.set(key, rule = registerLayout((request) => this.#layout(kind, request)));
    return rule;
  }

  #layout(kind: ImageKind, { width, height }: BufferRequest): BufferLayout | undefined {
    const { tier, memory } = this.#device.tiers.of(kind)!;
    const layout = tier === "staging" ? undefined : driverLayout(this.#device, { ...kind, width, height }, tier);
    return layout && (memory === "anonymous" || memory === "dma-buf" ? { ...layout, memory } : layout);
  }
}
