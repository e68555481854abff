import type { StructObject } from "../codec/values/convert.ts";
import type { VkImageCreateInfo as Image } from "../gen/types_core_gen.ts";
import type { RecordedCall, RecordedLine } from "../layers/shipped/record/line.ts";
import { NameSet } from "./name_set.ts";
import type { Family } from "./queues.ts";
import { imageInfo } from "./swapchain.ts";

/**
 * What a replay must know of all lines before the first is carried out. A
 * program that makes the same thing again and again is remembered once.
 */
export class Survey {
  /** The allocations that the program maps. */
  readonly mapped: NameSet = new NameSet();
  /** Whether commands may wait for events that the host sets later. */
  hostSetsEvents = false;
  /** The properties of each memory type of the recording, as the program was told last. */
  memoryTypes: readonly number[] = [];
  /** The queue families of the recording, as the program was told last; none if the program did not ask. */
  families: readonly Family[] = [];
  readonly #instances = new Map<string, RecordedCall>();
  readonly #devices = new Map<string, RecordedCall>();
  readonly #images = new Map<string, Partial<Image>>();

  /** The calls that make instances, each create info once. */
  get instances(): readonly RecordedCall[] {
    return [...this.#instances.values()];
  }

  /** The calls that make devices, each create info once. */
  get devices(): readonly RecordedCall[] {
    return [...this.#devices.values()];
  }

  /** What decides whether a device can make the images, each once. */
  get images(): readonly Partial<Image>[] {
    return [...this.#images.values()];
  }

  /** Looks at a line. */
  note(line: RecordedLine): void {
    if ("command" in line) NOTES[line.command.replace(/(KHR|2|2KHR)$/, "")]?.(this, line);
  }

  /** Notes an image, unless a chain changes what its format can do: the driver then decides. */
  image({ format, imageType, tiling, usage, flags, pNext }: Partial<Image>): void {
    if (pNext) return;
    const info = { format, imageType, tiling, usage, flags };
    this.#images.set(JSON.stringify(info), info);
  }

  /** Notes an instance. */
  instance(call: RecordedCall): void {
    keepFirst(this.#instances, call);
  }

  /** Notes a device. */
  device(call: RecordedCall): void {
    keepFirst(this.#devices, call);
  }
}

const NOTES: Readonly<Record<string, (survey: Survey, call: RecordedCall) => void>> = {
  vkCreateInstance: (survey, call) => survey.instance(call),
  vkCreateDevice: (survey, call) => survey.device(call),
  vkCreateImage: (survey, { args }) => survey.image(args.pCreateInfo),
  vkCreateSwapchain: (survey, { args }) => survey.image(imageInfo(args.pCreateInfo)),
  vkMapMemory: ({ mapped }, { args }) => mapped.add(args.memory ?? args.pMemoryMapInfo?.memory),
  vkSetEvent(survey) {
    survey.hostSetsEvents = true;
  },
  vkGetPhysicalDeviceMemoryProperties(survey, { out }) {
    const told = out?.pMemoryProperties, types: StructObject[] = (told?.memoryProperties ?? told)?.memoryTypes ?? [];
    survey.memoryTypes = types.map(({ propertyFlags }) => propertyFlags as number);
  },
  vkGetPhysicalDeviceQueueFamilyProperties(survey, { out }) {
    const told: readonly StructObject[] = out?.pQueueFamilyProperties ?? [];
    survey.families = told.map((each) => (each.queueFamilyProperties ?? each) as Family);
  },
};

function keepFirst(known: Map<string, RecordedCall>, call: RecordedCall): void {
  const key = JSON.stringify(call.args.pCreateInfo, (_name, value) => typeof value === "bigint" ? `${value}` : value);
  if (!known.has(key)) known.set(key, call);
}
