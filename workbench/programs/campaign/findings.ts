import type { DriverDifference } from "../../recordings/compare/finding.ts";
import { DRIVERS } from "../../recordings/compare/report/text.ts";
import type { FormatTolerance } from "../../recordings/mod.ts";
import type { FuzzProgram } from "../generate.ts";
import { writeRecording } from "../../recordings/replay/stream.ts";
import { isKnown } from "./known.ts";
import type { ReducedFinding } from "./reduce_finding.ts";
import type { BoundResource, BoundState } from "../../recordings/compare/bound_state.ts";
import { formatName } from "../formats.ts";
import type { RecordedCall } from "../../recordings/record/line.ts";
import type { Arguments } from "../writer.ts";
import { aspectsOf } from "../../../loader/texels/format.ts";
import { WrongUse } from "../../process/exit_code.ts";
import { atPath } from "../../process/files.ts";

/**
 * Returns what tells a difference from others: how it shows, the command, what
 * sets a draw apart, and the formats, with the aspect if a format has two.
 */
export function signatureOf(difference: DriverDifference, { recording: { lines } }: FuzzProgram): string {
  const { kind, side, line = 0, action } = difference, found = lines[line - HEADERS];
  const call = action ?? (found && "command" in found ? found : undefined);
  const who = side === undefined ? kind : `${kind} on ${DRIVERS[side]}`;
  const what = kind === "differs"
    ? writtenIn(difference)
    : formatsOf(difference, call, lines as readonly RecordedCall[]);
  const trait = kind === "differs" && action ? traitOf(action.boundState) : undefined;
  return [who, call && call.command.replace(NEWER, ""), trait, ...what].filter((each) => each).join(": ");
}

/** Returns the feature that sets a draw apart, whatever its format: the rarest of its pipeline's. */
function traitOf({ state }: BoundState): string | undefined {
  const { pMultisampleState, pDynamicState, pColorBlendState } = state as Arguments ?? {};
  if (pMultisampleState?.rasterizationSamples > 1) return "several samples";
  if (pDynamicState?.pDynamicStates.some((value: number) => value >= EXTENSIONS)) return "dynamic state of 1.3";
  if (pColorBlendState?.pAttachments.some(({ blendEnable }: Arguments) => blendEnable)) return "blending";
  return undefined;
}

/** The first value that is not of Vulkan 1.0. */
const EXTENSIONS = 1e9;

/** The parts of a signature up to its command. */
const COMMAND = 2;
/** The most formats with which a difference of one command is told. */
const MOST_FORMATS = 4;

/** Returns the signature under which a difference is told: a command that differs with many formats is one fault. */
export function toldAs(signature: string, told: readonly string[]): string {
  const parts = signature.split(": "), start = parts.slice(0, -1).join(": ") + ": ";
  if (told.includes(signature) || parts.length <= COMMAND) return signature;
  return told.filter((each) => each.startsWith(start)).length < MOST_FORMATS ? signature : `${start}further formats`;
}

/** Lines of the recording's file before line 0. */
const HEADERS = 2;
/** The same command with all arguments in one struct. */
const NEWER = /(?<=^vkCmd(Copy|Blit|Resolve)\w*)2$/;

/** The format that was written, perhaps the one that was read. */
function writtenIn({ action, differences: [first] }: DriverDifference): string[] {
  const image = first?.piece.image, what = image ? formatName(image.format) : "buffer";
  const [source] = (action?.boundState.resources ?? []).filter(({ role }) => role === "srcImage").flatMap(formatIn);
  const written = image && aspectsOf(image.format).length > 1 ? `${what} ${image.aspect}` : what;
  return [source && source !== what ? `${source} to ${written}` : written];
}

/** The formats of all images that a command had bound, or that its arguments name. */
function formatsOf(
  { action }: DriverDifference,
  call: Pick<RecordedCall, "args"> | undefined,
  lines: readonly RecordedCall[],
): string[] {
  const boundState = action?.boundState.resources.flatMap(formatIn) ?? [];
  const named = boundState.length > 0 || !call
    ? boundState
    : [...namesIn(call.args)].flatMap((name) => formatNamed(name, lines));
  return named.length > 0 ? [[...new Set(named)].sort().join(", ")] : [];
}

function formatIn({ facts: { format } }: BoundResource): string[] {
  return typeof format === "number" ? [formatName(format)] : [];
}

/** The names of objects in arguments. */
function* namesIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
    for (const each of Object.values(value)) yield* namesIn(each);
  }
}

/** The format of an image or of a view by its name. */
function formatNamed(name: string, lines: readonly RecordedCall[]): string[] {
  if (!/^VkImage(View)?#/.test(name)) return [];
  const made = lines.find(({ command, out }) =>
    /^vkCreateImage(View)?$/.test(command) && Object.values(out ?? {}).includes(name)
  );
  return made ? [formatName(made.args.pCreateInfo.format)] : [];
}

/** A difference that was not known. */
export interface FuzzFinding {
  /** The line that tells this difference from others. */
  readonly signature: string;
  /** The seed of the first program that shows the difference; `undefined` for a driver that ended before any. */
  readonly seed?: number;
  /** Whether the driver ended, or a process of this library for a reason of its own; `undefined` for differences. */
  readonly blame?: Blame;
  /** The number of programs that showed it. */
  count: number;
  /** The first difference. */
  readonly difference: DriverDifference;
  /** The file of the program, if it was written. */
  readonly file?: string;
  /** The reason why the file was not written, although it should have been. */
  readonly unwritten?: string;
  /** Steps by which the components of a format may differ in this program, by VkFormat. */
  readonly steps: FormatTolerance;
  /** The smaller program, or why there is none. */
  reduced?: ReducedFinding | string;
}

/** Differences, each kept once. */
export class Findings {
  /** The number of differences that were known. */
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

/** The owner of the fault that ended a process. */
export type Blame = "driver" | "pumice";

/**
 * Lines that Deno and V8 print when they end the process themselves, and the beginning of an error that nobody caught.
 */
const OWN = /Deno has panicked|Fatal JavaScript|Fatal error in|error: Uncaught/;
/** The sign of a call that a driver refused. */
const REFUSED = /VK_ERROR_/;

/**
 * Tells whose fault it is that a process ended or refused a program;
 * `undefined` for other differences. A process that a signal ended was in
 * native code, which is the driver's, unless Deno said that it ended itself.
 */
export function blameOf({ kind, reason = "" }: Pick<DriverDifference, "kind" | "reason">): Blame | undefined {
  if (kind === "differs") return undefined;
  if (kind === "failed") return REFUSED.test(reason) ? "driver" : "pumice";
  return OWN.test(reason) ? "pumice" : "driver";
}

/**
 * Makes the folder for what is found, and keeps other runs out of the folder
 * until it is disposed of: two runs with the same seeds would write the same files.
 *
 * @throws {WrongUse} if there can be no such folder, or another run writes there.
 */
export function outFolder(path: string): Disposable {
  if (path === "") throw new WrongUse("fuzz: --out= names no folder");
  const lock = opened(path);
  // Deno has had tryLockSync() since some versions after the oldest that is supported.
  if (!("tryLockSync" in lock) || lock.tryLockSync(true)) return lock;
  lock.close();
  throw new WrongUse(`fuzz: another run writes into --out=${path}; give each run a folder of its own`);
}

function opened(path: string): Deno.FsFile {
  return atPath("fuzz: --out", path, () => {
    Deno.mkdirSync(path, { recursive: true });
    return Deno.openSync(path);
  });
}
