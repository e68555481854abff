import { type RecordedStream, writeRecording } from "../../workbench/recordings/replay/stream.ts";
import { isRefusal, refusalText, Unusable, WrongUse } from "../../workbench/process/exit_code.ts";
import { existing } from "../../workbench/process/files.ts";
import { counted } from "../../workbench/process/terminal.ts";
import {
  type ReadDifference,
  type VerifiedRecording,
  verifyRecording,
} from "../../workbench/recordings/trim/verify.ts";
import { type RecordingInfo, recordingInfo } from "../../workbench/recordings/trim/info.ts";
import { trimRecording } from "../../workbench/recordings/trim/trim.ts";
import type { Request } from "../command.ts";

/** `recording verify`: whether a replay reads what the program read. The exit code is 1 if something differs. */
function verify(path: string, { json, options, values }: Request, print: (text: string) => void): number {
  const verified = verifyRecording(options, path, {
    unsealed: values.unsealed === true,
    onDifference: (difference) => json || print(differenceText(difference)),
  });
  print(json ? JSON.stringify(verified, null, 2) : verifiedText(verified));
  return verified.differences.length === 0 ? 0 : 1;
}

function differenceText({ line, resource, first, bytes }: ReadDifference): string {
  return `line ${line}: ${resource} has ${bytes} other bytes, the first at ${first}`;
}

function verifiedText({ deviceName, recordedOn, calls, reads, differences }: VerifiedRecording): string {
  const other = recordedOn.length > 0 && !recordedOn.includes(deviceName)
    ? `, recorded on ${recordedOn.join(", ")}`
    : "";
  const found = reads === 0
    ? "the program read nothing, so that nothing is proven"
    : `${differences.length} of ${reads} reads differ`;
  return `${deviceName}${other}: ${calls} calls, ${found}`;
}

/** Most commands and names that are told in text; `--json` has all. */
const MOST = 12;

/** `recording info`: what is in a recording. The exit code is 1 for one that cannot be replayed. */
function info(path: string, { json }: Request, print: (text: string) => void): number {
  const found = recordingInfo(path);
  print(json ? JSON.stringify(found, null, 2) : infoText(path, found));
  return found.state === "whole" && found.gaps.length === 0 ? 0 : 1;
}

function infoText(path: string, found: RecordingInfo): string {
  const { state, devices, instances, frames, framesEndAt, lines, commands, writes, mapped, reads, gaps } = found;
  const calls = Object.values(commands).reduce((sum, count) => sum + count, 0);
  const presented = framesEndAt === "presents" ? "presented" : "submissions, nothing is presented";
  return [
    `${path}: ${state === "whole" ? "whole" : `${state} since it was written`}, ${sizeText(found)}`,
    ...devices.map(({ deviceName = "a device whose name nobody asked for", apiVersion, extensions, features }) =>
      `device: ${deviceName}, Vulkan ${apiVersion}, extensions: ${some(extensions)}, features: ${some(features)}`
    ),
    `${counted(instances, "instance")}, ${counted(frames, "frame")} (${presented})`,
    `${counted(lines, "line")}: ${counted(calls, "call")}, ${counted(writes, "write")}, ${counted(reads, "read")}`,
    `mapped memory: ${some(Object.entries(mapped).map(([how, count]) => `${count} by ${how}`))}`,
    `commands: ${some(Object.entries(commands).map(([name, count]) => `${name} ${count}`))}`,
    ...gaps.length === 0 ? ["no gaps"] : [`${counted(gaps.length, "gap")}, so that it cannot be replayed:`],
    ...gaps.map(({ line, sentence }) => `  line ${line}: ${sentence}`),
  ].join("\n");
}

function sizeText({ fileBytes, dataBytes }: RecordingInfo): string {
  return `${fileBytes} bytes, with ${dataBytes} bytes of data beside`;
}

function some(names: readonly string[]): string {
  if (names.length === 0) return "none";
  return names.length <= MOST ? names.join(", ") : `${names.slice(0, MOST).join(", ")} and ${names.length - MOST} more`;
}

const ACTIONS: Readonly<Record<string, typeof info>> = { info, verify, trim };

/** Carries out the action of the first operand on the recording of the second: the exit code. */
export function recording(request: Request, print: (text: string) => void): number {
  const [name, path, ...more] = request.operands, action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new WrongUse(`recording: "${name}" is not known; give ${Object.keys(ACTIONS).join(", ")}`);
  if (path === undefined) throw new WrongUse(`recording ${name}: FILE is missing`);
  if (more.length > 0) throw new WrongUse(`recording ${name}: "${more[0]}" is one word too many`);
  return action(existing(`recording ${name}`, path), request, print);
}

/** `recording trim`: a part that stands alone. The exit code is 1 if some contents could not be saved. */
function trim(path: string, { json, options, values }: Request, print: (text: string) => void): number {
  const { from, to } = framesOf("recording trim", values.frames as string | undefined);
  const out = values.out as string ?? "trimmed.jsonl";
  const trimmed = trimRecording(options, path, { from, to, unsealed: values.unsealed === true });
  writePart("recording", out, trimmed.recording);
  const { savedBytes, unsaved } = trimmed, lines = trimmed.recording.lines.length;
  const result = { path: out, from, to: trimmed.to, lines, savedBytes, unsaved: Object.fromEntries(unsaved) };
  print(json ? JSON.stringify(result, null, 2) : textOf(result));
  return unsaved.size === 0 ? 0 : 1;
}

/** The first and the last frame of "N..M", or "N" for one. Throws {@linkcode WrongUse} for anything else. */
export function framesOf(where: string, text: string | undefined): { from: number; to: number } {
  if (text === undefined) throw new WrongUse(`${where}: --frames=N..M is missing`);
  const [, first, last = first] = /^([1-9]\d*)(?:\.\.([1-9]\d*))?$/.exec(text) ?? [];
  const from = Number(first), to = Number(last);
  if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from <= to) return { from, to };
  throw new WrongUse(`${where}: --frames is "${text}"; give N..M, from 1, such as 100..102`);
}

function textOf({ path, from, to, lines, savedBytes, unsaved }: {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly lines: number;
  readonly savedBytes: number;
  readonly unsaved: Readonly<Record<string, string>>;
}): string {
  return [
    `${path}: frames ${from} to ${to}, ${lines} lines, with ${savedBytes} bytes of contents`,
    ...Object.entries(unsaved).map(([name, reason]) => `not saved: the contents of ${name}: ${reason}`),
  ].join("\n");
}

/** Writes a part of a recording. Throws an {@linkcode Unusable} if the system refuses, as on a full disk. */
export function writePart(command: string, path: string, part: RecordedStream): void {
  try {
    writeRecording(path, part);
  } catch (error) {
    const why = isRefusal(error) ? refusalText(error) : (error as Error).message;
    throw new Unusable(`${command}: ${why}`, { cause: error });
  }
}
