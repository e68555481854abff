import { dropBuffer } from "../../../wsi/queue/buffer_hold.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { isOver, timeOver } from "../../../wsi/fence/careful_fence.ts";
import type { FramePlan } from "../../planes/frame_plan.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { Rect } from "../../types.ts";
import { Alarm } from "../time/alarm.ts";
import type { Clock } from "../time/clock.ts";
import type { ComposeLayer } from "../../backends/compose_layer.ts";
import { Flip, SLICE } from "./flip_fence.ts";
import type { Timing } from "../time/vsyncs.ts";

/** A frame on its way to a panel. */
export interface QueuedFrame {
  /** The layers of the picture, from the bottom. */
  readonly layers: ComposeLayer[];
  /** Held until the frame leaves the panel. */
  readonly buffers: readonly GraphicBuffer[];
  /** Waited for before it is shown; the frame owns them. */
  readonly fences: NativeFence[];
  /** Fences that the device waits for itself, by the `z` of their layers; the frame owns them. */
  readonly handed: Map<number, NativeFence>;
  /** Signalled when it appears. */
  readonly flip: Flip;
  /** The time of its coming, and the time before which it is not shown. */
  readonly queued: bigint;
  readonly notBefore: bigint;
  /** The plan of the picture. */
  readonly plan: FramePlan;
  /** The colour transform that the device does; `undefined` for none. */
  readonly colors?: readonly number[];
  /** The kind of picture, as CONTENT_TYPE; `undefined` for nothing in particular. */
  readonly contentType?: number;
  /** The plan's layers: their handles and their buffers, whoever composed them. */
  readonly planned: readonly { readonly handle: bigint; readonly buffer: bigint | undefined }[];
  /** The time of its last fence's signal, and the time of its appearance. */
  ready?: bigint;
  appeared?: bigint;
  /** Gets a copy of what is shown. */
  readonly readback?: GraphicBuffer;
  /** Called when it appears, with the frame on the panel. */
  readonly shown?: (time: bigint) => void;
}

/** The device that shows a panel's frames: a simulation, or a CRTC of a card. */
export interface ScanoutDevice {
  /** Whether it copies what it shows into a buffer, as a frame's `readback`; otherwise the compositor draws the frame there. */
  readsBack?(into: GraphicBuffer): boolean;
  /**
   * Whether the device waits itself for the fence of a layer, so that it takes the frame before. Default: it takes no
   * fences. A device that takes some is offered a frame as soon as the others have signalled.
   */
  takesFence?(fence: NativeFence, layer: ComposeLayer, plan: FramePlan): boolean;
  /**
   * Whether it transforms the colours of all it shows so: a row vector (r g b 1) times the matrix. It does so in frames
   * without layers of the client, whose colours the client transforms itself.
   */
  takesColors?(matrix: readonly number[]): boolean;
  /** Begins: `wake` lets the frames go on when something may have happened; `timing` has the panel's vsyncs. */
  start?(wake: () => void, timing: Timing): void;
  /** The time from which a frame can be handed over that is ready since `after`; `undefined` while an earlier one is on its way. */
  dueTime(after: bigint): bigint | undefined;
  /**
   * Takes a frame, and calls back once it appears, with the time of that: at once or later. Returns `false` if it is
   * busy, so that the frame is to be offered again at the next vsync.
   */
  show(frame: QueuedFrame, due: bigint, appeared: (time: bigint) => void): boolean;
  /** Looks whether a frame has appeared meanwhile, without waiting. */
  update?(): void;
  /**
   * Calls back once, with the time of the next vsync. Returns `false` if the device cannot tell it now: a clock in phase
   * with the last frame does.
   */
  nextVsync?(tell: (time: bigint) => void): boolean;
  /** Shows nothing from now on. */
  blank?(): void;
  /** Shows another of the panel's modes, from the next frame on. */
  setMode?(index: number): void;
  /** Gives back what it holds. */
  close?(): void;
}

/** Counters of a panel. */
export interface ScanoutCounts {
  /** Frames that appeared. */
  shown: number;
  /** Frames that later ones overtook. */
  dropped: number;
  /** Frames shown although a fence never signalled. */
  timedOut: number;
}

/** The parts of a {@linkcode Scanout}. */
export interface ScanoutParts {
  readonly clock: Clock;
  /** The panel's vsyncs. */
  readonly timing: Timing;
  /** Nanoseconds after which a fence is given up. */
  readonly timeout: bigint;
  /** The device that shows the frames. */
  readonly device: ScanoutDevice;
}

/** More frames than this do not wait: the newest are shown. */
const MOST_PENDING = 3;

/** Shows a panel's frames: one a vsync, in order, when their fences have signalled. */
export class Scanout {
  readonly #counts: ScanoutCounts = { shown: 0, dropped: 0, timedOut: 0 };
  /** The device that shows the frames. */
  readonly device: ScanoutDevice;
  readonly #clock: Clock;
  readonly #timing: Timing;
  readonly #timeout: bigint;
  readonly #alarm: Alarm;
  readonly #cursor: Alarm;
  #pending: QueuedFrame[] = [];
  #overtaken: QueuedFrame[] = [];
  /** Handed over, and not yet on the panel. */
  #handed: QueuedFrame | undefined;
  #onScreen: QueuedFrame | undefined;
  #last = 0n;
  #updates = 0;
  /** Ends the waits of the frames that are there. */
  #until = new AbortController();

  /** `moved` is called at the vsync after a layer of the frame on the panel was moved. */
  constructor(
    { clock, timing, timeout, device }: ScanoutParts,
    moved: () => void = () => {},
  ) {
    this.#clock = clock;
    this.#timing = timing;
    this.#timeout = timeout;
    this.device = device;
    device.start?.(() => this.update(), timing);
    this.#alarm = new Alarm(clock, () => this.update());
    this.#cursor = new Alarm(clock, () => this.#moved(moved));
  }

  /** The frame on the panel. */
  get onScreen(): QueuedFrame | undefined {
    this.#look();
    return this.#onScreen;
  }

  /** Counters of the panel. */
  get counts(): Readonly<ScanoutCounts> {
    this.#look();
    return this.#counts;
  }

  /** The number of waiting frames. */
  get pending(): number {
    return this.#pending.length;
  }

  /** A new flip, whose fences drive this. */
  newFlip(): Flip {
    return new Flip((nanoseconds) => this.#drive(nanoseconds));
  }

  /** Takes a frame. */
  queue(frame: QueuedFrame): void {
    this.#pending.push(frame);
    this.#await(frame);
    if (this.#pending.length > MOST_PENDING) {
      const old = this.#pending.shift()!, [next] = this.#pending;
      // A frame with the same buffer has to wait for its fences, too.
      if (next.buffers.some((buffer) => old.buffers.includes(buffer))) next.fences.push(...takeFences(old));
      next.layers.forEach((layer, at) => next.layers[at] = { ...layer, damage: [] }); // since a frame that nobody sees
      this.#overtaken.push(old);
      this.#counts.dropped++;
    }
    this.update();
  }

  /** Ends a frame that nobody sees, as if it had been shown. */
  skip(frame: QueuedFrame): void {
    this.#end(frame, this.#clock.now());
  }

  /** Shows the frames that are due. */
  update(): void {
    this.#updates++;
    try {
      this.device.update?.();
      this.#showDue();
    } finally {
      this.#updates--;
    }
  }

  /** Waits for a frame's fences where that makes the frame appear sooner. */
  #await({ fences }: QueuedFrame): void {
    if (!this.device.takesFence) return;
    const update = () => this.update(), { signal } = this.#until;
    for (const fence of fences) if (!isOver(fence)) fence.ready(signal).then(update, update);
  }

  /** The kernel may have shown a frame before this thread had time to hear of it. */
  #look(): void {
    if (this.#updates === 0 && this.device.update) this.update();
  }

  #showDue(): void {
    const now = this.#clock.now();
    for (let due = this.#dueTime(now); due !== undefined && due <= now; due = this.#dueTime(now)) {
      if (!this.#show(due)) return this.#alarm.set(this.#timing.next(now));
    }
    this.#setAlarm(now);
  }

  /** Moves a layer in the frames that are there. */
  move(handle: bigint, left: number, top: number): void {
    if (this.#onScreen) this.#cursor.set(this.#timing.next(this.#clock.now()));
    for (const { layers } of this.#onScreen ? [this.#onScreen, ...this.#pending] : this.#pending) {
      const at = layers.findIndex((layer) => layer.handle === handle);
      if (at >= 0) layers[at] = { ...layers[at], displayFrame: movedTo(layers[at].displayFrame, left, top) };
    }
  }

  /** Shows nothing from now on: waiting frames count as shown, and the panel's buffers are given back. */
  blank(): void {
    const now = this.#clock.now(), handed = this.#handed;
    this.#handed = undefined;
    this.#until.abort();
    this.#until = new AbortController();
    this.device.blank?.();
    for (const frame of this.#pending.splice(0)) this.#end(frame, now);
    if (handed) this.#end(handed, now);
    for (const frame of this.#overtaken.splice(0)) this.#end(frame, now);
    if (this.#onScreen) give(this.#onScreen);
    this.#onScreen = undefined;
    this.#alarm.clear();
    this.#cursor.clear();
  }

  /** The time at which the next frame can be shown; `undefined` without a frame, or while its fences are pending. */
  #dueTime(now: bigint): bigint | undefined {
    const [frame] = this.#pending;
    if (!frame) return undefined;
    while (frame.fences.length > 0 && isOver(frame.fences[0])) takeOver(frame, frame.fences.shift()!);
    if (frame.fences.length > 0 && now - frame.queued < this.#timeout) return undefined;
    if (frame.fences.length > 0) this.#counts.timedOut++;
    for (const fence of frame.fences.splice(0)) fence.close();
    const after = [frame.queued, this.#last, frame.notBefore - 1n].reduce((a, b) => a > b ? a : b);
    return this.device.dueTime(after);
  }

  /** A frame that appears at this vsync shows the move, too. */
  #moved(tell: () => void): void {
    const last = this.#last;
    this.update();
    if (this.#last === last) tell();
  }

  #show(due: bigint): boolean {
    const frame = this.#handed = this.#pending.shift()!;
    const isTaken = this.device.show(frame, due, (time) => {
      if (this.#handed === frame) this.#appeared(frame, time);
    });
    if (isTaken) return true;
    this.#handed = undefined;
    this.#pending.unshift(frame);
    return false;
  }

  #appeared(frame: QueuedFrame, time: bigint): void {
    const before = this.#onScreen;
    this.#handed = undefined;
    this.#cursor.clear();
    this.#last = time;
    this.#onScreen = frame;
    frame.appeared = time;
    for (const fence of frame.handed.values()) takeOver(frame, fence);
    frame.handed.clear();
    this.#counts.shown++;
    try {
      frame.shown?.(time);
    } finally {
      for (const old of this.#overtaken.splice(0)) this.#end(old, time);
      frame.flip.signal(time);
      if (before) give(before);
    }
  }

  #end(frame: QueuedFrame, time: bigint): void {
    for (const fence of takeFences(frame)) fence.close();
    frame.flip.signal(time);
    give(frame);
  }

  #setAlarm(now: bigint): void {
    if (this.#pending.length === 0) this.#alarm.clear();
    else this.#alarm.set(this.#dueTime(now) ?? this.#timing.next(now));
  }

  /** For who waits on this thread: sleeps a little, and goes on. */
  #drive(nanoseconds: bigint): boolean {
    if (nanoseconds > 0n && !this.#clock.sleep(nanoseconds < SLICE ? nanoseconds : SLICE)) return false;
    this.update();
    return true;
  }
}

/** A rectangle with its corner elsewhere. */
export function movedTo(frame: Rect, left: number, top: number): Rect {
  return { left, top, right: left + frame.right - frame.left, bottom: top + frame.bottom - frame.top };
}

/** A fence that has signalled is not needed any more. */
function takeOver(frame: QueuedFrame, fence: NativeFence): void {
  const time = timeOver(fence) ?? 0n;
  fence.close();
  if (time > (frame.ready ?? frame.queued)) frame.ready = time;
}

/** Takes all fences from a frame. */
function takeFences({ fences, handed }: QueuedFrame): NativeFence[] {
  const all = [...fences.splice(0), ...handed.values()];
  handed.clear();
  return all;
}

function give({ buffers }: QueuedFrame): void {
  for (const buffer of buffers) dropBuffer(buffer);
}
