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
