import type { Buffer } from "../gen/composer3_gen.ts";
import { hwcErrorOf } from "../errors.ts";
import { CommandQueue, type DisplayAnswer } from "./command_queue.ts";
import { FrameAnswers } from "./frame_answers.ts";
import { BinderListeners } from "./listeners.ts";
import { SentSlots } from "./sent_slots.ts";
import type { RemoteService } from "./service.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { FenceRelay } from "../../remote/fence_relay.ts";

/** A client's side: the service's object, what waits to be sent, and what the service has and has said. */
export class BinderConnection {
  /** The service. */
  readonly service: RemoteService;
  /** The frame's answers. */
  readonly frames: FrameAnswers = new FrameAnswers();
  /** The client's callbacks. */
  readonly listeners: BinderListeners = new BinderListeners();
  readonly #queue: CommandQueue;
  readonly #relay = new FenceRelay();
  readonly #layers = new Map<string, SentSlots>();
  readonly #targets = new Map<bigint, SentSlots>();
  readonly #outputs = new Map<bigint, SentSlots>();
  /** Virtual displays that the client made. */
  readonly virtual: Set<bigint> = new Set();
  #registered: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Takes the service over. */
  constructor(service: RemoteService) {
    this.service = service;
    this.#queue = new CommandQueue((commands) => service.executeCommands(commands));
  }

  /** Asks the service, behind what waits to be sent. Throws an `HwcError` that names the method. */
  ask<Result>(method: string, call: (service: RemoteService["methods"]) => Promise<Result>): Promise<Result> {
    return this.#inOrder(method, async () => {
      if (!this.#queue.isEmpty) await this.#queue.flush(method);
      return await call(this.service.methods);
    });
  }

  /** Runs an exchange, and throws an `HwcError` that names the method. */
  async named<Result>(method: string, run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      throw hwcErrorOf(method, error);
    }
  }

  /** Sends what waits, and returns what was told of a display. */
  flush(method: string, display?: bigint): Promise<DisplayAnswer> {
    return this.#inOrder(method, () => this.#queue.flush(method, display));
  }

  /** Settings to be sent. */
  get queue(): CommandQueue {
    return this.#queue;
  }

  /** Names a layer's buffer and its fence, which is the service's from now on. */
  layerBuffer(
    method: string,
    key: string,
    buffer: GraphicBuffer | null,
    fence: NativeFence | null,
  ): [Buffer, () => void] {
    return this.#named(slotsOf(this.#layers, key), method, buffer, fence);
  }

  /** The same for a display's client target. */
  target(
    method: string,
    display: bigint,
    buffer: GraphicBuffer | null,
    fence: NativeFence | null,
  ): [Buffer, () => void] {
    return this.#named(slotsOf(this.#targets, display), method, buffer, fence);
  }

  /** The same for what a virtual display writes to. */
  output(
    method: string,
    display: bigint,
    buffer: GraphicBuffer | null,
    fence: NativeFence | null,
  ): [Buffer, () => void] {
    return this.#named(slotsOf(this.#outputs, display), method, buffer, fence);
  }

  /** The descriptor of a fence for the service, `null` for none or one that is signalled. The fence stays the caller's. */
  descriptorOf(fence: NativeFence | null): number | null {
    const fd = fence ? this.#relay.descriptorOf(fence) : -1;
    return fd < 0 ? null : fd;
  }

  /** Slots of layers whose buffers are closed by now. */
  *closedSlots(): Generator<readonly [display: bigint, layer: bigint, slots: readonly number[]]> {
    for (const [key, slots] of this.#layers) {
      const closed = slots.takeClosed(), [display, layer] = key.split("/").map(BigInt);
      if (closed.length > 0) yield [display, layer, closed];
    }
  }

  /** A layer is gone. */
  forgetLayer(key: string): void {
    this.#layers.delete(key);
  }

  /** A virtual display is gone. */
  forgetDisplay(display: bigint): void {
    this.virtual.delete(display);
    this.#targets.delete(display);
    this.#outputs.delete(display);
    this.frames.changed(display);
    for (const key of [...this.#layers.keys()]) if (key.startsWith(`${display}/`)) this.#layers.delete(key);
  }

  /** Whether the callback object was registered. */
  get isRegistered(): boolean {
    return this.#registered !== undefined;
  }

  /** Registers the client's callback object, once. */
  register(): Promise<void> {
    return this.#registered ??= this.ask("registerCallback", (service) => {
      return service.registerCallback({ local: this.service.callbackObject(this.listeners) });
    });
  }

  /** Nothing is sent any more; the service clears away what the client had. */
  close(): void {
    this.#queue.drop();
    this.#relay.close();
    this.frames.close();
    this.listeners.close();
    this.service.close();
  }

  #named(
    slots: SentSlots,
    method: string,
    buffer: GraphicBuffer | null,
    fence: NativeFence | null,
  ): [Buffer, () => void] {
    const named = slots.use(method, buffer), fd = this.descriptorOf(fence);
    return [{ ...named, fence: fd }, () => slots.forget(named.slot)];
  }

  /** One exchange after another, as they were asked for. */
  #inOrder<Result>(method: string, run: () => Promise<Result>): Promise<Result> {
    const done = this.named(method, () => this.#last.then(run));
    this.#last = done.catch(() => {});
    return done;
  }
}

function slotsOf<Key>(of: Map<Key, SentSlots>, key: Key): SentSlots {
  let slots = of.get(key);
  if (!slots) of.set(key, slots = new SentSlots());
  return slots;
}
