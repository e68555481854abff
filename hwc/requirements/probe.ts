import type { Requirement } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import type { ComposerSession } from "./session.ts";

/** The source of most requirements for a composer. */
export const GUIDE = "Android's guide Implementing the Hardware Composer HAL";
/** The tests of the interface. */
export const VTS = "VTS VtsHalGraphicsComposer3_TargetTest";

/** A requirement for a composer, and its check. */
export interface Probe extends Requirement<[session: ComposerSession], Outcome | Promise<Outcome>> {
  /** The change to make after a failure or for a better result. */
  readonly advice: string;
}
