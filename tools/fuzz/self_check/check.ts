import {
  type ApiRecording,
  apiRecording,
  readRecording,
  type RecordedLine,
  replayRecording,
} from "../../../workbench/layers.ts";
import { loadVulkan, type VulkanOptions } from "../../../loader/mod.ts";
import { seededChoices } from "../../../workbench/programs/choices.ts";
import { chooseMachine } from "./machine.ts";
import { memoryKinds } from "./memory_kinds.ts";
import { runProgram, type Seen } from "./program.ts";

/** The outcome for one program. */
export interface Outcome {
  /** The seed. */
  readonly seed: number;
  /** The drivers, in order. */
  readonly drivers: readonly string[];
  /** The number of the program's reads that were compared. */
  readonly reads: number;
  /** The gaps that the recording names. */
  readonly gaps: readonly string[];
  /** The faults without a gap that says so; empty for a recording that does not lie. */
  readonly findings: readonly string[];
  /** The uses of features, by name. */
  readonly features: Readonly<Record<string, number>>;
}

/** A change of recordings before they are replayed, to see that a lie is found. */
export type Plant = (lines: readonly RecordedLine[]) => readonly RecordedLine[];

/**
 * Runs the program of a seed that has one thread, records it into a folder, replays the recording
 * on the program's own drivers and compares every byte that the program read.
 */
export function selfCheck(
  seed: number,
  libraries: readonly string[],
  folder: string,
  plant: Plant = (lines) => lines,
): Outcome {
  using machine = chooseMachine(seededChoices(seed, 1), libraries);
  const path = `${folder}/${seed}.jsonl`, kinds = memoryKinds(), { options } = machine;
  using recording = apiRecording({ path });
  const { seen, features } = (() => {
    using vulkan = loadVulkan({ ...options, layers: [recording.layer, kinds] });
    return runProgram(vulkan, seed);
  })();
  recording.close();
  const target = { ...options, layers: [kinds] };
  return {
    seed,
    drivers: machine.names,
    features: Object.fromEntries(features),
    ...judged({ recording, path, target, seen, plant }),
  };
}

/** A program that ran, and its recording. */
export interface Ran {
  readonly recording: Pick<ApiRecording, "gaps" | "error">;
  readonly path: string;
  /** The drivers of the program. */
  readonly target: VulkanOptions;
  readonly seen: readonly Seen[];
  readonly plant: Plant;
}

/** Replays a recording unless it names gaps, and returns what is wrong with it or with the program. */
export function judged(
  { recording, path, target, seen, plant }: Ran,
): Pick<Outcome, "reads" | "gaps" | "findings"> {
  const gaps = recording.error === undefined ? recording.gaps : [...recording.gaps, `error: ${recording.error}`];
  const wrong = seen.filter(({ bytes, expected }) => !isSame(bytes, expected));
  const findings = wrong.length > 0 ? [`the program itself read other bytes than it must: ${describe(wrong[0])}`] : [];
  if (gaps.length === 0) findings.push(...replayed(target, path, seen, plant));
  return { reads: seen.length, gaps, findings };
}

/** Returns what a replay reads otherwise than the program did. */
function replayed(target: VulkanOptions, path: string, seen: readonly Seen[], plant: Plant): string[] {
  const findings: string[] = [], own: (Seen | undefined)[] = [];
  try {
    const stream = readRecording(path), lines = withReads(plant(stream.lines), seen, own);
    let read = 0;
    replayRecording(target, { ...stream, lines }, {
      timeout: 20_000,
      onRead({ buffer, offset, recorded, replayed }) {
        const mark = own[read++], where = mark ? `read ${mark.mark} of the program` : "a read of the recording";
        const at = replayed ? differs(recorded, replayed) : 0;
        if (at === undefined) return;
        const bytes = `${hex(recorded, at)} recorded, ${replayed ? hex(replayed, at) : "nothing"} replayed`;
        const part = `bytes ${offset} to ${offset + recorded.length} of ${buffer}`;
        findings.push(`${where} (${part}) differs at byte ${offset + at}: ${bytes}`);
      },
    });
    const left = seen.length - own.filter((each) => each).length;
    if (left > 0) findings.push(`${left} marks of the program are not in the recording`);
  } catch (error) {
    findings.push(`the replay failed: ${(error as Error).message}`);
  }
  return findings;
}

/** Puts a line that reads what the program read behind each mark. `own` gets the program's read for each line that reads. */
function withReads(lines: readonly RecordedLine[], seen: readonly Seen[], own: (Seen | undefined)[]): RecordedLine[] {
  const names = new Map<number, string>();
  return lines.flatMap((line): RecordedLine[] => {
    if ("read" in line) own.push(undefined);
    if (!("command" in line)) return [line];
    if (line.command === "vkCreateBuffer") names.set(Number(line.args.pCreateInfo.size), line.out!.pBuffer);
    const mark = line.command === "vkCreateSampler" ? seen[line.args.pCreateInfo.minLod - 1] : undefined;
    if (!mark) return [line];
    own.push(mark);
    return [line, { read: names.get(mark.size)!, offset: mark.offset, content: mark.bytes }];
  });
}

function describe({ mark, bytes, expected }: Seen): string {
  const at = differs(expected, bytes)!;
  return `read ${mark} of the program has ${hex(bytes, at)} at ${at} instead of ${hex(expected, at)}`;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return differs(one, other) === undefined;
}

/** The first index at which two byte strings differ; `undefined` if they are equal. */
function differs(one: Uint8Array, other: Uint8Array): number | undefined {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return at < 0 ? one.length === other.length ? undefined : one.length : at;
}

function hex(bytes: Uint8Array, at: number): string {
  return `0x${bytes.subarray(at, at + 4).toHex()}`;
}
