import { rethrowFault } from "../../ffi/fault.ts";
import { readCString } from "../../ffi/cstring.ts";
import { invoke, peek64 } from "../../ffi/machine.ts";
import { DeviceChain } from "../chain/device_chain.ts";
import type { InstanceChain } from "../chain/instance_chain.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import type { VkAllocationCallbacks, VkInstance } from "../gen/types_core_gen.ts";
import { deviceExtensions } from "../chain/bottom/driver_instance.ts";
import { enabledExtensions } from "../driver/structs/create_info.ts";
import { writeExtensionList } from "../driver/interface/extension_list.ts";
import type { Layer, LayerPlace } from "../layer.ts";
import type { NewCommands } from "../layers/hooks/new_commands.ts";
import { belowIn } from "../layers/hooks/below.ts";
import { type ChainView, Presence } from "../layers/hooks/chain_view.ts";
import type { LayerGroups } from "../layers/hooks/groups.ts";
import { type LayerProperties, writeLayerList } from "../layers/choice/tell.ts";
import { chainExtensions } from "../chain/bottom/device_extensions.ts";
import type { Entrances, Entry } from "../install/entrances.ts";
import type { Seat } from "../seats/seat.ts";
import { handleBase, instanceBase } from "./bases.ts";
import { DeviceScope } from "./device_scope.ts";
import { tableProcAddr } from "./proc_addr.ts";
import { creationAdvice, missingAdvice } from "../chain/advice.ts";
import { Scope } from "./scope.ts";
import { isPutOff } from "./amid.ts";
import { carryOut } from "./carry_out.ts";
import { keptAllocator } from "./kept_allocator.ts";
import { surfaceFault } from "../chain/surface_fault.ts";

const VK_ERROR_EXTENSION_NOT_PRESENT = -7;

/** The loader's side of an instance. */
export interface InstanceOwner {
  /** Its TypeScript layers. */
  readonly groups: LayerGroups;
  /** The places of those below native layers, top to bottom. */
  readonly seats: readonly Seat[];
  /** The layers it has, as vkEnumerateDeviceLayerProperties lists them. */
  listed(): readonly LayerProperties[];
  /** Commands that layers add and the registry does not know. */
  readonly added: NewCommands;
  /** Told when a device is about to be made. */
  makesDevice(): void;
  /** Told when none is made, because nobody has these extensions; of none, because there is no array to the count. */
  refusesDevice(extensions: readonly string[]): void;
  /** Told when a device was made, by which VkDeviceCreateInfo. */
  madeDevice(info: bigint): void;
  /** Where native code enters; undefined while the loader is not installed. */
  entrances(): Entrances | undefined;
  /** What it was made with; {@linkcode InstanceScope.close} destroys it with the same. */
  readonly allocator: VkAllocationCallbacks | undefined;
  /** Told when the instance is gone. */
  forget(instance: InstanceScope): void;
}

/** A live instance: its chain, its object, those of its physical devices, and its devices. */
export class InstanceScope {
  /** The native side. */
  readonly chain: InstanceChain;
  /** The instance's object. */
  readonly instance: VkInstance;
  readonly #scope: Scope;
  readonly #owner: InstanceOwner;
  readonly #gpus = new Map<bigint, object>();
  readonly #devices = new Map<bigint, DeviceScope>();
  readonly #groups: LayerGroups;
  #entry: Entry | undefined;
  readonly #presence: Presence;
  #advice: string | undefined;
  #open = true;

  /** Takes over a chain that was just made. */
  constructor(chain: InstanceChain, owner: InstanceOwner) {
    this.chain = chain;
    this.#groups = owner.groups;
    this.#owner = owner;
    this.#scope = new Scope({
      types: ["VkInstance", "VkPhysicalDevice"],
      subject: "VkInstance",
      overrides: new Map<string, (...args: bigint[]) => unknown>([
        ["vkDestroyInstance", (instance, allocator) => instance === 0n ? undefined : this.destroy(allocator)],
        ["vkCreateDevice", (gpu, info, allocator, out) => this.#createDevice(gpu, info, allocator, out)],
        ["vkEnumerateDeviceLayerProperties", (_gpu, count, out) => writeLayerList(owner.listed(), count, out)],
        ["vkEnumerateDeviceExtensionProperties", (...args) => this.#listExtensions(args)],
        ["vkGetInstanceProcAddr", tableProcAddr(chain.table, "instance")],
      ]),
      has: (command: Command) => command.level === "instance" && chain.table.has(command.slot),
      layers: () => this.#groups.of(0),
      enter: enterBy(this.#groups),
      wrap: (type, handle) => this.#wrap(type, handle),
      advise: (result) => this.#advice ?? creationAdvice(chain.driver.path, result),
    }, { VkInstance: instanceBase(this), VkPhysicalDevice: handleBase("VkPhysicalDevice") });
    this.instance = this.#scope.make("VkInstance", chain.handle) as VkInstance;
    const view: ChainView = {
      layers: () => this.#groups.of(0),
      bottom: (command: Command) => this.#scope.bottom(command),
      address: ({ slot }: Command) => chain.table.below(slot),
      below: (layer) => belowIn(view, layer),
    };
    this.#presence = new Presence(chain.table, view, owner.added);
  }

  /** Whether native code has destroyed it where TypeScript could not take part: then only {@linkcode destroy} is left. */
  get isOrphan(): boolean {
    return this.chain.table.isOrphan;
  }

  /** Lets native code in, here and on the devices. */
  enter(entrances: Entrances): void {
    const { table, handle } = this.chain, { raw } = this.#scope;
    entrances.prepare(this.#groups.of(0));
    this.#entry ??= entrances.open({
      table,
      handle,
      raw,
      layers: () => this.#groups.of(0),
      listed: () => this.#owner.listed(),
    });
    for (const device of this.#devices.values()) device.enter(entrances);
  }

  /** Puts a TypeScript layer in, for the instance and its devices, from the next command on; see {@linkcode LayerGroups.attach}. */
  attach(layer: Layer, place?: LayerPlace): void {
    this.#change(() => this.#groups.attach(layer, place));
  }

  /** Takes a TypeScript layer out. Throws a `TypeError` when it is not there. */
  detach(layer: Layer): void {
    this.#change(() => this.#groups.detach(layer));
  }

  /** Whether a TypeScript layer is in the chain. */
  has(layer: Layer): boolean {
    return this.#groups.all.includes(layer);
  }

  /** Puts a TypeScript layer in the place of another. Throws a `TypeError` when that is not there. */
  replace(old: Layer, layer: Layer): void {
    this.#change(() => this.#groups.replace(old, layer));
  }

  /** Whether a hook of one of its commands, or of its devices', is running. */
  get isAmid(): boolean {
    return this.#scope.isAmid || this.#devices.values().some((device) => device.isAmid);
  }

  /** Destroys what is left of the devices, then the instance; amid a hook of theirs or a message, afterwards. A second call does nothing. */
  close(): void {
    if (!this.#open || isPutOff(this.isAmid, () => this.close())) return;
    this.instance.vkDestroyInstance(this.#owner.allocator);
  }

  /** Destroys the instance; devices left over go first, for their tables would dangle. */
  destroy(allocator: bigint): void {
    if (!this.#open) return;
    this.#open = false;
    this.#sweep();
    carryOut([
      ...[...this.#devices.values()].map((device) => () => device.close()),
      () => {
        this.#entry?.close();
        this.#presence.end();
        this.chain.destroy(allocator);
        this.#scope.close();
        this.#owner.forget(this);
      },
      rethrowFault,
    ]);
  }

  #change(change: () => void): void {
    this.#sweep();
    change();
    this.#owner.added.prepare(this.#groups.all);
    this.#presence.refresh();
    this.#owner.entrances()?.prepare(this.#groups.of(0));
    this.#scope.refresh();
    this.#entry?.refresh();
    for (const device of this.#devices.values()) device.refresh();
    this.#owner.seats.forEach((seat, index) => {
      seat.prepare(this.#groups.of(index + 1));
      seat.refresh();
    });
  }

  /** Frees what is left of devices that native code has destroyed. */
  #sweep(): void {
    for (const device of [...this.#devices.values()]) if (device.isOrphan) device.destroy(0n);
  }

  /** Nothing below a chain without native layers knows the layers' names, but on Android; then TypeScript layers are all there are. */
  #listExtensions([gpu, layer, count, out]: bigint[]): number {
    const name = readCString(layer), own = this.#groups.all.find((each) => each.name === name);
    const { terminators, driver } = this.chain;
    if (own || (name !== "" && !terminators && !driver.filtersItself)) {
      return writeExtensionList(own?.deviceExtensions ?? [], count, out);
    }
    const asked = name === "" ? 0n : layer;
    return invoke(chainExtensions(this.chain.table), "s:qqqq", [gpu, asked, count, out]) as number;
  }

  /** The extensions a VkDeviceCreateInfo enables that no one has, or why they cannot be listed; `undefined` without an array to the count. */
  #missing(gpu: bigint, info: bigint): string[] | number | undefined {
    const names = enabledExtensions(info);
    if (!names || names.length === 0) return names;
    const layers = [...this.#groups.all, ...this.chain.elements].map((layer) => layer.deviceExtensions ?? []);
    const listed = deviceExtensions(chainExtensions(this.chain.table), gpu);
    if (typeof listed === "number") return listed;
    const known = new Set([...listed, ...layers.flat()].map(({ extensionName }) => extensionName));
    return names.filter((name) => !known.has(name));
  }

  #command(name: string): bigint {
    return this.chain.table.get(findCommand(name)!.slot);
  }

  #createDevice(gpu: bigint, info: bigint, allocator: bigint, out: bigint): number {
    const missing = this.#missing(gpu, info);
    if (typeof missing === "number") return missing;
    this.#advice = missing?.length === 0 ? undefined : missingAdvice("extensions", missing);
    if (this.#advice) {
      this.#owner.refusesDevice(missing ?? []);
      return VK_ERROR_EXTENSION_NOT_PRESENT;
    }
    this.#owner.makesDevice();
    const chain = DeviceChain.create({ instance: this.chain, physicalDevice: gpu, info, allocator, out });
    surfaceFault(chain, allocator);
    if (typeof chain === "number") return chain;
    this.#owner.madeDevice(info);
    this.#sweep();
    const owner = {
      layers: () => this.#groups.of(0),
      added: this.#owner.added,
      enter: enterBy(this.#groups),
      allocator: keptAllocator(allocator),
      forget: () => this.#devices.delete(chain.handle),
    };
    const device = new DeviceScope(chain, owner), entrances = this.#owner.entrances();
    this.#devices.set(peek64(out), device);
    if (entrances && this.#entry) device.enter(entrances);
    return 0;
  }

  #wrap(type: string, handle: bigint): object {
    if (type === "VkDevice") return this.#devices.get(handle)!.device;
    let gpu = this.#gpus.get(handle);
    if (!gpu) this.#gpus.set(handle, gpu = this.#scope.make(type, handle));
    return gpu;
  }
}

/** Without places below native layers no hook can run there. */
function enterBy(groups: LayerGroups): ((command: string) => void) | undefined {
  return groups.hasSeats ? (command) => groups.checkOutside(command) : undefined;
}
