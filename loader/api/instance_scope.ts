import { peek64 } from "../../ffi/machine.ts";
import type { InstanceChain } from "../chain/instance_chain.ts";
import type { Command } from "../command/table.ts";
import type { VkInstance } from "../gen/types_core_gen.ts";
import type { Layer } from "../layer.ts";
import type { Entrances, Entry } from "../install/entrances.ts";
import { handleBase, instanceBase } from "./bases.ts";
import { DeviceScope } from "./device_scope.ts";
import { tableProcAddr } from "./proc_addr.ts";
import { creationAdvice } from "./advice.ts";
import { layerProperties } from "./global_commands.ts";
import { Scope } from "./scope.ts";
import { surfaceFault } from "./surface_fault.ts";

/** The loader's side of an instance. */
export interface InstanceOwner {
  /** The TypeScript layers it begins with, top to bottom. */
  readonly layers: readonly Layer[];
  /** The names of all layers. */
  readonly names: readonly string[];
  /** Where native code enters; undefined while the loader is not installed. */
  entrances(): Entrances | undefined;
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
  #layers: readonly Layer[];
  #entry: Entry | undefined;
  #open = true;

  /** Takes over a chain that was just made. */
  constructor(chain: InstanceChain, owner: InstanceOwner) {
    this.chain = chain;
    this.#layers = owner.layers;
    this.#owner = owner;
    this.#scope = new Scope({
      types: ["VkInstance", "VkPhysicalDevice"],
      subject: "VkInstance",
      overrides: new Map<string, (...args: bigint[]) => unknown>([
        ["vkDestroyInstance", (_instance, allocator) => this.destroy(allocator)],
        ["vkCreateDevice", (gpu, info, allocator, out) => this.#createDevice(gpu, info, allocator, out)],
        ["vkEnumerateDeviceLayerProperties", (_gpu, count, out) => layerProperties(owner.names, count, out)],
        ["vkGetInstanceProcAddr", tableProcAddr(chain.table, "instance")],
      ]),
      has: (command: Command) => command.level === "instance" && chain.table.get(command.slot) !== 0n,
      layers: () => this.#layers,
      wrap: (type, handle) => this.#wrap(type, handle),
      advise: (result) => creationAdvice(chain.driver.path, result),
    }, { VkInstance: instanceBase(this), VkPhysicalDevice: handleBase("VkPhysicalDevice") });
    this.instance = this.#scope.make("VkInstance", chain.handle) as VkInstance;
  }

  /** Whether native code has destroyed it where TypeScript could not take part: then only {@linkcode destroy} is left. */
  get isOrphan(): boolean {
    return this.chain.table.isOrphan;
  }

  /** Lets native code in, here and on the devices. */
  enter(entrances: Entrances): void {
    const { table, handle } = this.chain, { raw } = this.#scope;
    entrances.prepare(this.#layers);
    this.#entry ??= entrances.open({ table, handle, raw, layers: () => this.#layers });
    for (const device of this.#devices.values()) device.enter(entrances);
  }

  /** Puts a TypeScript layer on top, for the instance and its devices, from the next command on. */
  attach(layer: Layer): void {
    this.#change([layer, ...this.#layers]);
  }

  /** Takes a TypeScript layer out. Throws a `TypeError` when it is not there. */
  detach(layer: Layer): void {
    if (!this.#layers.includes(layer)) {
      throw new TypeError(
        `Cannot detach ${layer.name}: it is not attached to this instance; pass the object that was attached`,
      );
    }
    this.#change(this.#layers.filter((each) => each !== layer));
  }

  /** Destroys what is left of the devices, then the instance. A second call does nothing. */
  close(): void {
    if (this.#open) this.instance.vkDestroyInstance();
  }

  /** Destroys the instance; devices left over go first, for their tables would dangle. */
  destroy(allocator: bigint): void {
    if (!this.#open) return;
    this.#open = false;
    this.#sweep();
    for (const device of [...this.#devices.values()]) device.close();
    this.#entry?.close();
    this.chain.destroy(allocator);
    this.#scope.close();
    this.#owner.forget(this);
  }

  #change(layers: readonly Layer[]): void {
    this.#sweep();
    this.#layers = layers;
    this.#owner.entrances()?.prepare(layers);
    this.#scope.refresh();
    this.#entry?.refresh();
    for (const device of this.#devices.values()) device.refresh();
  }

  /** Frees what is left of devices that native code has destroyed. */
  #sweep(): void {
    for (const device of [...this.#devices.values()]) if (device.isOrphan) device.destroy(0n);
  }

  #createDevice(gpu: bigint, info: bigint, allocator: bigint, out: bigint): number {
    const chain = this.chain.createDevice(gpu, info, allocator, out);
    surfaceFault(chain, allocator);
    if (typeof chain === "number") return chain;
    this.#sweep();
    const owner = { layers: () => this.#layers, forget: () => this.#devices.delete(chain.handle) };
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
