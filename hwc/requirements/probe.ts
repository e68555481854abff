import type { Requirement } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import type { ComposerSession } from "./session.ts";

/** Where most of what a composer must do is written. */
export const GUIDE = "Android's guide Implementing the Hardware Composer HAL";
/** The tests of the interface. */
export const VTS = "VTS VtsHalGraphicsComposer3_TargetTest";

/** What a composer must do, and how that is tried. */
export interface Probe extends Requirement<[session: ComposerSession], Outcome | Promise<Outcome>> {
  /** What to change where it fails, or where it could be better. */
  readonly advice: string;
}
