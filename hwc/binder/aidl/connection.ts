import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { CALLBACK, CONNECTION } from "../../device_types.ts";
import { FenceRelay } from "../../remote/fence_relay.ts";
import type { LocalObject, RemoteObject } from "../bus.ts";
import { FrameAnswers } from "../connected/display_state.ts";
import { BinderListeners } from "../connected/listeners.ts";
import { SentSlots } from "../connected/sent_slots.ts";
import { type Buffer, IComposerCallback, IComposerClient, type IComposerClientMethods } from "../gen/composer3_gen.ts";
import { type AidlClient, aidlClient } from "../parcel/aidl/client.ts";
import type { Dialect } from "../parcel/aidl/dialect.ts";
import { aidlService } from "../parcel/aidl/service.ts";
import { AidlCommandQueue, type DisplayAnswer } from "./command_queue.ts";
import { hwcErrorOf } from "./errors.ts";

/** A client's side: the service's object, what waits to be sent, and what the service has and has said. */
export class AidlConnection {
  /** How both speak. */
  readonly dialect: Dialect;
  /** The frame's answers. */
  readonly frames: FrameAnswers = new FrameAnswers();
  /** The client's callbacks. */
  readonly listeners: BinderListeners = new BinderListeners();
  readonly #object: RemoteObject;
  readonly #service: AidlClient<IComposerClientMethods>;
  readonly #queue: AidlCommandQueue;
  readonly #relay = new FenceRelay();
  readonly #layers = new Map<string, SentSlots>();
  readonly #targets = new Map<bigint, SentSlots>();
  readonly #outputs = new Map<bigint, SentSlots>();
  /** Virtual displays that the client made. */
  readonly virtual: Set<bigint> = new Set();
  #registered: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Takes the object of IComposerClient over. */
  constructor(object: RemoteObject, dialect: Dialect) {
    this.#object = object;
    this.dialect = dialect;
    this.#service = aidlClient(IComposerClient, object, dialect);
    this.#queue = new AidlCommandQueue((commands) => this.#service.executeCommands(commands));
  }

  /** Asks the service, behind what waits to be sent. Throws an `HwcError` that names the method. */
  ask<Result>(method: string, call: (service: AidlClient<IComposerClientMethods>) => Promise<Result>): Promise<Result> {
    return this.#inOrder(method, async () => {
      if (!this.#queue.isEmpty) await this.#queue.flush(method);
      return await call(this.#service);
    });
  }

  /** Sends what waits, and returns what was told of a display. */
  flush(method: string, display?: bigint): Promise<DisplayAnswer> {
    return this.#inOrder(method, () => this.#queue.flush(method, display));
  }

  /** Settings to be sent. */
  get queue(): AidlCommandQueue {
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
      return service.registerCallback({ local: this.#callbackObject() });
    });
  }

  /** Nothing is sent any more; the service clears away what the client had. */
  close(): void {
    this.#queue.drop();
    this.#relay.close();
    this.frames.close();
    this.listeners.close();
    this.#object.release();
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
    const done = this.#last.then(run).catch((error) => {
      throw hwcErrorOf(method, error);
    });
    this.#last = done.catch(() => {});
    return done;
  }

  #callbackObject(): LocalObject {
    const { listeners } = this;
    return aidlService(
      IComposerCallback,
      {
        onHotplug: (display, connected) => listeners.hotplug(id(display), connectionOf(connected)),
        onHotplugEvent: (display, event) => listeners.hotplug(id(display), connectionOf(event === 0)),
        onRefresh: (display) => listeners.tell(CALLBACK.REFRESH, id(display)),
        onSeamlessPossible: (display) => listeners.tell(CALLBACK.SEAMLESS_POSSIBLE, id(display)),
        onVsync: (display, timestamp, period) => listeners.vsync(id(display), timestamp, period),
        onVsyncPeriodTimingChanged: (display, timeline) =>
          listeners.tell(CALLBACK.VSYNC_PERIOD_TIMING_CHANGED, id(display), timeline),
        onVsyncIdle: (display) => listeners.tell(CALLBACK.VSYNC_IDLE, id(display)),
        onRefreshRateChangedDebug: ({ display, vsyncPeriodNanos }) =>
          listeners.tell(CALLBACK.REFRESH_RATE_CHANGED_DEBUG, id(display), vsyncPeriodNanos),
        onHdcpLevelsChanged: () => {},
      },
      this.dialect,
      { hash: "notfrozen" },
    );
  }
}

function connectionOf(isConnected: boolean): number {
  return isConnected ? CONNECTION.CONNECTED : CONNECTION.DISCONNECTED;
}

function id(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function slotsOf<Key>(of: Map<Key, SentSlots>, key: Key): SentSlots {
  let slots = of.get(key);
  if (!slots) of.set(key, slots = new SentSlots());
  return slots;
}
