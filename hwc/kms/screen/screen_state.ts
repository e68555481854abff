import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { PlaneLayer } from "../../planes/plane.ts";
import type { OpenCard } from "../card/card.ts";
import { AtomicState, COMMIT, KnownValues } from "../card/commit.ts";
import type { CardConnector, CardCrtc, CardPlane } from "../card/facts.ts";
import { Framebuffers } from "../card/framebuffers.ts";
import { SolidColors } from "../card/solid_colors.ts";
import { Staging } from "../card/staging.ts";
import { type DisplayPlanes, scanoutFormat } from "../plane_model.ts";
import { looksAlike, type PlaneUse, setPicture, setPlane, unsetPlane } from "./plane_state.ts";
import type { ComposeLayer } from "../../backends/compose_layer.ts";
import { areaOf, overlapOf } from "../../rects.ts";
import type { Rect } from "../../types.ts";

/** Size of `struct drm_mode_rect` of `drm_mode.h`. */
const RECT_SIZE = 16;
/** Pictures with more damaged rectangles count as damaged everywhere. */
const MOST_RECTS = 16;

/** The damage of the pictures in a commit: what the card need not read or send again stays as it is. */
class DamageClips {
  readonly #card: OpenCard;
  #blobs: number[] = [];

  /** Has none yet. */
  constructor(card: OpenCard) {
    this.#card = card;
  }

  /**
   * Adds the damage of a picture whose plane showed the picture before at the same place. Adds nothing where the whole
   * picture may be damaged, which is what the kernel takes for granted.
   */
  add(state: AtomicState, plane: CardPlane, { damage = [] }: Pick<ComposeLayer, "damage">, whole: Rect): void {
    if (!plane.properties.FB_DAMAGE_CLIPS || damage.length === 0 || damage.length > MOST_RECTS) return;
    const clips = damage.map((rect) => overlapOf(rect, whole)).filter((rect) => areaOf(rect) > 0);
    if (clips.length === 0 || clips.some((rect) => areaOf(rect) === areaOf(whole))) return;
    const blob = this.#card.createBlob(bytesOf(clips));
    this.#blobs.push(blob);
    state.tell(plane, "FB_DAMAGE_CLIPS", blob);
  }

  /** After the commit: the kernel keeps what it needs. */
  free(): void {
    for (const blob of this.#blobs.splice(0)) this.#card.destroyBlob(blob);
  }
}

function bytesOf(clips: readonly Rect[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(RECT_SIZE * clips.length), view = new DataView(bytes.buffer);
  clips.forEach(({ left, top, right, bottom }, index) => {
    [left, top, right, bottom].forEach((value, at) => view.setInt32(RECT_SIZE * index + 4 * at, value, true));
  });
  return bytes;
}

/** The name of what the client composed, among the layers of a frame. It is copied where the card cannot read it. */
const CLIENT_TARGET = "client target";

/** A buffer on a plane, or one colour. */
export interface PlanePicture {
  readonly plane: CardPlane;
  /** The layer; for one colour, the {@linkcode visiblePart} of it. */
  readonly layer: PlaneLayer;
  /** The picture; `undefined` where the plane shows the layer's colour. */
  readonly buffer: GraphicBuffer | undefined;
  /** The sync_file that the kernel waits for. Default: none. */
  readonly fence?: number;
  /** The client's number of the layer; the client target has none. */
  readonly owner?: bigint;
}

/** The reason why the kernel would not show a frame. */
export interface Refusal {
  /** The reason. */
  readonly why: string;
  /** Whether the same frame is refused again. */
  readonly lasts: boolean;
  /** The index of the picture that the card cannot show; `undefined` if the kernel refuses the whole. */
  readonly at?: number;
}

/** A plane as the kernel shows it. */
interface Shown {
  readonly layer: PlaneLayer;
  /** The place among the planes, from the bottom. */
  readonly order: number;
  /** The client's number of the layer. */
  readonly owner: bigint | undefined;
}

/** The owner of one colour: damage of a picture that takes its place is no damage of the colour. */
const NO_BUFFER = -1n;
/** A plane that shows nothing. */
const NOTHING = null;

/** A commit, the planes that it shows, and why pictures are missing in it. */
export interface FrameState {
  readonly state: AtomicState;
  readonly shown: ReadonlyMap<CardPlane, Shown>;
  readonly refusals: readonly { readonly why: string; readonly at: number }[];
}

/** The card's objects of a screen. */
export interface StateParts {
  readonly card: OpenCard;
  readonly connector: CardConnector;
  readonly crtc: CardCrtc;
  readonly planes: DisplayPlanes;
}

/** The kernel's state of a screen, and the content of the next commit: everything, or what has changed. */
export class ScreenState {
  /** Whether nothing is lit, in no mode. */
  isDark = true;
  /** The screen's own: a frame of another screen leaves alone what is shown here. */
  readonly framebuffers: Framebuffers;
  readonly #parts: StateParts;
  readonly #planes: readonly CardPlane[];
  readonly #staging: Staging;
  readonly #solidColors: SolidColors;
  readonly #damage: DamageClips;
  readonly #known = new KnownValues();
  /** The picture that the kernel shows on each plane, as far as that is known. */
  readonly #shown = new Map<CardPlane, Shown | typeof NOTHING>();
  #modeBlob = 0;
  /** Whether the connector is lit in the wanted mode. */
  #isLit = false;
  /** The reign in which that was true: see {@linkcode OpenCard.reigns}. */
  #reigns = 0;

  /** The screen is dark. */
  constructor(parts: StateParts) {
    this.#parts = parts;
    this.#planes = [...parts.planes.byName.values()];
    this.framebuffers = new Framebuffers(parts.card);
    this.#staging = new Staging(parts.card);
    this.#solidColors = new SolidColors(parts.card);
    this.#damage = new DamageClips(parts.card);
  }

  /** Whether the connector is lit in the wanted mode, so that a frame changes no mode. */
  get isLit(): boolean {
    return this.#isLit;
  }

  /** Takes another mode, a `struct drm_mode_modeinfo`, with the next frame. */
  setMode(mode: Uint8Array<ArrayBuffer>): void {
    this.#freeMode();
    this.#modeBlob = this.#parts.card.createBlob(mode);
    this.#isLit = false;
  }

  /** The commit of a frame: what the kernel does not have. A property that is not named keeps its value. */
  frame(pictures: readonly PlanePicture[]): FrameState {
    this.#forgetOldReign();
    return this.#fill(this.#lit(this.#known), pictures, this.#shown);
  }

  /** A commit that asks about pictures: everything, so that the answer does not depend on what is shown. */
  question(pictures: readonly PlanePicture[]): FrameState {
    return this.#fill(this.#lit(), pictures);
  }

  /** The kernel has taken or refused the commit of a frame, and needs the frame's blobs no more. */
  committed(): void {
    this.#damage.free();
  }

  /** The kernel has taken the commit of a frame. */
  succeeded({ state, shown }: FrameState): void {
    state.learn(this.#known);
    for (const plane of this.#planes) this.#shown.set(plane, shown.get(plane) ?? NOTHING);
    this.#isLit = true;
    this.isDark = false;
  }

  /** The screen has shown a frame: gives back what was not shown for long. */
  flipped(): void {
    this.framebuffers.shown();
    this.#solidColors.shown();
  }

  /** Nothing is known any more: the next commit says everything. */
  forget(): void {
    this.#known.forget();
    this.#shown.clear();
    this.#isLit = false;
  }

  /** Turns the screen off. `add` adds what else is to end. Returns 0, or the kernel's negative error number. */
  darken(wait: number, add: (state: AtomicState) => void): number {
    const { card, connector, crtc } = this.#parts, state = new AtomicState();
    for (const plane of this.#planes) unsetPlane(state, plane);
    add(state);
    state.set(connector, "CRTC_ID", 0).set(crtc, "MODE_ID", 0).set(crtc, "ACTIVE", 0);
    this.forget();
    return card.commit(state, COMMIT.ALLOW_MODESET | wait);
  }

  /** Gives back the mode and the pictures. */
  close(): void {
    this.#freeMode();
    this.#staging.close();
    this.#solidColors.close();
    this.framebuffers.close();
  }

  #freeMode(): void {
    if (this.#modeBlob !== 0) this.#parts.card.destroyBlob(this.#modeBlob);
    this.#modeBlob = 0;
  }

  /** Another program may have changed everything since this process was master. */
  #forgetOldReign(): void {
    const { reigns } = this.#parts.card;
    if (!this.#isLit || reigns !== this.#reigns) this.forget();
    this.#reigns = reigns;
  }

  /** With `before`, planes that stay as they are get their picture alone. */
  #fill(
    state: AtomicState,
    pictures: readonly PlanePicture[],
    before?: ReadonlyMap<CardPlane, Shown | typeof NOTHING>,
  ): FrameState {
    const refusals: { why: string; at: number }[] = [], shown = new Map<CardPlane, Shown>();
    pictures.forEach((picture, order) => {
      const { plane, layer, buffer, owner = buffer ? undefined : NO_BUFFER } = picture, old = before?.get(plane);
      const isSame = old?.order === order && looksAlike(old.layer, layer);
      const use = this.#useOf(picture, order, before !== undefined);
      const why = (isSame ? setPicture : setPlane)(state, plane, layer, use);
      if (why !== undefined) return void refusals.push({ why, at: order });
      shown.set(plane, { layer, order, owner });
      if (!buffer || !isSame || old.owner !== owner || this.#isCopied(plane, layer, buffer)) return;
      this.#damage.add(state, plane, layer, { left: 0, top: 0, right: buffer.width, bottom: buffer.height });
    });
    for (const plane of this.#planes) {
      if (!shown.has(plane) && before?.get(plane) !== NOTHING) unsetPlane(state, plane);
    }
    return { state, shown, refusals };
  }

  /** A commit that says at least what lights the screen. */
  #lit(known?: KnownValues): AtomicState {
    const state = new AtomicState(known), { connector, crtc } = this.#parts;
    if (this.#isLit) return state;
    state.set(connector, "CRTC_ID", crtc.id).set(crtc, "MODE_ID", this.#modeBlob).set(crtc, "ACTIVE", 1);
    return state.setWhereThere(crtc, "DEGAMMA_LUT", 0);
  }

  /** Whether the card shows a copy: damage since the last picture says nothing about the copy before. */
  #isCopied(plane: CardPlane, layer: PlaneLayer, buffer: GraphicBuffer): boolean {
    return this.framebuffers.of(buffer, scanoutFormat(plane, buffer, layer.blend)).id === 0;
  }

  #useOf({ layer, owner, buffer, fence }: PlanePicture, order: number, copies: boolean): PlaneUse {
    const { crtc } = this.#parts, isClient = owner === undefined && layer.name === CLIENT_TARGET;
    const staging = isClient ? this.#staging : undefined;
    const { framebuffers } = this, solidColors = this.#solidColors;
    return { buffer, crtc: crtc.id, order, fence, staging, copies, framebuffers, solidColors };
  }
}
