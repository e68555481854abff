import { closeDescriptor, errorName, monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { timeOver } from "../../../wsi/fence/careful_fence.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { ComposeLayer } from "../../backends/compose_layer.ts";
import type { FramePlan } from "../../planes/frame_plan.ts";
import type { PlaneLayer } from "../../planes/plane_layer.ts";
import type { QueuedFrame, ScanoutDevice } from "../../reference/output/scanout.ts";
import type { Timing } from "../../reference/time/timing.ts";
import type { OpenCard } from "../card/card.ts";
import type { CardEvents } from "../card/card_events.ts";
import { AtomicState, COMMIT, type KnownValues } from "../card/commit.ts";
import type { CardConnector, CardCrtc, CardPlane } from "../card/facts.ts";
import type { Framebuffers } from "../card/framebuffers.ts";
import { Staging } from "../card/staging.ts";
import { KmsError } from "../kms_error.ts";
import { type DisplayPlanes, scanoutFormat } from "../plane_model.ts";
import { ColorPipe } from "./color_pipe.ts";
import { OutFence } from "./out_fence.ts";
import { setPlane, unsetPlane } from "./plane_state.ts";
import { Writeback } from "./writeback.ts";

/** An earlier picture is on its way, which another program may have sent. */
const EBUSY = 16;
/** A flip event that is late by so many nanoseconds, though its fence has signalled, is not waited for any longer. */
const LOST = 1_000_000_000n;
/** Events tell their time without what is below a microsecond. */
const MICROSECOND = 1000n;

/** The name of what the client composed, among the layers of a frame. It is copied where the card cannot read it. */
const CLIENT_TARGET = "client target";

/** What screens of one card share. */
export interface SharedCard {
  readonly card: OpenCard;
  readonly events: CardEvents;
  readonly framebuffers: Framebuffers;
  /** Gets the errors that happen outside of a call. */
  readonly onError: (error: KmsError) => void;
}

/** A buffer on a plane. */
export interface PlanePicture {
  readonly plane: CardPlane;
  readonly layer: PlaneLayer;
  readonly buffer: GraphicBuffer;
  /** The sync_file that the kernel waits for. Default: none. */
  readonly fence?: number;
}

/** A frame that was committed and has not appeared. */
interface Flight {
  /** The number that comes back with its event. */
  readonly user: bigint;
  /** When it was committed. */
  readonly since: bigint;
  /** The fence of its copy. */
  readonly written: NativeFence | undefined;
  /** The fence of its flip. */
  readonly flipped: NativeFence | undefined;
  readonly appeared: (time: bigint) => void;
  /** When the event came. */
  time?: bigint;
}

/** The objects of a card that a screen uses alone. */
export interface ScreenParts {
  readonly connector: CardConnector;
  readonly crtc: CardCrtc;
  readonly planes: DisplayPlanes;
  /** Copies what the CRTC shows into a buffer. */
  readonly writeback: CardConnector | undefined;
}

/** A connector with its CRTC and its planes: shows frames by atomic commits. */
export class KmsScreen implements ScanoutDevice {
  /** The connector, as it was read last. */
  connector: CardConnector;
  readonly planes: DisplayPlanes;
  readonly #shared: SharedCard;
  readonly #crtc: CardCrtc;
  readonly #writeback: Writeback | undefined;
  /** Whether frames are seen in buffers alone. */
  readonly #isWriter: boolean;
  readonly #staging: Staging;
  readonly #outFence = new OutFence();
  readonly #colors: ColorPipe;
  #wake: () => void = () => {};
  #timing: Timing | undefined;
  #mode = 0;
  #modeBlob = 0;
  /** Whether the connector is lit in the wanted mode. */
  #isLit = false;
  /** Whether nothing is lit, in no mode. */
  #isDark = true;
  /** Whether the screen is to be turned off as soon as the kernel is not busy. */
  #mustDarken = false;
  #flight: Flight | undefined;
  /** Whether this screen reads the card's events. */
  #isReading = false;
  readonly #known: KnownValues = new Map();
  /** When that was true: see {@linkcode OpenCard.reigns}. */
  #reigns = 0;

  /** A screen that is dark. */
  constructor(shared: SharedCard, { connector, crtc, planes, writeback }: ScreenParts) {
    this.#shared = shared;
    this.#crtc = crtc;
    this.#staging = new Staging(shared.card);
    this.#colors = new ColorPipe(shared.card, crtc);
    this.connector = connector;
    this.planes = planes;
    this.#writeback = writeback && new Writeback(shared.card, writeback, crtc.id);
    this.#isWriter = connector.id === writeback?.id;
  }

  /** Remembers whom to wake. */
  start(wake: () => void, timing: Timing): void {
    this.#wake = wake;
    this.#timing = timing;
  }

  /** At once, unless a frame is on its way. */
  dueTime(after: bigint): bigint | undefined {
    return this.#flight ? undefined : after;
  }

  /** Whether the kernel waits for a fence: for sync_files of buffers that it reads. */
  takesFence(fence: NativeFence, { buffer, blend, z }: ComposeLayer, { stack }: FramePlan): boolean {
    const plane = this.planes.byName.get(stack[z].plane);
    if (!plane?.properties.IN_FENCE_FD || !buffer || fence.kind !== "sync_file") return false;
    return this.#shared.framebuffers.of(buffer, scanoutFormat(plane, buffer.format, blend)).id !== 0;
  }

  /** Whether the CRTC transforms the colours so. */
  takesColors(matrix: readonly number[]): boolean {
    return this.#colors.takes(matrix);
  }

  /** Whether the card writes what it shows into a buffer of the screen's size. */
  readsBack(into: GraphicBuffer): boolean {
    const { width, height } = this.connector.modes[this.#mode];
    return into.width === width && into.height === height &&
      this.#writeback?.takes(into, this.#shared.framebuffers) === true;
  }

  /** Commits a frame. A frame that the kernel refuses leaves the screen without planes, and counts as shown. */
  show(frame: QueuedFrame, due: bigint, appeared: (time: bigint) => void): boolean {
    const { events, card, framebuffers, onError } = this.#shared, { readback } = frame;
    const pictures = this.#picturesOf(frame);
    const { state, refusals } = this.#stateOf(pictures, true);
    const writes = readback && this.readsBack(readback) ? this.#writeback : undefined;
    for (const refusal of refusals) onError(new KmsError("refused", refusal));
    writes?.add(state, framebuffers, readback!);
    this.#colors.add(state, frame.colors);
    this.#outFence.ask(state, this.#crtc, "OUT_FENCE_PTR");
    const user = events.await((time) => this.#flipped(user, time), this.#wake);
    const changesMode = !this.#isLit || writes?.isAttached === false;
    const flags = COMMIT.PAGE_FLIP_EVENT | COMMIT.NONBLOCK | (changesMode ? COMMIT.ALLOW_MODESET : 0);
    const result = card.commit(state, flags, user, this.#whatIsKnown()), written = writes?.finish(result === 0);
    const flipped = this.#outFence.take();
    for (const { fence = -1 } of pictures) closeDescriptor(fence); // the kernel has its own
    if (result === 0) {
      this.#isLit = true;
      this.#isDark = this.#mustDarken = false;
      this.#flight = { user, since: monotonicNow(), written, flipped, appeared };
      const seen = this.#isWriter ? written : written ? undefined : flipped; // a copy is complete later
      if (seen) frame.flip.handOver(seen);
      return true;
    }
    events.forget(user);
    if (-result === EBUSY) return false;
    this.#tellRefused(result);
    appeared(due);
    return true;
  }

  /** Asks the kernel whether it could show buffers. Returns `undefined`, or the kernel's reason. */
  test(pictures: readonly PlanePicture[]): string | undefined {
    const { state, refusals } = this.#stateOf(pictures, false);
    if (refusals.length > 0) return refusals[0];
    const result = this.#shared.card.commit(state, COMMIT.TEST_ONLY | COMMIT.ALLOW_MODESET);
    return result === 0 ? undefined : `the kernel refuses: ${errorName(-result)}`;
  }

  /** Why the card cannot read a buffer; `undefined` if it can. */
  whyUnreadable({ plane, layer, buffer }: PlanePicture): string | undefined {
    const { id, why } = this.#shared.framebuffers.of(buffer, scanoutFormat(plane, buffer.format, layer.blend));
    return id === 0 ? `buffer ${buffer.id} ${why}` : undefined;
  }

  /** Reads whether a frame has appeared. A frame that is read back counts when its copy is complete. */
  update(): void {
    this.#isReading = true;
    try {
      this.#shared.events.read();
    } finally {
      this.#isReading = false;
    }
    const flight = this.#flight;
    if (flight && isLost(flight)) flight.time ??= monotonicNow();
    if (flight?.time === undefined || flight.written?.poll() === false) return;
    const written = this.#isWriter ? flight.written && timeOver(flight.written) : undefined;
    this.#land();
    flight.appeared(written ?? flight.time);
    if (this.#mustDarken) this.#darken(COMMIT.NONBLOCK);
  }

  /** The CRTC's next vsync, where the card tells them. */
  nextVsync(tell: (time: bigint) => void): boolean {
    return this.#shared.events.awaitVsync(this.#crtc.id, (time) => {
      this.#timing?.change(time, this.#timing.period);
      tell(time);
    });
  }

  /** Turns the screen off, as soon as the kernel is not busy with a frame. */
  blank(): void {
    const flight = this.#flight;
    if (this.#isDark || this.#darken(flight ? COMMIT.NONBLOCK : 0)) this.#land();
    else if (flight) this.#flight = { ...flight, appeared: () => {} };
  }

  /** Takes another mode, with the next frame. */
  setMode(index: number): void {
    const { card } = this.#shared;
    if (this.#modeBlob !== 0) card.destroyBlob(this.#modeBlob);
    this.#modeBlob = card.createBlob(this.connector.modes[index].bytes);
    this.#mode = index;
    this.#isLit = false;
  }

  /** Turns the screen off, and gives back its mode. */
  close(): void {
    if (!this.#isDark) this.#darken(0);
    this.#land();
    if (this.#modeBlob !== 0) this.#shared.card.destroyBlob(this.#modeBlob);
    this.#modeBlob = 0;
    this.#writeback?.close();
    this.#outFence.close();
    this.#colors.close();
    this.#staging.close();
  }

  /** Returns whether the screen is dark, or the card refused for another reason than that it is busy. */
  #darken(wait: number): boolean {
    const result = this.#shared.card.commit(this.#dark(new AtomicState()), COMMIT.ALLOW_MODESET | wait);
    this.#known.clear();
    this.#isLit = false;
    this.#mustDarken = -result === EBUSY;
    this.#isDark = !this.#mustDarken;
    if (result !== 0 && !this.#mustDarken) this.#tellRefused(result);
    return !this.#mustDarken;
  }

  /** What the kernel has, which it need not be told; nothing after another program may have changed it. */
  #whatIsKnown(): KnownValues {
    const { reigns } = this.#shared.card;
    if (!this.#isLit || reigns !== this.#reigns) this.#known.clear();
    this.#reigns = reigns;
    return this.#known;
  }

  /** The planes' pictures, with sync_files of their own. */
  #picturesOf({ plan, layers, handed }: QueuedFrame): PlanePicture[] {
    return layers.flatMap((layer): PlanePicture[] => {
      const plane = this.planes.byName.get(plan.stack[layer.z].plane);
      if (!plane || !layer.buffer) return [];
      return [{ plane, layer, buffer: layer.buffer, fence: handed.get(layer.z)?.dup().take() }];
    });
  }

  #flipped(user: bigint, event: bigint): void {
    const flight = this.#flight;
    if (flight?.user !== user) return;
    flight.time = timeOfFlip(event, flight.flipped);
    this.#timing?.change(flight.time, this.#timing.period);
    this.#shared.framebuffers.shown();
    flight.written?.ready().then(this.#wake, this.#wake);
    if (!this.#isReading) this.#wake(); // somebody else has read the event
  }

  /** Nothing is on its way any more. */
  #land(): void {
    if (this.#flight) this.#shared.events.forget(this.#flight.user);
    this.#flight?.written?.close();
    this.#flight?.flipped?.close();
    this.#flight = undefined;
  }

  /** All properties that a picture takes: what is not named would keep its value, another program's too. */
  #stateOf(pictures: readonly PlanePicture[], copies: boolean): { state: AtomicState; refusals: string[] } {
    const state = new AtomicState(), crtc = this.#crtc, refusals: string[] = [];
    if (!this.#isLit) {
      state.set(this.connector, "CRTC_ID", crtc.id).set(crtc, "MODE_ID", this.#modeBlob).set(crtc, "ACTIVE", 1);
      state.setWhereThere(crtc, "DEGAMMA_LUT", 0);
    }
    const used = new Set<CardPlane>();
    pictures.forEach(({ plane, layer, buffer, fence }, order) => {
      const staging = layer.name === CLIENT_TARGET ? this.#staging : undefined;
      const use = { buffer, crtc: crtc.id, order, fence, staging, copies, framebuffers: this.#shared.framebuffers };
      const refusal = setPlane(state, plane, layer, use);
      if (refusal !== undefined) return void refusals.push(refusal);
      used.add(plane);
    });
    for (const plane of this.planes.byName.values()) if (!used.has(plane)) unsetPlane(state, plane);
    return { state, refusals };
  }

  #dark(state: AtomicState): AtomicState {
    for (const plane of this.planes.byName.values()) unsetPlane(state, plane);
    this.#writeback?.detach(state);
    return state.set(this.connector, "CRTC_ID", 0).set(this.#crtc, "MODE_ID", 0).set(this.#crtc, "ACTIVE", 0);
  }

  /** What the kernel knows is unknown after a refusal: the next commit says all. */
  #tellRefused(result: number): void {
    const { card, onError } = this.#shared, { name } = this.connector, wasMaster = card.isMaster;
    this.#isLit = false;
    if (!wasMaster) card.tryMaster();
    const advice = wasMaster ? "" : "; another program sets modes on this card, and the next frame is tried again";
    const sentence = `Cannot show a frame on ${name}: ${errorName(-result)}${advice}`;
    onError(new KmsError(wasMaster ? "refused" : "not-master", sentence));
  }
}

/** Whether the kernel has shown a frame and its event does not come. */
function isLost({ since, flipped }: Flight): boolean {
  return monotonicNow() - since > LOST && flipped?.poll() !== false;
}

/** The fence knows the nanoseconds. Some drivers' events tell no time for the first picture of a mode. */
function timeOfFlip(event: bigint, fence: NativeFence | undefined): bigint {
  const exact = fence && timeOver(fence);
  if (event === 0n) return exact ?? monotonicNow();
  return exact !== undefined && exact >= event && exact - event < MICROSECOND ? exact : event;
}
