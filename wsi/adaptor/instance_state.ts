import type { Layer } from "../../loader/layer.ts";
import { Below } from "./below.ts";
import { IMAGE_USAGE } from "./constants.ts";
import { type GpuFacts, gpuFacts, type InstanceFacts } from "./gpu_facts.ts";
import type { AdaptorTier } from "./options.ts";
import { possibleTiers } from "./tiers.ts";

/** The assumed properties of an instance that is older than the adaptor: Vulkan 1.1 at least. */
export const UNKNOWN_INSTANCE: InstanceFacts = { version: 0x401000, extensions: new Set() };
/** VK_FORMAT_R8G8B8A8_UNORM. */
const RGBA_8888 = 37;

/** The known properties of an instance and its physical devices. */
export class InstanceState {
  /** The properties with which the instance was created. */
  readonly facts: InstanceFacts;
  readonly #below: Below;
  readonly #gpus = new Map<bigint, GpuFacts>();

  /** For a live instance, by any of its handles. */
  constructor(layer: Layer, handle: bigint, facts: InstanceFacts) {
    this.#below = new Below(layer, handle);
    this.facts = facts;
  }

  /** Returns the known properties of a physical device. */
  gpu(handle: bigint): GpuFacts {
    let facts = this.#gpus.get(handle);
    if (!facts) this.#gpus.set(handle, facts = gpuFacts(this.#below.commands, handle, this.facts));
    return facts;
  }

  /**
   * Whether images can be drawn into buffers directly (on the tier `only`, if
   * given), by the driver's word: there is no device yet to try it on.
   */
  canShare(gpu: bigint, only?: AdaptorTier): boolean {
    const kind = { format: RGBA_8888, usage: IMAGE_USAGE.COLOR_ATTACHMENT, flags: 0 };
    const tiers = possibleTiers(this.#below.commands, this.gpu(gpu), kind).map(({ tier }) => tier);
    return tiers.some((tier) => tier !== "staging" && (only === undefined || tier === only));
  }
}
