import type { NamedDriver } from "./options.ts";

/** The environment variable by which a process is told which test to run. */
export const VARIABLE = "PUMICE_GPU_TEST";

/** One test on one driver, for a process of its own. */
export interface Task {
  /** The test's name. */
  readonly name: string;
  /** The driver. */
  readonly driver: NamedDriver;
  /** Whether it is the first of the test's drivers. */
  readonly leads: boolean;
  /** The file that the outcome goes into. */
  readonly result: string;
  /** The file that says all the time where the test is. */
  readonly where: string;
  /** Whether each command is noted before it is called: a test that crashed is run again so. */
  readonly notesAll?: boolean;
  /** The process that waits for it. */
  readonly parent: number;
}

/** Drivers to be asked what they have, by a process of their own. */
export interface Probe {
  /** Their libraries. */
  readonly probe: readonly string[];
  /** The file that the answers go into, a line each. */
  readonly result: string;
}

let known: Task | Probe | null | undefined;

/** What this process is for; `undefined` in one that starts others. Processes that it starts are not for it. */
export function ownTask(): Task | Probe | undefined {
  if (known === undefined) known = readTask();
  return known ?? undefined;
}

function readTask(): Task | Probe | null {
  const text = variable(VARIABLE);
  if (text === undefined) return null;
  Deno.env.delete(VARIABLE);
  return JSON.parse(text);
}

/** An environment variable; `undefined` also where it may not be read, or is empty. */
export function variable(name: string): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch {
    return undefined;
  }
}
