import type { Vulkan } from "../../../loader/api/vulkan.ts";
import { resultKey } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import type { VkBuffer, VkDevice, VkInstance, VkPhysicalDevice, VkQueue } from "../../../loader/gen/types_core_gen.ts";
import type { RecordedCall } from "../record/line.ts";
import { handleOutputs, namesIn, Objects } from "../state_tracker/objects.ts";
import { methodArguments, type ParsedCall } from "./arguments.ts";
import { Addresses } from "./addresses.ts";
import type { Worker } from "./carry_out.ts";
import { type Choice, chooseDevices } from "./choose.ts";
import type { Limits } from "./limits.ts";
import { type MemoryTypes, propertiesOfTypes, type ReplayedMemory } from "./memory.ts";
import type { Meaning } from "./parse.ts";
import { RecordingError } from "./error.ts";
import { Queues } from "./queues.ts";
import type { ReplayOptions, ReplayReport } from "./options.ts";
import type { Recording } from "./recording_file.ts";
import { type Copier, copyOut } from "./copy_out.ts";
import type { ReplayedSwapchain } from "./swapchain.ts";
import { canGiveAgain } from "./needs.ts";
import { Flow, heldText } from "../state_tracker/flow.ts";
import { Owed } from "./owed.ts";
import { finish, settle } from "./waits.ts";
import type { Survey } from "./survey.ts";

/** The methods of an object by name. */
// deno-lint-ignore no-explicit-any -- the command is known only by its name
type Methods = Record<string, (...args: any[]) => any>;

/** A created object. */
export interface Made {
  /** The handle here, or the object on which commands are called. */
  readonly value: bigint | { readonly handle: bigint };
  /** The name of the owner. */
  readonly owner: string | undefined;
  /** The command that created the object. */
  readonly command: string;
}

/** The physical device in place of a recorded one, for one device. */
export interface Place {
  /** The physical device. */
  readonly gpu: VkPhysicalDevice;
  /** The queues in place of the recorded ones. */
  readonly queues: Queues;
  /** The memory types of both. */
  readonly types: MemoryTypes;
  /** The limits of the physical device. */
  readonly limits: Limits;
  /** Whether buffers and memory can have the recorded addresses. */
  readonly givesAgain: boolean;
}

/** A running replay: the objects in place of the recorded ones. */
export class Session implements Meaning {
  /** The loader. */
  readonly vulkan: Vulkan;
  /** The recording's needs. */
  readonly survey: Survey;
  /** The caller's options. */
  readonly options: ReplayOptions;
  /** Recorded allocations by name. */
  readonly memories: Map<string, ReplayedMemory> = new Map();
  /** The memory that shaders reach by addresses. */
  readonly addresses: Addresses = new Addresses();
  /** The VkQueryType of query pools. */
  readonly queryTypes: Map<string, number> = new Map();
  /** The images in place of recorded swapchains. */
  readonly swapchains: Map<string, ReplayedSwapchain> = new Map();
  /** The recorded sizes of buffers. */
  readonly sizes: Map<string, number> = new Map();
  /** The queue families of queues, by their handles. */
  readonly families: Map<bigint, number> = new Map();
  /** For devices, by their handles, the queue family of a queue that copies. */
  readonly copying: Map<bigint, number> = new Map();
  /** The order in which submissions go to the device. */
  readonly flow: Flow = new Flow();
  /** The semaphores that window systems would signal and wait for. */
  readonly owed: Owed = new Owed();
  /** Milliseconds that a wait may take. */
  readonly timeout: number;
  /** The number of submissions so far. */
  submissions = 0;
  /** Number of the current line, from 1. */
  line = 0;
  /** Whether a device never finished its work, so that nothing of it can be destroyed and its driver must stay. */
  isStuck = false;
  readonly #data: Recording["data"];
  /** The recorded objects: which end with which. */
  readonly #objects = new Objects();
  readonly #made = new Map<string, Made>();
  readonly #choice: Choice;
  /** The physical devices of instances. */
  readonly #gpus = new Map<string, readonly VkPhysicalDevice[]>();
  readonly #places = new Map<string, Place>();
  /** The place of the device that the current line is about. */
  #here: Place | undefined;
  readonly #guests = new Map<string, Disposable>();
  readonly #moved = new Set<string>();
  #calls = 0;
  #again: string | undefined;
  readonly #deviceNames = new Set<string>();

  /** Begins a replay of a recording that was checked. {@linkcode within} destroys what it makes. */
  constructor(vulkan: Vulkan, { data }: Recording, survey: Survey, options: ReplayOptions) {
    this.vulkan = vulkan;
    this.survey = survey;
    this.options = options;
    this.timeout = options.timeout ?? DEFAULT_TIMEOUT;
    this.#choice = chooseDevices(vulkan, survey);
    this.#data = data;
  }

  /** The result so far. */
  get report(): ReplayReport {
    const held = this.flow.held.map((each) => heldText([each]));
    return {
      deviceName: [...this.#deviceNames].join("; "),
      calls: this.#calls,
      moved: [...this.#moved],
      held,
      again: this.#again,
    };
  }

  /** Nanoseconds that a wait may take. */
  get patience(): bigint {
    return BigInt(Math.round(this.timeout * 1e6));
  }

  /** Returns the handle for a recorded name. */
  handle(type: string, name: unknown): bigint {
    if (type === "VkPhysicalDevice") return this.#here?.gpu.handle ?? NOWHERE;
    const { value } = this.#find(name as string);
    return typeof value === "bigint" ? value : value.handle;
  }

  /** Returns the bytes of a hash. */
  data(hash: string): Uint8Array<ArrayBuffer> {
    return this.#data(hash);
  }

  /** Returns the queue family in place of a recorded one. */
  family(index: number): number {
    return this.#here?.queues.family(index) ?? index;
  }

  /** Returns the object for a recorded name. */
  object(name: string | undefined): Methods {
    if (name === undefined) return this.vulkan as unknown as Methods;
    return this.#find(name).value as unknown as Methods;
  }

  /** Returns the device that an object belongs to. */
  device(name: string): VkDevice {
    return this.object(name) as unknown as VkDevice;
  }

  /** Turns to the device that a call is about, which the call may be about to make. Returns its place, if there is one. */
  turn({ command, args, out }: RecordedCall): Place | undefined {
    if (command === "vkCreateDevice") return this.#here = this.#newPlace(out!.pDevice);
    const device = this.deviceOf(args[findCommand(command)?.params[0]?.name ?? ""]);
    return this.#here = device === undefined ? undefined : this.#places.get(device);
  }

  /** Returns the name of the device that an object belongs to; `undefined` for instances and what belongs to them. */
  deviceOf(name: unknown): string | undefined {
    if (typeof name !== "string") return undefined;
    if (name.startsWith("VkDevice#")) return name;
    return this.deviceOf(this.#made.get(name)?.owner);
  }

  /** Returns the place of a device. */
  place(device: string): Place {
    return this.#places.get(device)!;
  }

  #newPlace(device: string): Place {
    const { needs, instance } = this.survey.device(device), { facts } = needs;
    const gpu = this.#gpus.get(instance)![this.#choice.get(needs)!], recorded = this.survey.memoryTypes(facts);
    const { deviceName, limits } = gpu.vkGetPhysicalDeviceProperties();
    this.#deviceNames.add(deviceName);
    const queues = new Queues(facts.families ?? [], gpu.vkGetPhysicalDeviceQueueFamilyProperties());
    const place = {
      gpu,
      queues,
      types: { here: propertiesOfTypes(gpu), recorded },
      limits,
      givesAgain: canGiveAgain(gpu, needs),
    };
    this.#places.set(device, place);
    return place;
  }

  /** Takes ownership of an instance, with its physical devices. */
  enter(name: string, instance: VkInstance): void {
    const gpus = instance.vkEnumeratePhysicalDevices(), needs = this.survey.firstOf(name);
    this.#gpus.set(name, gpus);
    const gpu = gpus[(needs && this.#choice.get(needs)) ?? [...this.#choice.values()][0] ?? 0];
    const guest = gpu && this.options.onInstance?.(instance, gpu);
    if (guest) this.#guests.set(name, guest);
  }

  /** Destroys an instance or a device, after everything that is left of it, latest first. */
  leave(name: string): void {
    const isDevice = name.startsWith("VkDevice#");
    if (isDevice) {
      this.isStuck ||= !finish(this, name);
      if (!this.isStuck) {
        for (const [each, { device }] of this.swapchains) if (device === name) this.endSwapchain(each);
      }
    }
    for (const [each, { owner }] of [...this.#made].reverse()) {
      if (!isDevice && each.startsWith("VkDevice#") && this.survey.device(each).instance === name) this.leave(each);
      else if (owner === name && !this.isStuck) this.#destroy(each);
    }
    if (!isDevice) this.#guests.get(name)?.[Symbol.dispose]();
    if (!this.isStuck) this.object(name).close();
    for (const each of [this.#made, this.#gpus, this.#places, this.#guests]) each.delete(name);
  }

  /** Destroys the images in place of a swapchain's. */
  endSwapchain(name: string): void {
    for (const image of this.swapchains.get(name)?.close() ?? []) this.#forget(image);
    this.swapchains.delete(name);
    this.#forget(name);
  }

  /** Returns the place to copy on a queue of a device. */
  copier(device: string, queue: VkQueue): Copier {
    return {
      gpu: this.place(device).gpu,
      device: this.device(device),
      queue,
      family: this.families.get(queue.handle)!,
      patience: this.patience,
    };
  }

  /** Returns a queue of a device for commands of the replay itself; undefined if no queue copies. */
  worker(name: string): Worker | undefined {
    const device = this.device(name), family = this.copying.get(device.handle);
    if (family === undefined) return undefined;
    return { device, family, queue: device.vkGetDeviceQueue(family, 0), patience: this.patience };
  }

  /** Waits, but not for ever, until the device has finished work whose end nobody was seen waiting for. */
  settle(): void {
    settle(this);
  }

  /** Keeps an object of the replay itself until its device is destroyed. */
  keep(name: string, made: Made): void {
    this.#made.set(name, made);
  }

  /** Returns the name of a queue of a device. */
  queueOf(device: string): string {
    const name = [...this.#made].find(([each, { owner }]) => each.startsWith("VkQueue#") && owner === device)?.[0];
    if (name === undefined) throw new TypeError("no line before asks for a queue");
    return name;
  }

  /** Repeats a call and remembers its outputs. Returns the method's result. */
  call(call: RecordedCall, parsed: ParsedCall): unknown {
    const result = this.object(parsed.self)[call.command](...methodArguments(parsed));
    this.#calls++;
    const outputs = handleOutputs(parsed.plan);
    for (const { name } of outputs) {
      const alone = parsed.plan.outputs.length === 1 && !parsed.plan.returnsResult;
      this.name(call, call.out?.[name], alone ? result : result[resultKey(name)]);
    }
    return result;
  }

  /** Tells of a call within which the recorded program ended, before the call is made again. */
  unfinished({ command }: RecordedCall): void {
    this.#again = `line ${this.line}, ${command}`;
    this.options.onUnfinished?.(this.line, command);
  }

  /** Makes a call that only asks, whose answer is not remembered. */
  ask(parsed: ParsedCall): unknown {
    return this.object(parsed.self)[parsed.plan.command.name](...methodArguments(parsed));
  }

  /** Stores outputs under their recorded names. */
  name({ command, args }: RecordedCall, names: unknown, values: unknown): void {
    const owner = args[findCommand(command)!.params[0].name];
    for (const [index, name] of namesIn(names).entries()) {
      const value = Array.isArray(values) ? values[index] : values;
      if (name === null || value === undefined) continue;
      this.#made.set(name, { value, owner, command });
    }
  }

  /** Notes the objects that a call made or ended, and forgets those that ended. */
  note(call: RecordedCall): void {
    for (const each of this.#objects.note(call)) this.#forget(each);
  }

  #forget(name: string): void {
    this.#made.delete(name);
    this.sizes.delete(name);
    this.queryTypes.delete(name);
    this.addresses.forget(name);
    this.flow.forget(name);
    this.owed.forget(name);
    if (/^Vk(Buffer|Image)#/.test(name)) { for (const memory of this.memories.values()) memory.leave(name); }
  }

  /** Notes that an object got memory of its own. */
  moved(name: string): void {
    this.#moved.add(name);
  }

  /**
   * Returns the contents of a buffer from an offset on, with recorded addresses
   * for those here. If the host cannot see them, a queue copies them.
   */
  read(buffer: string, offset: number, size: number, queue?: VkQueue): Uint8Array | undefined {
    const bytes = this.#read(buffer, offset, size, queue);
    return bytes && this.addresses.recorded(bytes, offset);
  }

  #read(buffer: string, offset: number, size: number, queue?: VkQueue): Uint8Array<ArrayBuffer> | undefined {
    const memory = [...this.memories.values()].find((each) => each.has(buffer));
    if (!memory) throw new TypeError(`Cannot read ${buffer}: no memory is bound to it; name a buffer of the recording`);
    const seen = memory.read(buffer, offset, size);
    if (seen || !queue) return seen;
    const srcBuffer = this.handle("VkBuffer", buffer) as VkBuffer,
      region = { srcOffset: BigInt(offset), size: BigInt(size) };
    const copier = this.copier(this.#find(buffer).owner!, queue);
    return copyOut(copier, size, (commands, to) => commands.vkCmdCopyBuffer(srcBuffer, to, [region]));
  }

  /**
   * Runs a replay, and destroys everything that is left then. If both fail, the replay's error is the one to tell:
   * destroying may fail because of it.
   */
  within<T>(replay: () => T): T {
    let value: T;
    try {
      value = replay();
    } catch (error) {
      this.#leaveAll();
      throw error;
    }
    const failure = this.#leaveAll();
    if (failure === undefined) return value;
    const sentence = `Cannot destroy what the replay made: ${failure.message}; use a driver that can`;
    throw new RecordingError("failed", 0, sentence, { cause: failure });
  }

  /** Destroys everything that is left. What cannot be destroyed stays, and the driver with it. */
  #leaveAll(): Error | undefined {
    try {
      for (const name of [...this.#made.keys()]) if (name.startsWith("VkInstance#")) this.leave(name);
    } catch (error) {
      this.isStuck = true;
      return error as Error;
    }
  }

  /** The command has the suffix of the command that created the object, or none. */
  #destroy(name: string): void {
    const { owner, command } = this.#find(name), [type] = name.split("#");
    const suffix = /(KHR|EXT)$/.exec(command)?.[0] ?? "", plain = `vkDestroy${type.slice(2)}`;
    if (type === "VkDeviceMemory") this.memories.get(name)?.free();
    else if (!FROM_OTHERS.includes(type)) {
      this.object(owner)[findCommand(plain + suffix) ? plain + suffix : plain](this.handle(type, name));
    }
    this.#made.delete(name);
  }

  #find(name: string): Made {
    const made = this.#made.get(name);
    if (made) return made;
    throw new TypeError(`no line before has made ${name} here`);
  }
}

/** Stands for a physical device that no device is made of. */
const NOWHERE = 1n;
/** Milliseconds to wait for a fence or semaphore, unless told otherwise. */
export const DEFAULT_TIMEOUT = 60_000;
/** Types that end with the pool or the device they came from. */
const FROM_OTHERS: readonly string[] = [
  "VkPhysicalDevice",
  "VkQueue",
  "VkCommandBuffer",
  "VkDescriptorSet",
  "VkSurfaceKHR",
  "VkSwapchainKHR",
];
