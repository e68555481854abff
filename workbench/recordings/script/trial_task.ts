import type { SideTask } from "../compare/driver_process/protocol.ts";

/** The task of a process that runs a script's test once. */
export interface TrialTask extends SideTask {
  /** The script's address. */
  readonly file: string;
  /** The test's name. */
  readonly name: string;
}

/** The line that the process prints when the driver is open and the test begins. */
export const BEGAN = "the test begins";
