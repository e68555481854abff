import type { AtomicState } from "../card/commit.ts";
import type { CardConnector, CardCrtc } from "../card/facts.ts";

/** Values of the property `Content Protection`. */
const PROTECTION = { UNDESIRED: 0, DESIRED: 1, ENABLED: 2n };
/** `HDCP Type0` of the property `HDCP Content Type`: every version of HDCP will do. */
const ANY_HDCP = 0;

/** What is wanted of the link to a display. */
export interface LinkWishes {
  /** Whether the link is to be protected (HDCP). */
  readonly contentProtection: boolean;
  /** Whether frames may come when they are ready, instead of at fixed times. */
  readonly variableRefresh: boolean;
}

/** Adds to a commit what a display's link is to do, where the card and the display can. */
export function addLink(
  state: AtomicState,
  connector: CardConnector,
  crtc: CardCrtc,
  { contentProtection, variableRefresh }: LinkWishes,
): void {
  const { DESIRED, UNDESIRED } = PROTECTION;
  state.setWhereThere(connector, "HDCP Content Type", ANY_HDCP);
  state.setWhereThere(connector, "Content Protection", contentProtection ? DESIRED : UNDESIRED);
  state.setWhereThere(crtc, "VRR_ENABLED", variableRefresh && canVary(connector) ? 1 : 0);
}

/** Whether a display takes frames at other times than those of its mode, as it was when the connector was read. */
export function canVary({ properties: { vrr_capable } }: CardConnector): boolean {
  return vrr_capable?.value === 1n;
}

/** Whether the link was protected when the connector was read. */
export function isProtected({ properties }: CardConnector): boolean {
  return properties["Content Protection"]?.value === PROTECTION.ENABLED;
}
