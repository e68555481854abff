import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { AsyncComposer, Composer } from "../../composer.ts";
import { refuse } from "../../core/refusal.ts";
import type { CommandName } from "../../remote/commands.ts";
import { FenceRelay } from "../../remote/fence_relay.ts";
import { Belongings } from "../../remote/server/belongings.ts";
import { ERROR } from "../../types.ts";
import { ClientLayers } from "./client_layers.ts";
import { BufferSlots, closeHandle, type Handle, importedHandle } from "./buffer_slots.ts";

type Answer<Name extends CommandName> = Awaited<ReturnType<Composer[Name]>>;

/** One client of a served composer: its calls, its buffers by slots, and what is to be cleared away when it goes. */
export class ServedClient {
  /** The composer that is served. */
  readonly composer: AsyncComposer;
  /** Turns fences into descriptors that survive this process. */
  readonly relay: FenceRelay = new FenceRelay();
  readonly #belongings: Belongings;
  readonly #log: (message: string) => void;
  readonly #profiles = new Set<bigint>();
  /** The client's layers. */
  readonly layers: ClientLayers = new ClientLayers();
  readonly #targets = new Map<bigint, BufferSlots>();
  readonly #outputs = new Map<bigint, BufferSlots>();
  #ended: Promise<void> | undefined;

  /** A client that has nothing yet; `log` gets what cannot be cleared away, and what the composer lacks. */
  constructor(composer: AsyncComposer, log: (message: string) => void) {
    this.composer = composer;
    this.#log = log;
    this.#belongings = new Belongings(composer, log);
  }

  /**
   * Calls a method of the composer for the client; the answer comes at once if the composer's does. Throws UNSUPPORTED
   * for one that the composer lacks.
   */
  call<Name extends CommandName>(
    name: Name,
    ...args: Parameters<Composer[Name]>
  ): Answer<Name> | Promise<Answer<Name>> {
    if (this.#ended) refuse(ERROR.NO_RESOURCES, "the client is gone");
    if (!this.composer[name]) refuse(ERROR.UNSUPPORTED, "the composer does not have this function");
    const done = { name, args }, before = this.#belongings.before(done);
    return before instanceof Promise ? before.then(() => this.#invoke(done)) : this.#invoke(done);
  }

  #invoke<Name extends CommandName>(done: { readonly name: Name; readonly args: readonly unknown[] }) {
    const method = this.composer[done.name] as (...args: unknown[]) => Answer<Name> | Promise<Answer<Name>>;
    const noted = (value: Answer<Name>): Answer<Name> => {
      this.#belongings.note(done, value);
      return value;
    };
    const value = method.apply(this.composer, [...done.args]);
    return value instanceof Promise ? value.then(noted) : noted(value);
  }

  /** A picture profile is asked for. The interface wants one that a composer does not know to change nothing. */
  ignoreProfile(profile: bigint): void {
    if (profile === 0n || this.#profiles.has(profile)) return;
    this.#profiles.add(profile);
    this.#log(`Picture profile ${profile} changes nothing: the composer has no picture profiles`);
  }

  /** Registers a callback for the client. */
  async register(descriptor: number, callback: (...args: never[]) => void): Promise<void> {
    await this.composer.registerCallback(descriptor as 1, callback as never);
    this.#belongings.note({ name: "registerCallback", args: [descriptor] }, undefined);
  }

  /** A new layer with so many slots, under a handle of the client's choice if there is one; returns the client's handle. */
  async createLayer(display: bigint, slots: number, chosen?: bigint): Promise<bigint> {
    if (chosen !== undefined) this.layers.checkFree(display, chosen);
    if (slots < 0) refuse(ERROR.BAD_PARAMETER, `there cannot be ${slots} slots`);
    return this.layers.add(display, await this.call("createLayer", display), slots, chosen);
  }

  /** Destroys a layer by the client's handle, and gives back its buffers. */
  async destroyLayer(display: bigint, name: bigint): Promise<void> {
    const layer = this.layers.idOf(display, name);
    await this.call("destroyLayer", display, layer);
    this.layers.remove(display, layer);
  }

  /** A new virtual display, with so many slots for what it writes to. */
  async createVirtualDisplay(
    width: number,
    height: number,
    format: number,
    slots: number,
  ): Promise<Answer<"createVirtualDisplay">> {
    const made = await this.call("createVirtualDisplay", width, height, format);
    this.#outputs.set(made.display, new BufferSlots(slots));
    return made;
  }

  /** Destroys a virtual display, its layers with it. */
  async destroyVirtualDisplay(display: bigint): Promise<void> {
    await this.call("destroyVirtualDisplay", display);
    this.#drop(this.#outputs, display);
    this.#drop(this.#targets, display);
    this.layers.clear(display);
  }

  /** The display's client targets come in so many slots. */
  async setClientTargetSlotCount(display: bigint, count: number): Promise<void> {
    await this.call("setClientTargetSlotCount", display, count);
    slotsOf(this.#targets, display).resize(count);
  }

  /** Buffers of a layer that the client has closed. */
  clearLayerSlots(display: bigint, layer: bigint, slots: readonly number[]): void {
    this.layers.slotsOf(display, layer)?.clear(slots);
  }

  /** Sets a layer's buffer by its slot. Consumes the handle and the fence. */
  setLayerBuffer(display: bigint, layer: bigint, given: GivenBuffer): void | Promise<void> {
    return consuming(given, (fence) => {
      const slots = this.layers.slotsOf(display, layer);
      if (!slots) closeHandle(given.handle); // the composer refuses a layer that is not there
      return this.call("setLayerBuffer", display, layer, slots?.use(given.slot, given.handle) ?? null, fence);
    });
  }

  /** Sets a display's client target by its slot. Consumes the handle and the fence. */
  setClientTarget(
    display: bigint,
    given: GivenBuffer,
    dataspace: number,
    damage: Parameters<Composer["setClientTarget"]>[4],
  ): void | Promise<void> {
    return consuming(given, (fence) => {
      const buffer = slotsOf(this.#targets, display).use(given.slot, given.handle);
      return this.call("setClientTarget", display, buffer, fence, dataspace, damage);
    });
  }

  /** Sets what a virtual display writes to. Consumes the handle and the fence. */
  async setOutputBuffer(display: bigint, given: GivenBuffer): Promise<void> {
    const fence = fenceOf(given.fence);
    try {
      const buffer = slotsOf(this.#outputs, display).use(given.slot, given.handle);
      await this.call("setOutputBuffer", display, buffer, fence);
    } finally {
      fence?.close(); // the composer copies it
    }
  }

  /** Sets the buffer that the next frame is copied to. Consumes the handle and the fence. */
  async setReadbackBuffer(display: bigint, handle: Handle, fd: number): Promise<void> {
    await consuming({ slot: 0, handle: null, fence: fd }, async (fence) => {
      let buffer: GraphicBuffer | null = null;
      try {
        buffer = handle.fds.length + handle.ints.length > 0 ? importedHandle(handle) : null;
        await this.call("setReadbackBuffer", display, buffer, fence);
      } finally {
        closeHandle(handle);
        buffer?.close(); // the composer has an owner of its own
      }
    });
  }

  /** Clears away all that the client had; resolves when that is done. */
  end(): Promise<void> {
    return this.#ended ??= this.#clear();
  }

  /** Whether the client is gone, even if what it had is still being cleared away. */
  get isOver(): boolean {
    return this.#ended !== undefined;
  }

  async #clear(): Promise<void> {
    await this.#belongings.clear();
    this.layers.clear();
    for (const slots of [...this.#targets.values(), ...this.#outputs.values()]) slots.close();
    this.relay.close();
  }

  #drop<Key>(from: Map<Key, BufferSlots>, key: Key): void {
    from.get(key)?.close();
    from.delete(key);
  }
}

/** A buffer by its slot, and the fence to be waited for. */
export interface GivenBuffer {
  readonly slot: number;
  /** The slot's new buffer; `null` for the one that is there. */
  readonly handle: Handle | null;
  /** The descriptor of the fence; -1 for none. */
  readonly fence: number;
}

/** Runs a call that takes a fence when it succeeds; otherwise the fence is closed here. */
function consuming(
  { fence: fd }: GivenBuffer,
  call: (fence: NativeFence | null) => void | Promise<void>,
): void | Promise<void> {
  const fence = fenceOf(fd);
  const failed = (error: unknown): never => {
    fence?.close();
    throw error;
  };
  try {
    const done = call(fence);
    return done instanceof Promise ? done.catch(failed) : done;
  } catch (error) {
    failed(error);
  }
}

function fenceOf(fd: number): NativeFence | null {
  return fd < 0 ? null : NativeFence.adopt(fd);
}

function slotsOf<Key>(of: Map<Key, BufferSlots>, key: Key): BufferSlots {
  let slots = of.get(key);
  if (!slots) of.set(key, slots = new BufferSlots());
  return slots;
}
