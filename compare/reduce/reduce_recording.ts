import { basename } from "node:path";
import { callback, checkOptions, oneOf, type OptionRules, text } from "../../ffi/check_options.ts";
import {
  readRecording,
  type RecordedLine,
  type RecordedStream,
  RecordingError,
  writeRecording,
} from "../../loader/layers.ts";
import { checkStream } from "../../loader/replay/check.ts";
import { DEFAULT_TIMEOUT } from "../../loader/replay/session.ts";
import { checkDrivers, PAIR_RULES } from "../check_pair.ts";
import type { FormatTolerance } from "../contents/tolerance.ts";
import type { DriverDifference } from "../finding.ts";
import { Pair } from "../pair.ts";
import type { ComparedDriver } from "../sides/side.ts";
import { Candidate } from "./candidate.ts";
import { leaveOut } from "./delta.ts";
import { dropped } from "./drop.ts";
import { shrunk } from "./shrink.ts";
import { Validator } from "./validator.ts";
import { type Unit, unitsOf } from "./units.ts";

/** Options of {@linkcode reduceRecording}. */
export interface ReduceOptions {
  /** What must stay so. Default `"differs"`: the same buffer or image differs. */
  readonly while?: "differs" | "crashed" | "hung";
  /** Steps by which the components of a format may differ, by VkFormat. */
  readonly steps?: FormatTolerance;
  /** The share of the texels of a level that may differ, from 0 to 1. Default 0. */
  readonly share?: number;
  /** Milliseconds that a driver may take for a submission, and for a wait. Default 60000. */
  readonly timeout?: number;
  /** Whether to accept a recording that was cut or changed by hand. Default: no. */
  readonly unsealed?: boolean;
  /**
   * The name or manifest of a validation layer. A smaller recording must have
   * no error of that layer, unless the whole recording has some. Default: no
   * validation, so that what is left may break rules of Vulkan.
   */
  readonly validation?: string;
  /** Called when a smaller recording was found, with the number of its lines. */
  readonly onSmaller?: (lines: number) => void;
}

/** What a reduction came to. */
export interface ReducedRecording {
  /** Lines before and after. */
  readonly lines: readonly [before: number, after: number];
  /** Calls that record commands, before and after. */
  readonly commands: readonly [before: number, after: number];
  /** How many smaller recordings were tried. */
  readonly tries: number;
  /** Whether the condition held only in some replays of one recording. */
  readonly isFlaky: boolean;
  /** Whether every smaller recording was checked by the validation layer. */
  readonly isValidated: boolean;
  /** What differs in the reduced recording. */
  readonly finding: DriverDifference;
}

const RULES: OptionRules<ReduceOptions> = {
  ...PAIR_RULES,
  while: oneOf("differs", "crashed", "hung"),
  validation: text("the name or manifest of a layer"),
  onSmaller: callback("takes a number of lines"),
};
/** How often a condition is tried again that holds only sometimes. */
const FLAKY_TRIES = 3;

/**
 * Makes a recording as small as it can be while two drivers still part in the
 * same way, and writes it to `out`. Command buffers, passes, commands, objects
 * and data are left out, with everything that needs them; then counts of draws
 * and dispatches become smaller.
 *
 * @throws {RecordingError} if the recording cannot be read or replayed.
 * @throws {TypeError} if the drivers do not part in the way that must stay so.
 */
export async function reduceRecording(
  recording: string,
  drivers: readonly [ComparedDriver, ComparedDriver],
  out: string,
  options: ReduceOptions = {},
): Promise<ReducedRecording> {
  checkOptions("reduceRecording()", options, RULES);
  checkDrivers("reduceRecording()", drivers);
  const stream = readRecording(recording, { unsealed: options.unsealed });
  const folder = Deno.makeTempDirSync({ prefix: "reduce-" });
  try {
    return await reduced(`${folder}/${basename(out)}`, stream, drivers, out, options);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Reduces a recording by a file at a path, which is written for each try. */
async function reduced(
  path: string,
  stream: RecordedStream,
  drivers: readonly [ComparedDriver, ComparedDriver],
  out: string,
  options: ReduceOptions,
): Promise<ReducedRecording> {
  const reducer = new Reducer(path, stream, drivers, options);
  try {
    const reduction = await reducer.run();
    writeRecording(out, reducer.stream);
    return reduction;
  } finally {
    await reducer.close();
  }
}

/** A reduction that goes on. */
class Reducer {
  /** The smallest recording so far. */
  readonly stream: RecordedStream;
  readonly #candidate: Candidate;
  /** What was tried, so that nothing is tried twice. */
  readonly #tried = new Set<string>();
  readonly #pair: Pair;
  readonly #options: ReduceOptions;
  #first: DriverDifference | undefined;
  #latest: DriverDifference | undefined;
  readonly #validator: Validator | undefined;
  #tries = 0;
  #isFlaky = false;
  #isValidated = false;

  constructor(
    path: string,
    stream: RecordedStream,
    drivers: readonly [ComparedDriver, ComparedDriver],
    options: ReduceOptions,
  ) {
    const { steps = {}, share = 0, timeout = DEFAULT_TIMEOUT } = options;
    this.stream = stream;
    this.#candidate = new Candidate(path, this.stream);
    this.#options = options;
    const { validation } = options;
    if (validation !== undefined) this.#validator = new Validator(drivers[0], validation, path, timeout);
    this.#pair = new Pair(drivers, { recording: path, unsealed: true, timeout, steps, share });
  }

  async run(): Promise<ReducedRecording> {
    const before = this.stream.lines, holds = (lines: readonly RecordedLine[]) => this.#holds(lines);
    this.#first = await this.#try(before);
    this.#expect(this.#first);
    this.#isValidated = await this.#validator?.isSilent() ?? false;
    this.#isFlaky = !this.#isSame(await this.#try(before));
    for (let size = Infinity; this.stream.lines.length < size;) {
      size = this.stream.lines.length;
      for (let kind = 0; kind < unitsOf(this.stream.lines).length; kind++) await this.#leaveOut(kind);
    }
    await shrunk(this.stream.lines, holds);
    const after = this.stream.lines, finding = this.#latest ?? this.#first!;
    return {
      lines: [before.length, after.length],
      commands: [commandsIn(before), commandsIn(after)],
      tries: this.#tries,
      isFlaky: this.#isFlaky,
      isValidated: this.#isValidated,
      finding,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#pair.close(), this.#validator?.close()]);
  }

  /** Units are indices of the lines that there are now. */
  async #leaveOut(kind: number): Promise<void> {
    const lines = this.stream.lines, units = unitsOf(lines)[kind];
    await leaveOut(units, (out: readonly Unit[]) => this.#holds(dropped(lines, new Set(out.flat()))));
  }

  /** Whether a recording parts the drivers in the same way. If so, it is the smallest so far. */
  async #holds(lines: readonly RecordedLine[]): Promise<boolean> {
    const text = JSON.stringify(lines);
    if (this.#tried.has(text)) return false;
    this.#tried.add(text);
    for (let tries = this.#isFlaky ? FLAKY_TRIES : 1; tries > 0; tries--) {
      const finding = await this.#try(lines);
      if (!this.#isSame(finding)) continue;
      if (this.#isValidated && !await this.#validator!.isSilent()) return false;
      this.#latest = finding;
      this.stream.lines = [...lines];
      this.#options.onSmaller?.(lines.length);
      return true;
    }
    return false;
  }

  async #try(lines: readonly RecordedLine[]): Promise<DriverDifference | undefined> {
    try {
      checkStream({ ...this.stream, lines: [...lines] });
      this.#tries++;
      this.#candidate.write(lines);
      const only = this.#first?.differences.map(({ piece }) => piece.resource);
      return await this.#pair.run(only?.length ? { only } : {});
    } catch (error) {
      if (error instanceof RecordingError && this.#first) return undefined;
      throw error;
    }
  }

  #expect(finding: DriverDifference | undefined): void {
    const wanted = this.#options.while ?? "differs", found = finding?.kind ?? "do not differ";
    if (found === wanted) return;
    throw new TypeError(
      `Cannot reduce while "${wanted}": the drivers ${finding ? `part otherwise, "${found}"` : found}`,
    );
  }

  /** A difference elsewhere would be another fault. */
  #isSame(finding: DriverDifference | undefined): boolean {
    if (finding?.kind !== this.#first!.kind || finding.side !== this.#first!.side) return false;
    if (finding.kind !== "differs") return true;
    const wanted = new Set(this.#first!.differences.map(({ piece }) => piece.resource));
    return finding.differences.some(({ piece }) => wanted.has(piece.resource));
  }
}

function commandsIn(lines: readonly RecordedLine[]): number {
  return lines.filter((line) => "command" in line && line.command.startsWith("vkCmd")).length;
}
