import { VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_TRANSFER_BIT } from "../../../loader/gen/native_gen.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";

/** Families that can do transfers without the transfer flag. */
const GRAPHICS_OR_COMPUTE = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;

/** The facts about a queue family. */
export interface Family {
  /** The capabilities of its queues. */
  readonly queueFlags: number;
  /** The number of its queues. */
  readonly queueCount: number;
}

/** Maps the queues of the recording to those of the replaying device. */
export class Queues {
  readonly #recorded: readonly Family[];
  readonly #here: readonly Family[];
  /** For each recorded family, the index in the new family of its first queue. */
  readonly #firsts = new Map<number, number>();

  /** Takes the families of both. */
  constructor(recorded: readonly Family[], here: readonly Family[]) {
    this.#recorded = recorded;
    this.#here = here;
  }

  /**
   * Returns the family with all capabilities of a recorded one, and few others.
   * Throws a `TypeError` if there is none.
   */
  family(index: number): number {
    const wanted = this.#recorded[index]?.queueFlags ?? this.#here[index]?.queueFlags ?? 0;
    const same = this.#here[index]?.queueFlags === wanted ? index : -1;
    const exact = same >= 0 ? same : this.#here.findIndex(({ queueFlags }) => queueFlags === wanted);
    const found = exact >= 0 ? exact : this.#here.findIndex(({ queueFlags }) => can(queueFlags, wanted));
    if (found >= 0) return found;
    throw new TypeError(`no queue family of this device can do 0x${wanted.toString(16)} (VkQueueFlagBits)`);
  }

  /**
   * Returns the queue infos for a new device. Several recorded families may
   * share one, and there may be fewer queues.
   */
  infos(recorded: readonly StructObject[]): (StructObject & { pQueuePriorities: number[] })[] {
    const merged = new Map<number, StructObject & { pQueuePriorities: number[] }>();
    for (const info of recorded) {
      const index = this.family(info.queueFamilyIndex as number), known = merged.get(index);
      this.#firsts.set(info.queueFamilyIndex as number, known?.pQueuePriorities.length ?? 0);
      const all = [...known?.pQueuePriorities ?? [], ...info.pQueuePriorities as number[]];
      const pQueuePriorities = all.slice(0, this.#here[index].queueCount);
      merged.set(index, { ...known ?? info, queueFamilyIndex: index, pQueuePriorities });
    }
    return [...merged.values()];
  }

  /** Returns the family of a new device whose first queue copies and clears; undefined if there is none. */
  copying(infos: readonly StructObject[]): number | undefined {
    const found = infos.find(({ queueFamilyIndex, flags = 0 }) =>
      flags === 0 &&
      (this.#here[queueFamilyIndex as number].queueFlags & (GRAPHICS_OR_COMPUTE | VK_QUEUE_TRANSFER_BIT)) !== 0
    );
    return found?.queueFamilyIndex as number | undefined;
  }

  /** Returns the index in its new family of a recorded queue. */
  index(family: number, index: number): number {
    return ((this.#firsts.get(family) ?? 0) + index) % this.#here[this.family(family)].queueCount;
  }
}

function can(flags: number, wanted: number): boolean {
  const all = (flags & GRAPHICS_OR_COMPUTE) !== 0 ? flags | VK_QUEUE_TRANSFER_BIT : flags;
  return ((wanted & (GRAPHICS_OR_COMPUTE | VK_QUEUE_TRANSFER_BIT)) & ~all) === 0;
}
