import type { StructObject } from "../codec/values/convert.ts";
import type { RecordedLine } from "../layers/shipped/record/line.ts";

/** VkQueueFlagBits of families that can do transfers without saying so. */
const GRAPHICS = 1, COMPUTE = 2, TRANSFER = 4;

/** What is known of a queue family. */
export interface Family {
  /** What its queues can do. */
  readonly queueFlags: number;
  /** How many it has. */
  readonly queueCount: number;
}

/** The queue families that a recording was told of; none where it did not ask. */
export function recordedFamilies(lines: readonly RecordedLine[]): Family[] {
  const asked = lines.findLast((line) =>
    "command" in line && line.command.startsWith("vkGetPhysicalDeviceQueueFamilyProperties")
  );
  const families: StructObject[] = asked && "out" in asked ? asked.out!.pQueueFamilyProperties : [];
  return families.map((each) => (each.queueFamilyProperties ?? each) as Family);
}

/** The queues of the device that replays, by those of the recording. */
export class Queues {
  readonly #recorded: readonly Family[];
  readonly #here: readonly Family[];
  /** Which queue of its new family the first of a recorded family is. */
  readonly #firsts = new Map<number, number>();

  /** Over the families of both. */
  constructor(recorded: readonly Family[], here: readonly Family[]) {
    this.#recorded = recorded;
    this.#here = here;
  }

  /** The family that can do what a recorded one could, and little else. Throws a `TypeError` when there is none. */
  family(index: number): number {
    const wanted = this.#recorded[index]?.queueFlags ?? this.#here[index]?.queueFlags ?? 0;
    const same = this.#here[index]?.queueFlags === wanted ? index : -1;
    const exact = same >= 0 ? same : this.#here.findIndex(({ queueFlags }) => queueFlags === wanted);
    const found = exact >= 0 ? exact : this.#here.findIndex(({ queueFlags }) => can(queueFlags, wanted));
    if (found >= 0) return found;
    throw new TypeError(`no queue family of this device can do 0x${wanted.toString(16)} (VkQueueFlagBits)`);
  }

  /** What to make a device with: recorded families may have become one, and have fewer queues. */
  infos(recorded: readonly StructObject[]): StructObject[] {
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

  /** Which queue of its new family a recorded queue is. */
  index(family: number, index: number): number {
    return ((this.#firsts.get(family) ?? 0) + index) % this.#here[this.family(family)].queueCount;
  }
}

function can(flags: number, wanted: number): boolean {
  const all = (flags & (GRAPHICS | COMPUTE)) !== 0 ? flags | TRANSFER : flags;
  return ((wanted & (GRAPHICS | COMPUTE | TRANSFER)) & ~all) === 0;
}
