import type { DriverDifference } from "../../recordings/compare/finding.ts";
import type { FormatTolerance } from "../../recordings/mod.ts";
import type { FuzzProgram } from "../generate.ts";
import { writeRecording } from "../../recordings/replay/stream.ts";
import { type Blame, blameOf } from "./blame.ts";
import { isKnown } from "./known.ts";
import type { ReducedFinding } from "./reduce_finding.ts";
import { signatureOf, toldAs } from "./signature.ts";

/** A difference that was not known. */
export interface FuzzFinding {
  /** The line that tells this difference from others. */
  readonly signature: string;
  /** The seed of the first program that shows the difference; `undefined` for a driver that ended before any. */
  readonly seed?: number;
  /** Whether the driver ended, or a process of this library for a reason of its own; `undefined` for differences. */
  readonly blame?: Blame;
  /** How many programs showed it. */
  count: number;
  /** The first difference. */
  readonly difference: DriverDifference;
  /** The file of the program, if it was written. */
  readonly file?: string;
  /** Why the file was not written, although it should have been. */
  readonly unwritten?: string;
  /** Steps by which the components of a format may differ in this program, by VkFormat. */
  readonly steps: FormatTolerance;
  /** The smaller program, or why there is none. */
  reduced?: ReducedFinding | string;
}

/** Differences, each kept once. */
export class Findings {
  /** How many were known. */
  known = 0;
  readonly #found = new Map<string, FuzzFinding>();

  /** Takes the signatures that are known, and the folder for programs that differ. */
  constructor(readonly run: { readonly known: readonly string[]; readonly out?: string }) {}

  /** The findings that were not known. */
  get all(): readonly FuzzFinding[] {
    return [...this.#found.values()];
  }

  /** Adds the difference that a program shows. Returns the finding if the difference is new. */
  add(difference: DriverDifference, seed: number, program: FuzzProgram): FuzzFinding | undefined {
    const exact = signatureOf(difference, program), signature = toldAs(exact, [...this.#found.keys()]);
    const before = this.#found.get(signature);
    if (isKnown(this.run.known, exact)) {
      this.known++;
      return undefined;
    }
    if (before) {
      before.count++;
      return undefined;
    }
    const finding = {
      signature,
      seed,
      count: 1,
      difference,
      blame: blameOf(difference),
      steps: { ...program.steps },
      ...this.run.out !== undefined && saved(this.run.out, seed, program),
    };
    this.#found.set(signature, finding);
    return finding;
  }
}

function saved(out: string, seed: number, program: FuzzProgram): Pick<FuzzFinding, "file" | "unwritten"> {
  const file = `${out}/seed-${seed}.jsonl`, unwritten = written(file, program);
  return unwritten === undefined ? { file } : { unwritten };
}

/** Writes a program, whole or not at all. Returns why that is not possible. */
export function written(path: string, { recording }: FuzzProgram): string | undefined {
  try {
    removeFiles(path);
    writeRecording(path, recording);
    return undefined;
  } catch (error) {
    try {
      removeFiles(path);
    } catch {
      // what cannot be removed was there before
    }
    return `${path} cannot be written: ${(error as Error).message}`;
  }
}

function removeFiles(recording: string): void {
  for (const path of [recording, `${recording}.data`]) {
    try {
      Deno.removeSync(path, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
