import { bisect } from "../../../../../workbench/recordings/compare/bisect.ts";
import type { DriverDifference } from "../../../../../workbench/recordings/compare/finding.ts";
import { Pair } from "../../../../../workbench/recordings/compare/pair.ts";
import { type RecordedStream, writeRecording } from "../../../../../workbench/layers.ts";
import { lineNumber } from "../../../../../workbench/recordings/replay/recording_file.ts";
import { allFormats } from "../../../../../workbench/programs/formats.ts";
import type { Fault } from "./fault.ts";
import { Oracle, type OracleOfProgram } from "./oracle.ts";

const LAYER = new URL("fault_layer.ts", import.meta.url).pathname;
/** One driver computes the same twice: nothing is tolerated. */
const EXACT = Object.fromEntries(allFormats().map(({ value }) => [value, 0]));
const TIMEOUT = 60_000;

/** The verdict on a fault. */
export interface Verdict {
  readonly fault: Fault;
  /** The finding of the comparison. */
  readonly finding: DriverDifference | undefined;
  /** The reason why the finding is wrong; undefined if it is right. */
  readonly wrong?: string;
}

/** Compares a driver with itself and a fault, one fault after the other, and judges what is found. */
export class Judge implements AsyncDisposable {
  readonly #folder = Deno.makeTempDirSync({ prefix: "planted-" });
  readonly #recording = `${this.#folder}/program.jsonl`;
  readonly #oracle: Oracle;
  readonly #pair: Pair;
  #program: OracleOfProgram | undefined;

  /** Opens the driver. */
  constructor(driver: string) {
    Deno.env.set("PLANTED", `${this.#folder}/fault.json`);
    this.#oracle = new Oracle(driver);
    this.#pair = new Pair([{ driver }, { driver, layers: [LAYER] }], {
      recording: this.#recording,
      unsealed: false,
      timeout: TIMEOUT,
      steps: EXACT,
      share: 0,
    });
  }

  /** Takes another recording. */
  program(stream: RecordedStream): void {
    for (const path of [this.#recording, `${this.#recording}.data`]) removeIfThere(path);
    writeRecording(this.#recording, stream);
    this.#program = this.#oracle.program(stream);
  }

  /** Judges what is found of a fault. */
  async judge(fault: Fault): Promise<Verdict> {
    Deno.writeTextFileSync(`${this.#folder}/fault.json`, JSON.stringify(fault));
    const finding = await this.#find(), wrong = wrongIn(this.#program!, fault, finding);
    return { fault, finding, ...wrong !== undefined && { wrong } };
  }

  /** Ends the processes and removes the files. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pair.close();
    this.#oracle[Symbol.dispose]();
    Deno.removeSync(this.#folder, { recursive: true });
  }

  async #find(): Promise<DriverDifference | undefined> {
    const first = await this.#pair.run();
    if (first?.kind !== "differs") return first;
    return await bisect(this.#pair, this.#recording, first.submission!, false) ?? first;
  }
}

function wrongIn(program: OracleOfProgram, fault: Fault, finding: DriverDifference | undefined): string | undefined {
  const submission = program.submission(fault), told = finding ? toldOf(finding) : "no difference";
  if (submission === undefined) return finding && `nothing differs, but found ${told}`;
  if (finding?.submission === submission && finding.action) {
    const at = program.actionAt(submission, finding.action.line - lineNumber(0));
    if (at >= 0 && program.isFirst(fault, submission, at)) return undefined;
  }
  const lines = program.firsts(fault, submission).map(lineNumber).join(" or ");
  return `line ${lines} of submission ${submission} differs, but found ${told}`;
}

function toldOf({ kind, reason = "", submission, action, differences }: DriverDifference): string {
  const what = differences.map(({ piece }) => piece.name).join(", ");
  return `${kind} ${reason} in submission ${submission}, line ${action?.line} ${action?.command}: ${what}`;
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
