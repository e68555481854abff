import { trimRecording } from "../../workbench/recordings/mod.ts";
import { type RecordedStream, writeRecording } from "../../workbench/layers.ts";
import type { Request } from "../command.ts";
import { isRefusal, refusalText, Unusable, WrongUse } from "../../workbench/process/exit_code.ts";

/** `recording trim`: a part that stands alone. The exit code is 1 if some contents could not be saved. */
export function trim(path: string, { json, options, values }: Request, print: (text: string) => void): number {
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
