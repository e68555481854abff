import type { OpenCard } from "../card/card.ts";
import { AtomicState, COMMIT } from "../card/commit.ts";
import type { CardConnector, CardCrtc, CardMode } from "../card/facts.ts";

/** A mode of a display, with the group in which changes are seamless. */
export interface GroupedMode extends Pick<CardMode, "width" | "height" | "refreshRate"> {
  /** The group's number: the place of its first mode. */
  readonly group: number;
}

/**
 * A connector's modes in groups. The kernel can be asked about changes from what is lit now alone: the modes that it
 * takes without a new mode setting are one group. Every other mode is a group of its own, as all are of a dark screen.
 */
export function groupedModes(card: OpenCard, connector: CardConnector, crtc: CardCrtc): GroupedMode[] {
  const { modes } = connector, isOne = modes.length === 1; // nothing to change to
  const near = modes.map((mode) => isOne || isSeamless(card, connector, crtc, mode)), first = near.indexOf(true);
  return modes.map(({ width, height, refreshRate }, index) => {
    return { width, height, refreshRate, group: near[index] ? first : index };
  });
}

/** Whether the kernel would change to a mode without a new mode setting, which is seen as a dark moment. */
function isSeamless(card: OpenCard, connector: CardConnector, crtc: CardCrtc, { bytes }: CardMode): boolean {
  const mode = card.createBlob(bytes), state = new AtomicState();
  state.set(connector, "CRTC_ID", crtc.id).set(crtc, "MODE_ID", mode).set(crtc, "ACTIVE", 1);
  try {
    return card.commit(state, COMMIT.TEST_ONLY) === 0;
  } finally {
    card.destroyBlob(mode);
  }
}

/** `struct drm_mode_modeinfo` of `drm_mode.h`: its numbers in 16 bits, and those around them. */
const INFO = { clock: 0, horizontal: 4, vertical: 14, refresh: 24, type: 32, name: 36, size: 68 };
/** Pixels beside a row: until the pulse, of the pulse, after it; the same for rows. */
const ACROSS = [48, 32, 80], DOWN = [3, 6, 21];
const USER_DEFINED = 0x20;

/** Makes a mode of any size, for a picture that no display shows. */
export function makeMode(width: number, height: number, refreshRate: number): CardMode {
  const bytes = new Uint8Array(INFO.size), view = new DataView(bytes.buffer);
  const across = linesOf(width, ACROSS), down = linesOf(height, DOWN);
  view.setUint32(INFO.clock, Math.round(across[3] * down[3] * refreshRate / 1000), true);
  across.forEach((value, at) => view.setUint16(INFO.horizontal + 2 * at, value, true));
  down.forEach((value, at) => view.setUint16(INFO.vertical + 2 * at, value, true));
  view.setUint32(INFO.refresh, Math.round(refreshRate), true);
  view.setUint32(INFO.type, USER_DEFINED, true);
  bytes.set(new TextEncoder().encode(`${width}x${height}`), INFO.name);
  return { width, height, refreshRate, isPreferred: true, bytes };
}

/** The picture's size, begin and end of the pulse, and the total. */
function linesOf(size: number, [before, pulse, after]: readonly number[]): number[] {
  return [size, size + before, size + before + pulse, size + before + pulse + after];
}
