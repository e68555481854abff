import { closeDescriptor, errorName } from "../../../ffi/file/file_descriptor.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { ComposeLayer } from "../../backends/compose_layer.ts";
import type { FramePlan } from "../../planes/frame_plan.ts";
import type { PlaneLayer } from "../../planes/plane.ts";
import { readsBuffer } from "../../planes/search/layer_facts.ts";
import type { Rect } from "../../types.ts";
import type { QueuedFrame, ScanoutDevice } from "../../core/output/scanout.ts";
import type { Timing } from "../../core/time/vsyncs.ts";
import type { OpenCard } from "../card/card.ts";
import type { CardEvents } from "../card/card_events.ts";
import { type AtomicState, COMMIT } from "../card/commit.ts";
import type { CardConnector, CardCrtc, CardPlane } from "../card/facts.ts";
import { KmsError } from "../kms_error.ts";
import { type DisplayPlanes, scanoutFormat } from "../plane_model.ts";
import { ColorPipe, HdrState } from "./colors.ts";
import { Flight, OutFence } from "./flight.ts";
import { LinkState, type LinkWishes } from "./link_state.ts";
import { visiblePart } from "./plane_state.ts";
import { type PlanePicture, type Refusal, ScreenState } from "./screen_state.ts";
import { Writeback } from "./writeback.ts";

/** An earlier picture is on its way, which another program may have sent. */
const EBUSY = 16;
/** Errors of the moment: another program is master, no memory is left. */
const EACCES = 13, ENOMEM = 12, PASSING: readonly number[] = [EACCES, EBUSY, ENOMEM];

/** The state that screens of one card share. */
export interface SharedCard {
  readonly card: OpenCard;
  readonly events: CardEvents;
  /** The wishes for the displays' links. */
  readonly wishes: LinkWishes;
  /** Gets the errors that happen outside of a call. */
  readonly onError: (error: KmsError) => void;
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
  readonly #outFence = new OutFence();
  readonly #colors: ColorPipe;
  readonly #hdr: HdrState;
  readonly #link: LinkState;
  readonly #state: ScreenState;
  #wake: () => void = () => {};
  #timing: Timing | undefined;
  #mode = 0;
  #generation = 0;
  /** Whether the screen is to be turned off as soon as the kernel is not busy. */
  #mustDarken = false;
  #flight: Flight | undefined;
  /** Whether this screen reads the card's events. */
  #isReading = false;

  /** A screen that is dark. */
  constructor(shared: SharedCard, { connector, crtc, planes, writeback }: ScreenParts) {
    this.#shared = shared;
    this.#crtc = crtc;
    this.#colors = new ColorPipe(shared.card, crtc);
    this.#hdr = new HdrState(shared.card);
    this.#link = new LinkState(shared.wishes);
    this.connector = connector;
    this.planes = planes;
    this.#state = new ScreenState({ ...shared, connector, crtc, planes });
    this.#writeback = writeback && new Writeback(shared.card, writeback, crtc.id);
    this.#isWriter = connector.id === writeback?.id;
  }

  /** Counts the changes of the mode: what the kernel has said about plans holds for one mode. */
  get generation(): number {
    return this.#generation;
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
    return this.#state.framebuffers.of(buffer, scanoutFormat(plane, buffer, blend)).id !== 0;
  }

  /** Whether the CRTC transforms the colours so. */
  takesColors(matrix: readonly number[]): boolean {
    return this.#colors.takes(matrix);
  }

  /** Whether the card writes what it shows into a buffer of the screen's size. */
  readsBack(into: GraphicBuffer): boolean {
    const { width, height } = this.connector.modes[this.#mode];
    return into.width === width && into.height === height &&
      this.#writeback?.takes(into, this.#state.framebuffers) === true;
  }

  /** Commits a frame. A frame that the kernel refuses leaves the screen without planes, and counts as shown. */
  show(frame: QueuedFrame, due: bigint, appeared: (time: bigint) => void): boolean {
    if (this.isUnseen) {
      appeared(due);
      return true;
    }
    const { events, card, onError } = this.#shared, writes = this.#writerOf(frame);
    const pictures = this.#picturesOf(frame), wanted = this.#state.frame(pictures), { state } = wanted;
    for (const { why } of wanted.refusals) onError(new KmsError("refused", why));
    const changesLink = this.#addRest(state, frame, writes);
    const user = events.await((time) => this.#flipped(user, time), this.#wake);
    const changesMode = !this.#state.isLit || changesLink || writes?.isAttached === false;
    const flags = COMMIT.PAGE_FLIP_EVENT | COMMIT.NONBLOCK | (changesMode ? COMMIT.ALLOW_MODESET : 0);
    const result = card.commit(state, flags, user);
    this.#state.committed();
    const written = writes?.finish(result === 0);
    const flipped = this.#outFence.take();
    for (const { fence = -1 } of pictures) closeDescriptor(fence); // the kernel has its own
    if (result !== 0) {
      events.forget(user);
      if (-result === EBUSY) return false;
      this.#tellRefused(result);
      appeared(due);
      return true;
    }
    this.#state.succeeded(wanted);
    this.#mustDarken = false;
    this.#flight = new Flight(user, { written, flipped }, appeared);
    const seen = this.#isWriter ? written : written ? undefined : flipped; // a copy is complete later
    if (seen) frame.flip.handOver(seen);
    return true;
  }

  /** Whether nobody sees frames, since another console is shown: frames count as shown, and nothing is asked. */
  get isUnseen(): boolean {
    return this.#shared.card.isLent;
  }

  get #area(): Rect {
    const { width, height } = this.connector.modes[this.#mode];
    return { left: 0, top: 0, right: width, bottom: height };
  }

  /** Asks the kernel whether it could show buffers. Returns `undefined`, or the reason against that. */
  test(pictures: readonly PlanePicture[]): Refusal | undefined {
    const { state, refusals } = this.#state.question(pictures);
    // A colour is refused for want of memory, of which there may be more the next time.
    if (refusals.length > 0) return { ...refusals[0], lasts: pictures[refusals[0].at].buffer !== undefined };
    const error = -this.#shared.card.commit(state, COMMIT.TEST_ONLY | COMMIT.ALLOW_MODESET);
    if (error === 0) return undefined;
    return { why: `the kernel refuses: ${errorName(error)}`, lasts: !PASSING.includes(error) };
  }

  /** Returns why the card cannot read a buffer; `undefined` if it can. */
  whyUnreadable(plane: CardPlane, { blend }: PlaneLayer, buffer: GraphicBuffer): string | undefined {
    const { id, why } = this.#state.framebuffers.of(buffer, scanoutFormat(plane, buffer, blend));
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
    const time = this.#flight?.landing(this.#isWriter);
    if (time === undefined) return;
    this.#land()?.(time);
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
    if (this.#state.isDark || this.#darken(this.#flight ? COMMIT.NONBLOCK : 0)) this.#land();
    else this.#flight?.desert();
  }

  /** Takes another mode, with the next frame. */
  setMode(index: number): void {
    this.#generation++;
    this.#state.setMode(this.connector.modes[index].bytes);
    this.#mode = index;
  }

  /** Turns the screen off, and gives back its mode. */
  close(): void {
    if (!this.#state.isDark) this.#darken(0);
    this.#land();
    this.#state.close();
    this.#writeback?.close();
    this.#outFence.close();
    this.#colors.close();
    this.#hdr.close();
  }

  /** Returns whether the screen is dark, or the card refused for another reason than that it is busy. */
  #darken(wait: number): boolean {
    const result = this.#state.darken(wait, (state) => this.#writeback?.detach(state));
    this.#mustDarken = -result === EBUSY;
    this.#state.isDark = !this.#mustDarken;
    if (result !== 0 && !this.#mustDarken) this.#tellRefused(result);
    return !this.#mustDarken;
  }

  /** Returns the writeback connector that copies a frame which is read back, if the card has one. */
  #writerOf({ readback }: QueuedFrame): Writeback | undefined {
    return readback && this.readsBack(readback) ? this.#writeback : undefined;
  }

  /** Adds to a commit what is no plane's. Returns whether the link changes as with a mode. */
  #addRest(
    state: AtomicState,
    { colors, readback, layers, contentType = 0 }: QueuedFrame,
    writes: Writeback | undefined,
  ): boolean {
    writes?.add(state, this.#state.framebuffers, readback!);
    this.#colors.add(state, colors);
    this.#outFence.ask(state, this.#crtc, "OUT_FENCE_PTR");
    const changesLink = this.#link.add(state, this.connector, this.#crtc, contentType);
    return this.#hdr.add(state, this.connector, layers) || changesLink;
  }

  /** The planes' pictures, with sync_files of their own. */
  #picturesOf({ plan, layers, handed, planned }: QueuedFrame): PlanePicture[] {
    const pictures: PlanePicture[] = [];
    for (const layer of layers) {
      const { plane: name, layer: index } = plan.stack[layer.z], plane = this.planes.byName.get(name);
      const { buffer } = layer, owner = planned[index]?.handle;
      if (plane && buffer) pictures.push({ plane, layer, buffer, owner, fence: handed.get(layer.z)?.dup().take() });
      else if (plane && !readsBuffer(layer)) pictures.push({ plane, layer: visiblePart(layer, this.#area), buffer });
    }
    return pictures;
  }

  #flipped(user: bigint, event: bigint): void {
    const flight = this.#flight;
    if (flight?.user !== user) return;
    this.#timing?.change(flight.flip(event), this.#timing.period);
    this.#state.flipped();
    flight.whenWritten(this.#wake);
    if (!this.#isReading) this.#wake(); // somebody else has read the event
  }

  /** Nothing is on its way any more. Returns what is to be called with the time. */
  #land(): ((time: bigint) => void) | undefined {
    if (!this.#flight) return undefined;
    this.#shared.events.forget(this.#flight.user);
    const appeared = this.#flight.close();
    this.#flight = undefined;
    return appeared;
  }

  /** Forgets the kernel's state after a refusal: the next commit says all. */
  #tellRefused(result: number): void {
    const { card, onError } = this.#shared, { name } = this.connector, wasMaster = card.isMaster;
    this.#state.forget();
    if (!wasMaster) card.tryMaster();
    const advice = wasMaster ? "" : "; another program sets modes on this card, and the next frame is tried again";
    const sentence = `Cannot show a frame on ${name}: ${errorName(-result)}${advice}`;
    onError(new KmsError(wasMaster ? "refused" : "not-master", sentence));
  }
}
