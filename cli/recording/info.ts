import { type RecordingInfo, recordingInfo } from "../../workbench/recordings/mod.ts";
import type { Request } from "../command.ts";

/** Most commands and names that are told in text; `--json` has all. */
const MOST = 12;

/** `recording info`: what is in a recording. The exit code is 1 for one that cannot be replayed. */
export function info(path: string, { json }: Request, print: (text: string) => void): number {
  const found = recordingInfo(path);
  print(json ? JSON.stringify(found, null, 2) : textOf(path, found));
  return found.state === "whole" && found.gaps.length === 0 ? 0 : 1;
}

function textOf(path: string, found: RecordingInfo): string {
  const { state, devices, instances, frames, framesEndAt, lines, commands, writes, reads, gaps } = found;
  const calls = Object.values(commands).reduce((sum, count) => sum + count, 0);
  const presented = framesEndAt === "presents" ? "presented" : "submissions, nothing is presented";
  return [
    `${path}: ${state === "whole" ? "whole" : `${state} since it was written`}, ${sizeText(found)}`,
    ...devices.map(({ deviceName = "a device whose name nobody asked for", apiVersion, extensions, features }) =>
      `device: ${deviceName}, Vulkan ${apiVersion}, extensions: ${some(extensions)}, features: ${some(features)}`
    ),
    `${instances} instances, ${frames} frames (${presented})`,
    `${lines} lines: ${calls} calls, ${writes} writes, ${reads} reads`,
    `commands: ${some(Object.entries(commands).map(([name, count]) => `${name} ${count}`))}`,
    ...gaps.length === 0 ? ["no gaps"] : [`${gaps.length} gaps, so that it cannot be replayed:`],
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
