import { rethrowFault } from "../../ffi/error.ts";
import type { DeviceChain } from "../chain/device_chain.ts";
import type { Command } from "../command/registry/table.ts";
import type { Layer } from "../layer.ts";
import type { VkAllocationCallbacks, VkDevice } from "../gen/types_core_gen.ts";
import type { NewCommands } from "../layers/hooks/new_commands.ts";
import { viewOfTable } from "../layers/hooks/below.ts";
import { Presence } from "../layers/hooks/chain_view.ts";
import type { Entrances, Entry } from "../install/entrances.ts";
import { tableProcAddr } from "./proc_addr.ts";
import { isPutOff } from "./closing.ts";
import { COMMAND_BUFFER, DEVICE, QUEUE, Scope } from "./scope.ts";

/** The parts of an instance that a device needs. */
export interface DeviceOwner {
  /** The current TypeScript layers, top to bottom. */
  layers(): readonly Layer[];
  /** Commands that layers add and that the registry does not have. */
  readonly added: NewCommands;
  /** Called after native code has called a command that is not there. */
  lacks(text: string): void;
  /** See {@linkcode ScopeParts.enter}. */
  readonly enter?: (command: string) => void;
  /** The allocator of the creation. {@linkcode DeviceScope.close} destroys the device with the same allocator. */
  readonly allocator: VkAllocationCallbacks | undefined;
  /** Called when the device is gone. */
  forget(device: DeviceScope): void;
}

const KINDS = { VkDevice: DEVICE, VkQueue: QUEUE, VkCommandBuffer: COMMAND_BUFFER } as const;

/** A live device: its chain, its object and those of its queues and command buffers. */
export class DeviceScope {
  /** The native part. */
  readonly chain: DeviceChain;
  /** The device's object. */
  readonly device: VkDevice;
  readonly #scope: Scope;
  readonly #owner: DeviceOwner;
  /** A queue is always the same object, however often it is queried. */
  readonly #queues = new Map<bigint, object>();
  #entry: Entry | undefined;
  readonly #presence: Presence;
  #open = true;

  /** Takes ownership of a new chain. */
  constructor(chain: DeviceChain, owner: DeviceOwner) {
    this.chain = chain;
    this.#owner = owner;
    this.#scope = new Scope({
      subject: "VkDevice",
      overrides: new Map([
        ["vkDestroyDevice", (device: bigint, allocator: bigint) => device === 0n ? undefined : this.destroy(allocator)],
        ["vkGetDeviceProcAddr", tableProcAddr(chain.table, "device")],
      ]),
      has: (command: Command) => command.level === "device" && chain.table.has(command.slot),
      layers: () => owner.layers(),
      enter: owner.enter,
      wrap: (type, handle) => this.#wrap(type, handle),
      advise: () => "",
      actions: this,
    }, KINDS);
    this.device = this.#scope.make("VkDevice", chain.handle) as VkDevice;
    const view = viewOfTable(chain.table, () => owner.layers(), (command) => this.#scope.bottom(command));
    this.#presence = new Presence(chain.table, view, owner.added);
  }

  /** Whether native code has destroyed the object without TypeScript. Then only {@linkcode destroy} may be called. */
  get isOrphan(): boolean {
    return this.chain.table.isOrphan;
  }

  /** Sets the functions through which native code enters. */
  enter(entrances: Entrances): void {
    const { table, handle } = this.chain, { raw } = this.#scope;
    const owner = this.#owner, tell = (text: string) => owner.lacks(text);
    this.#entry ??= entrances.open({ table, handle, raw, layers: () => owner.layers(), tell });
  }

  /** Resolves commands again after a change of layers. */
  refresh(): void {
    this.#presence.refresh();
    this.#scope.refresh();
    this.#entry?.refresh();
  }

  /** Whether a command of the device, of its queues or command buffers can be called. */
  supports(command: string): boolean {
    return this.#scope.supports(command);
  }

  /** Whether a hook of one of this object's commands is running. */
  get isAmid(): boolean {
    return this.#scope.isAmid;
  }

  /**
   * Destroys the device through its method, so that layers see the call. During
   * a hook of the device or a message handler, destroys it afterwards. A second
   * call does nothing.
   */
  close(): void {
    if (!this.#open || isPutOff(this.isAmid, () => this.close())) return;
    const { allocator } = this.#owner;
    if (allocator || this.#owner.layers().length > 0 || this.#owner.enter) this.device.vkDestroyDevice(allocator);
    else this.destroy(0n); // nobody would see the command
  }

  /** Destroys the device and closes its objects. */
  destroy(allocator: bigint): void {
    if (!this.#open) return;
    this.#open = false;
    this.#entry?.close();
    this.#presence.end();
    this.chain.destroy(allocator);
    this.#scope.close();
    this.#owner.forget(this);
    rethrowFault();
  }

  #wrap(type: string, handle: bigint): object {
    if (type !== "VkQueue") return this.#scope.make(type, handle);
    let queue = this.#queues.get(handle);
    if (!queue) this.#queues.set(handle, queue = this.#scope.make(type, handle));
    return queue;
  }
}
