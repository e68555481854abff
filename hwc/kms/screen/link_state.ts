import type { AtomicState } from "../card/commit.ts";
import type { CardConnector, CardCrtc } from "../card/facts.ts";

/** Values of the property `Content Protection`. */
const PROTECTION = { UNDESIRED: 0, DESIRED: 1, ENABLED: 2n };
/** `HDCP Type0` of the property `HDCP Content Type`: every version of HDCP will do. */
const ANY_HDCP = 0;
/** The property of what a picture is, for displays that treat photos otherwise than games. */
const CONTENT_TYPE = "content type";

/** The wishes for the link to a display. */
export interface LinkWishes {
  /** Whether the link is to be protected (HDCP). */
  readonly contentProtection: boolean;
  /** Whether frames may come when they are ready, instead of at fixed times. */
  readonly variableRefresh: boolean;
}

/** The state of a display's link, where the card and the display can change it. */
export class LinkState {
  readonly #wishes: LinkWishes;
  #contentType = 0;

  /** Nothing is told yet. */
  constructor(wishes: LinkWishes) {
    this.#wishes = wishes;
  }

  /** Adds to a commit what has changed. Returns whether some cards take that for a change of the mode. */
  add(state: AtomicState, connector: CardConnector, crtc: CardCrtc, contentType: number): boolean {
    const { DESIRED, UNDESIRED } = PROTECTION, { contentProtection, variableRefresh } = this.#wishes;
    state.setWhereThere(connector, "HDCP Content Type", ANY_HDCP);
    state.setWhereThere(connector, "Content Protection", contentProtection ? DESIRED : UNDESIRED);
    state.setWhereThere(crtc, "VRR_ENABLED", variableRefresh && canVary(connector) ? 1 : 0);
    state.setWhereThere(connector, CONTENT_TYPE, contentType);
    const changes = contentType !== this.#contentType && connector.properties[CONTENT_TYPE] !== undefined;
    this.#contentType = contentType;
    return changes;
  }
}

/** The contents that a link can name, which have the numbers of `hwc2_content_type_t`. */
export function contentTypesOf({ properties }: CardConnector): number[] {
  return Object.values(properties[CONTENT_TYPE]?.values ?? {}).map(Number);
}

/** Whether a display takes frames at other times than those of its mode, as it was when the connector was read. */
export function canVary({ properties: { vrr_capable } }: CardConnector): boolean {
  return vrr_capable?.value === 1n;
}

/** Whether the link was protected when the connector was read. */
export function isProtected({ properties }: CardConnector): boolean {
  return properties["Content Protection"]?.value === PROTECTION.ENABLED;
}
