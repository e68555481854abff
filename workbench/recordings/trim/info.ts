import type { Fields, RecordedCall, RecordedLine, WritesFoundBy } from "../record/line.ts";
import { lookingAt, RecordingError } from "../replay/error.ts";
import { lineNumber, RecordingFile } from "../replay/recording_file.ts";
import { sidecarOf } from "../record/sidecar.ts";
import { Survey } from "../replay/survey.ts";
import { FrameCount, type FrameEndKind } from "./frames.ts";

/** A device of a recording. */
export interface RecordedDevice {
  /** The name of the physical device; `undefined` if the program did not ask, so that no line tells. */
  readonly deviceName: string | undefined;
  /** The version of Vulkan that the instance asks for, such as `"1.3.0"`. */
  readonly apiVersion: string;
  /** The device extensions. */
  readonly extensions: readonly string[];
  /** The features that the program enabled, by their members' names. */
  readonly features: readonly string[];
}

/** A line that says that something happened unseen. */
export interface RecordingGap {
  /** Number of the line in the file, from 1. */
  readonly line: number;
  /** The object or call that a replay lacks, as a sentence. */
  readonly sentence: string;
}

/** The findings of {@linkcode recordingInfo} about a recording. */
export interface RecordingInfo {
  /** Whether the file is as it was written: cut files have no last line, changed ones another checksum. */
  readonly state: "whole" | "cut off" | "changed";
  /** The devices that the program made, equal ones once. */
  readonly devices: readonly RecordedDevice[];
  /** The number of instances that were made. */
  readonly instances: number;
  /** The number of frames. */
  readonly frames: number;
  /** The event that ends a frame: each presentation or, if nothing is presented, each submission. */
  readonly framesEndAt: FrameEndKind;
  /** The number of lines between the first and the last. */
  readonly lines: number;
  /** The number of calls of each command, by name. */
  readonly commands: Readonly<Record<string, number>>;
  /** The number of the program's writes into mapped memory. */
  readonly writes: number;
  /** The mappings of memory, by the way in which the program's writes were found there; only ways that occur. */
  readonly mapped: Readonly<Partial<Record<WritesFoundBy, number>>>;
  /** The number of times that the program could read new data. */
  readonly reads: number;
  /** The events that happened unseen; a recording with gaps cannot be replayed. */
  readonly gaps: readonly RecordingGap[];
  /** Bytes of the file. */
  readonly fileBytes: number;
  /** Bytes of the folder beside the file. */
  readonly dataBytes: number;
}

/**
 * Reads a recording once and tells what is in it. No driver is needed. A file
 * that was cut or changed is read as far as it goes.
 *
 * @throws {RecordingError} if the file is not a recording, or a line is invalid.
 *
 * @example How many frames a recording has
 * ```ts ignore
 * import { recordingInfo } from "@pumice/gfx/compare";
 *
 * const { frames, gaps } = recordingInfo("frame.jsonl");
 * console.log(`${frames} frames, ${gaps.length} gaps`);
 * ```
 */
export function recordingInfo(path: string): RecordingInfo {
  const file = new RecordingFile(path, true), counts = new Counts();
  for (const [index, line] of file.entries()) lookingAt(lineNumber(index), () => counts.note(index, line));
  const { frames, commands, survey } = counts;
  return {
    state: stateOf(path),
    devices: lookingAt(0, () => devicesIn(survey)),
    instances: commands.get("vkCreateInstance") ?? 0,
    frames: frames.count,
    framesEndAt: frames.kind,
    lines: counts.lines,
    commands: Object.fromEntries([...commands].sort(([, one], [, other]) => other - one)),
    writes: counts.writes,
    mapped: Object.fromEntries(counts.mapped),
    reads: counts.reads,
    gaps: counts.gaps,
    fileBytes: Deno.statSync(path).size,
    dataBytes: sizeOfFolder(sidecarOf(path)),
  };
}

function devicesIn({ devices }: Survey): RecordedDevice[] {
  return devices.map(({ call, facts, instance }) => ({
    deviceName: facts.deviceName,
    apiVersion: versionText(Number(instance.args.pCreateInfo.pApplicationInfo?.apiVersion ?? 0)),
    extensions: call.args.pCreateInfo.ppEnabledExtensionNames ?? [],
    features: featuresOf(call.args.pCreateInfo),
  }));
}

class Counts {
  readonly frames = new FrameCount();
  readonly survey = new Survey();
  readonly commands = new Map<string, number>();
  readonly gaps: RecordingGap[] = [];
  readonly mapped = new Map<WritesFoundBy, number>();
  lines = 0;
  writes = 0;
  reads = 0;

  note(index: number, line: RecordedLine): void {
    this.lines++;
    this.frames.note(line);
    if ("write" in line) this.writes++;
    else if ("read" in line) this.reads++;
    else if ("missing" in line) this.gaps.push({ line: index + 2, sentence: line.missing }); // the header is line 1
    else this.#noteCall(line);
    this.survey.note(line);
  }

  #noteCall({ command, writes }: RecordedCall): void {
    this.commands.set(command, (this.commands.get(command) ?? 0) + 1);
    if (writes) this.mapped.set(writes, (this.mapped.get(writes) ?? 0) + 1);
  }
}

function stateOf(path: string): RecordingInfo["state"] {
  try {
    new RecordingFile(path, false);
    return "whole";
  } catch (error) {
    if (error instanceof RecordingError && error.code === "cut-off") return "cut off";
    if (error instanceof RecordingError && error.code === "changed") return "changed";
    throw error;
  }
}

/** The names of the members that are on, in all structs of features. */
function featuresOf({ pEnabledFeatures, pNext = [] }: Fields): string[] {
  const structs = [pEnabledFeatures, ...pNext.flatMap((each: Fields) => [each, each.features])];
  return structs.flatMap((each) => Object.entries(each ?? {}).flatMap(([name, value]) => value === true ? [name] : []));
}

/** An application that asks for version 0 gets Vulkan 1.0. */
function versionText(version: number): string {
  return version === 0 ? "1.0.0" : `${version >>> 22 & 0x7f}.${version >>> 12 & 0x3ff}.${version & 0xfff}`;
}

function sizeOfFolder(path: string): number {
  try {
    return [...Deno.readDirSync(path)].reduce((sum, { name }) => sum + Deno.statSync(`${path}/${name}`).size, 0);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}
