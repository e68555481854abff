import { rethrowFault } from "../../ffi/error.ts";
import { readCString } from "../../ffi/cstring.ts";
import { invokeAddress, peek64 } from "../../ffi/machine.ts";
import { DeviceChain } from "../chain/device_chain.ts";
import type { InstanceChain } from "../chain/instance_chain.ts";
import type { LayerExtension } from "../layer.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import type { VkAllocationCallbacks, VkInstance } from "../gen/types_core_gen.ts";
import { chainExtensions, deviceExtensions } from "../chain/bottom/driver_instance.ts";
import { enabledExtensions } from "../driver/structs/create_info.ts";
import { writeExtensionList } from "../driver/interface/extension_list.ts";
import type { Layer, LayerPlace } from "../layer.ts";
import { handOver } from "../layers/define/object_states.ts";
import type { NewCommands } from "../layers/hooks/new_commands.ts";
import { viewOfTable } from "../layers/hooks/below.ts";
import { Presence } from "../layers/hooks/chain_view.ts";
import type { LayerGroups, LayerPlaces } from "../layers/hooks/places.ts";
import { type LayerProperties, writeLayerList } from "../layers/choice/tell.ts";
import type { Entrances, Entry } from "../install/entrances.ts";
import type { Interposer } from "../interposers/interposer.ts";
import { DeviceScope } from "./device_scope.ts";
import { tableProcAddr } from "./proc_addr.ts";
import { creationAdvice, missingAdvice, surfaceFault } from "../chain/failed_creation.ts";
import { INSTANCE, PHYSICAL_DEVICE, Scope } from "./scope.ts";
import { carryOut, isPutOff } from "./closing.ts";
import { keptAllocator } from "../driver/structs/allocator.ts";
import { VK_ERROR_EXTENSION_NOT_PRESENT } from "../gen/native_gen.ts";

/** The parts of a loader that an instance needs. */
export interface InstanceOwner {
  /** The instance's TypeScript layers. */
  readonly groups: LayerGroups;
  /** Tells layers of the calls that other threads made of hooked commands; returns of how many. */
  drain(): number;
  /** The number of such calls that were lost. */
  lostCalls(): number;
  /** The interposers of TypeScript layers below native ones, top to bottom. */
  readonly interposers: readonly Interposer[];
  /** The instance's layers, as vkEnumerateDeviceLayerProperties lists them. */
  listed(): readonly LayerProperties[];
  /** The device extensions that a layer of the machine declares, in the chain or not; none if there is no such layer. */
  declared(layer: string): readonly LayerExtension[];
  /** Commands that layers add and that the registry does not have. */
  readonly added: NewCommands;
  /** Called before a device is created. */
  makesDevice(info: bigint): void;
  /**
   * Called when no device is created because nobody provides these extensions.
   * The list is empty if the count has no array.
   */
  refusesDevice(extensions: readonly string[]): void;
  /** Called after native code has called a command that is not there. */
  lacks(text: string): void;
  /** Called after a device was created, with the address of its VkDeviceCreateInfo. */
  madeDevice(info: bigint): void;
  /** The functions through which native code enters; `undefined` while the loader is not installed. */
  entrances(): Entrances | undefined;
  /** The allocator of the creation. {@linkcode InstanceScope.close} destroys the instance with the same allocator. */
  readonly allocator: VkAllocationCallbacks | undefined;
  /** Called when the instance is gone. */
  forget(instance: InstanceScope): void;
}

const KINDS = { VkInstance: INSTANCE, VkPhysicalDevice: PHYSICAL_DEVICE } as const;

/** A live instance: its chain, its object, the objects of its physical devices, and its devices. */
export class InstanceScope {
  /** The native part. */
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

  /** Takes ownership of a new chain. */
  constructor(chain: InstanceChain, owner: InstanceOwner) {
    this.chain = chain;
    this.#groups = owner.groups;
    this.#owner = owner;
    this.#scope = new Scope({
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
      actions: this,
    }, KINDS);
    this.instance = this.#scope.make("VkInstance", chain.handle) as VkInstance;
    const view = viewOfTable(chain.table, () => this.#groups.of(0), (command) => this.#scope.bottom(command));
    this.#presence = new Presence(chain.table, view, owner.added);
  }

  /** Whether native code has destroyed the object without TypeScript. Then only {@linkcode destroy} may be called. */
  get isOrphan(): boolean {
    return this.chain.table.isOrphan;
  }

  /** Sets the functions through which native code enters, here and on the devices. */
  enter(entrances: Entrances): void {
    const { table, handle } = this.chain, { raw } = this.#scope;
    entrances.prepare(this.#groups.of(0));
    this.#entry ??= entrances.open({
      table,
      handle,
      raw,
      layers: () => this.#groups.of(0),
      tell: (text) => this.#owner.lacks(text),
      isNative: this.#isNative,
      listed: () => this.#owner.listed(),
    });
    for (const device of this.#devices.values()) device.enter(entrances);
  }

  /** Hooks above all native layers run before the commands. */
  get #isNative(): boolean {
    return !this.#groups.hasInterposers && !this.chain.driver.mayWait;
  }

  /** Inserts a TypeScript layer; see {@linkcode LayerPlaces.attach}. */
  attach(layer: Layer, place?: LayerPlace): void {
    this.change((places) => places.attach(layer, place));
  }

  /** Removes a TypeScript layer. Throws a `TypeError` if the layer is not in the chain. */
  detach(layer: Layer): void {
    this.change((places) => places.detach(layer));
  }

  /** Puts a TypeScript layer in the place of another. Throws a `TypeError` if the other is not in the chain. */
  replace(old: Layer, layer: Layer): void {
    const change = (places: LayerPlaces<Layer>) => places.replace(old, layer);
    this.tryOut(change);
    this.handOver(old, layer);
    this.change(change);
  }

  /** Tells layers of the calls of other threads; see {@linkcode InstanceOwner.drain}. */
  drain(): number {
    return this.#owner.drain();
  }

  /** The number of such calls that were lost. */
  get lostCalls(): number {
    return this.#owner.lostCalls();
  }

  /** Whether a command of the instance or of its physical devices can be called. */
  supports(command: string): boolean {
    return this.#scope.supports(command);
  }

  /** Whether a TypeScript layer is in the chain. */
  has(layer: Layer): boolean {
    return this.#groups.all.includes(layer);
  }

  /** Lets a layer keep what another knows whose place it will take here. What `onReplace` throws, the caller gets. */
  handOver(old: Layer, layer: Layer): void {
    this.#sweep();
    const handles = [this.chain.handle, ...this.#devices.keys()];
    handOver(old, layer, this.chain.handle, handles.map(peek64));
  }

  /** Throws what a change of the layers would throw, and changes nothing. */
  tryOut(change: (places: LayerPlaces<Layer>) => void): void {
    change(this.#groups.copy());
  }

  /** Changes the layers of the instance and its devices, from the next command on. */
  change(change: (places: LayerPlaces<Layer>) => void): void {
    this.#sweep();
    change(this.#groups);
    this.#owner.added.prepare(this.#groups.all);
    this.#presence.refresh();
    this.#owner.entrances()?.prepare(this.#groups.of(0));
    this.#scope.refresh();
    this.#entry?.refresh();
    for (const device of this.#devices.values()) device.refresh();
    this.#owner.interposers.forEach((interposer, index) => {
      interposer.prepare(this.#groups.of(index + 1));
      interposer.refresh();
    });
  }

  /** Whether a hook of a command of the instance or of its devices is running. */
  get isAmid(): boolean {
    return this.#scope.isAmid || this.#devices.values().some((device) => device.isAmid);
  }

  /**
   * Destroys the remaining devices, then the instance. During one of their
   * hooks or a message handler, destroys them afterwards. A second call does
   * nothing.
   */
  close(): void {
    if (!this.#open || isPutOff(this.isAmid, () => this.close())) return;
    const { allocator } = this.#owner;
    if (allocator || this.#groups.all.length > 0) this.instance.vkDestroyInstance(allocator);
    else this.destroy(0n); // nobody would see the command
  }

  /** Destroys the instance. Remaining devices are destroyed first, because their tables would dangle. */
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

  /** Frees the remains of devices that native code has destroyed. */
  #sweep(): void {
    for (const device of [...this.#devices.values()]) if (device.isOrphan) device.destroy(0n);
  }

  /**
   * A chain without native layers does not know the layers' names below. On
   * Android, TypeScript layers are then the only layers.
   */
  #listExtensions([gpu, layer, count, out]: bigint[]): number {
    const name = readCString(layer), own = this.#groups.all.find((each) => each.name === name);
    const { layers, driver } = this.chain;
    const isBelow = driver.filtersItself || layers && this.chain.elements.some((each) => each.name === name);
    if (own || (name !== "" && !isBelow)) {
      return writeExtensionList(own?.deviceExtensions ?? this.#owner.declared(name), count, out);
    }
    const asked = name === "" ? 0n : layer;
    return invokeAddress(chainExtensions(this.chain.table), "s:qqqq", [gpu, asked, count, out]) as number;
  }

  /**
   * Returns the extensions of a VkDeviceCreateInfo that nobody provides, or the
   * VkResult of listing them; `undefined` if the count has no array.
   */
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
    this.#owner.makesDevice(info);
    const chain = DeviceChain.create({ instance: this.chain, physicalDevice: gpu, info, allocator, out });
    surfaceFault(chain, allocator);
    if (typeof chain === "number") return chain;
    this.#owner.madeDevice(info);
    this.#sweep();
    const owner = {
      layers: () => this.#groups.of(0),
      added: this.#owner.added,
      lacks: (text: string) => this.#owner.lacks(text),
      enter: enterBy(this.#groups),
      isNative: this.#isNative,
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

/** Without interposers below native layers, no hook can run there. */
function enterBy(groups: LayerGroups): ((command: string) => void) | undefined {
  return groups.hasInterposers ? (command) => groups.checkOutside(command) : undefined;
}
