import type { StructObject } from "../../../loader/codec/values/convert.ts";
import type { VkImageCreateInfo as Image } from "../../../loader/gen/types_core_gen.ts";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { NameSet } from "../state_tracker/names.ts";
import type { Family } from "./queues.ts";
import { imageInfo } from "./swapchain.ts";

/** The facts of a physical device that the program was told. A program need not ask for anything. */
export interface GpuFacts {
  /** The recorded name. */
  readonly name: string;
  /** The name that the driver gives the device. */
  deviceName?: string;
  /** The properties of each memory type. */
  memoryTypes?: readonly number[];
  /** The queue families. */
  families?: readonly Family[];
}

/** A device of the recording, with all that decides where it can be replayed. Equal devices of one physical device share one. */
export interface DeviceNeeds {
  /** The call that makes the device. */
  readonly call: RecordedCall;
  /** The recorded physical device. */
  readonly facts: GpuFacts;
  /** The call that makes the instance. */
  instance: RecordedCall;
  /** The facts that decide whether a device can make the images, each once. */
  readonly images: Map<string, Partial<Image>>;
}

/** A device of the recording by name. */
interface Device {
  readonly needs: DeviceNeeds;
  /** The instances that the device may belong to: one, unless the recording does not say which. */
  readonly instances: Set<string>;
}

/**
 * The facts of all lines that a replay must know before the first is carried out. A program that makes the same thing
 * again and again is remembered once. The facts stay when objects end, and are about the whole recording: the state
 * tracker, which knows one line, cannot give them.
 */
export class Survey {
  /** The allocations that the program maps or writes. */
  readonly mapped: NameSet = new NameSet();
  /** The opaque capture addresses of buffers and allocations. */
  readonly opaque: Map<string, bigint> = new Map();
  /** The allocations of buffers. */
  readonly #bindings = new Map<string, string>();
  readonly #instances = new Map<string, RecordedCall>();
  readonly #alive = new Map<string, RecordedCall>();
  readonly #gpus = new Map<string, { facts: GpuFacts; instance?: string }>();
  readonly #devices = new Map<string, Device>();
  readonly #needs = new Map<string, DeviceNeeds>();
  readonly #facts: GpuFacts[] = [];

  /** The calls that make instances, each create info once. */
  get instances(): readonly RecordedCall[] {
    return [...this.#instances.values()];
  }

  /** The devices, equal ones once. */
  get devices(): readonly DeviceNeeds[] {
    return [...this.#needs.values()];
  }

  /** Returns what a device needs, and the name of its instance. Throws a `TypeError` for a name that no line makes. */
  device(name: string): { readonly needs: DeviceNeeds; readonly instance: string } {
    const found = this.#devices.get(name);
    if (!found) throw new TypeError(`no line makes ${name}`);
    return { needs: found.needs, instance: [...found.instances][0] };
  }

  /** Returns the first device of an instance that may have several; `undefined` for an instance that only asks. */
  firstOf(instance: string): DeviceNeeds | undefined {
    return [...this.#devices.values()].find(({ instances }) => [...instances][0] === instance)?.needs;
  }

  /**
   * Returns the memory types of a recorded physical device; none if the
   * recording does not say. The types of another one are taken if the program
   * asked for no other types at all.
   */
  memoryTypes({ memoryTypes }: GpuFacts): readonly number[] {
    if (memoryTypes) return memoryTypes;
    const all = this.#facts.flatMap(({ memoryTypes }) => memoryTypes ? [memoryTypes] : []);
    return new Set(all.map((types) => types.join())).size === 1 ? all[0] : [];
  }

  /** Looks at a line. */
  note(line: RecordedLine): void {
    if ("write" in line) this.mapped.add(line.write);
    if ("command" in line) NOTES[line.command.replace(/(KHR|2|2KHR)$/, "")]?.(this, line);
  }

  /** Notes the allocation of a buffer. */
  bound(buffer: string, memory: string): void {
    this.#bindings.set(buffer, memory);
  }

  /** Notes what gives a buffer and its allocation their addresses again. */
  captured(buffer: string, opaque: NonNullable<RecordedCall["opaque"]>): void {
    this.opaque.set(buffer, BigInt(opaque.buffer));
    this.opaque.set(this.#bindings.get(buffer) ?? "", BigInt(opaque.memory));
  }

  /** Notes an image, unless a chain changes what its format can do: the driver then decides. */
  image(device: string, { format, imageType, tiling, usage, flags, pNext }: Partial<Image>): void {
    if (pNext) return;
    const info = { format, imageType, tiling, usage, flags };
    this.#devices.get(device)?.needs.images.set(JSON.stringify(info), info);
  }

  /** Notes an instance. */
  madeInstance(call: RecordedCall): void {
    const key = keyOf(call), known = this.#instances.get(key) ?? call;
    this.#instances.set(key, known);
    this.#alive.set(call.out?.pInstance, known);
  }

  /** Notes the physical devices of an instance. A handle that another instance had is another physical device now. */
  enumerated(instance: string, names: readonly string[]): void {
    for (const name of names) {
      const known = this.#gpus.get(name);
      if (known?.instance !== undefined && known.instance !== instance) this.#gpus.delete(name);
      this.#gpu(name).instance = instance;
    }
  }

  /** Returns what is known of a physical device. */
  facts(name: string): GpuFacts {
    return this.#gpu(name).facts;
  }

  /** Notes a device. */
  madeDevice(call: RecordedCall): void {
    const { facts, instance } = this.#gpu(call.args.physicalDevice), alive = [...this.#alive.keys()];
    const instances = new Set(instance === undefined ? alive : [instance]), [first] = instances;
    const owner = this.#alive.get(first);
    if (!owner) throw new TypeError("no line before makes the instance of the device; record from the start");
    const key = `${this.#facts.indexOf(facts)} ${keyOf(owner)} ${keyOf(call)}`;
    const needs = this.#needs.get(key) ?? { call, facts, instance: owner, images: new Map() };
    this.#needs.set(key, needs);
    this.#devices.set(call.out?.pDevice, { needs, instances });
  }

  /** Notes the end of an instance: a device that lives on belongs to another. */
  endedInstance(name: string): void {
    for (const { instances, needs } of this.#devices.values()) {
      if (instances.size < 2 || !instances.delete(name)) continue;
      needs.instance = this.#alive.get([...instances][0]) ?? needs.instance;
    }
    this.#alive.delete(name);
  }

  /** Notes the end of a device, whose instance may end now. */
  endedDevice(name: string): void {
    const instances = this.#devices.get(name)?.instances;
    for (const each of [...instances ?? []].slice(1)) instances!.delete(each);
  }

  #gpu(name: string): { facts: GpuFacts; instance?: string } {
    const known = this.#gpus.get(name);
    if (known) return known;
    const made = { facts: { name } };
    this.#facts.push(made.facts);
    this.#gpus.set(name, made);
    return made;
  }
}

const NOTES: Readonly<Record<string, (survey: Survey, call: RecordedCall) => void>> = {
  vkCreateInstance: (survey, call) => survey.madeInstance(call),
  vkDestroyInstance: (survey, { args }) => survey.endedInstance(args.instance),
  vkEnumeratePhysicalDevices: (survey, { args, out }) => survey.enumerated(args.instance, out?.pPhysicalDevices ?? []),
  vkCreateDevice: (survey, call) => survey.madeDevice(call),
  vkDestroyDevice: (survey, { args }) => survey.endedDevice(args.device),
  vkBindBufferMemory(survey, { args }) {
    for (const { buffer, memory } of args.pBindInfos ?? [args]) survey.bound(buffer, memory);
  },
  vkGetBufferDeviceAddress: (survey, { args, opaque }) => opaque && survey.captured(args.pInfo.buffer, opaque),
  vkCreateImage: (survey, { args }) => survey.image(args.device, args.pCreateInfo),
  vkCreateSwapchain: (survey, { args }) => survey.image(args.device, imageInfo(args.pCreateInfo)),
  vkMapMemory: ({ mapped }, { args }) => mapped.add(args.memory ?? args.pMemoryMapInfo?.memory),
  vkGetPhysicalDeviceProperties(survey, { args, out }) {
    const told = out?.pProperties;
    survey.facts(args.physicalDevice).deviceName = (told?.properties ?? told)?.deviceName;
  },
  vkGetPhysicalDeviceMemoryProperties(survey, { args, out }) {
    const told = out?.pMemoryProperties, types: StructObject[] = (told?.memoryProperties ?? told)?.memoryTypes ?? [];
    survey.facts(args.physicalDevice).memoryTypes = types.map(({ propertyFlags }) => propertyFlags as number);
  },
  vkGetPhysicalDeviceQueueFamilyProperties(survey, { args, out }) {
    const told: readonly StructObject[] = out?.pQueueFamilyProperties ?? [];
    survey.facts(args.physicalDevice).families = told.map((each) => (each.queueFamilyProperties ?? each) as Family);
  },
};

function keyOf({ args }: RecordedCall): string {
  return JSON.stringify(args.pCreateInfo, (_name, value) => typeof value === "bigint" ? `${value}` : value);
}
