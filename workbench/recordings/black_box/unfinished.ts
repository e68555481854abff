import { coreName } from "../record/commands.ts";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { isAction } from "../state_tracker/effects.ts";
import { lineNumber } from "../replay/recording_file.ts";
import type { MarkedCommands } from "./marks.ts";

/** A submitted command buffer with marks, by name. */
export interface MarkedBuffer extends Omit<MarkedCommands, "handle" | "address"> {
  /** The recorded name. */
  readonly buffer: string;
  /** The address of its latest mark in the program, in decimal digits; "0" for a command buffer that has none. */
  readonly address: string;
}

/** A command that the device did not finish. */
export interface UnfinishedCommand {
  /** The command buffer, by its recorded name. */
  readonly commandBuffer: string;
  /** The command. */
  readonly command: string;
  /** The number of the command among those of the command buffer, from 1. */
  readonly number: number;
  /** The number of draws and the like before it, without marks of their own, that may not be finished either. */
  readonly before: number;
  /** Number of the command's line in the recording, from 1. */
  readonly line: number;
}

/**
 * Finds the first command that a device did not finish: in the first of the submitted command buffers whose latest mark
 * is not the last. `latest` returns a mark; `undefined` if it cannot be read.
 */
export function unfinishedIn(
  submitted: readonly MarkedBuffer[],
  latest: (marked: MarkedBuffer) => number | undefined,
  lines: readonly RecordedLine[],
): UnfinishedCommand | undefined {
  const newest = new Map(submitted.map((each) => [each.address, each]));
  for (const marked of submitted) {
    if (marked.address === "0" || newest.get(marked.address) !== marked) continue; // it was submitted again
    const mark = latest(marked), done = mark === undefined ? Infinity : (mark - marked.base) >>> 0;
    if (done >= marked.places.length) continue;
    const number = marked.places[done], found = commandsIn(lines, marked.buffer);
    const before = found.slice(marked.places[done - 1] ?? 0, number - 1).filter(({ command }) => isAction(command));
    const { command, line } = found[number - 1] ?? {};
    if (command) return { commandBuffer: marked.buffer, command, number, before: before.length, line };
  }
}

/** The commands that were recorded last into a command buffer, with their lines. */
function commandsIn(lines: readonly RecordedLine[], buffer: string): { command: string; line: number }[] {
  const isOf = (line: RecordedLine): line is RecordedCall => "command" in line && line.args.commandBuffer === buffer;
  const begin = lines.findLastIndex((line) => isOf(line) && coreName(line.command) === "vkBeginCommandBuffer");
  return lines.flatMap((line, index) =>
    index > begin && isOf(line) && line.command.startsWith("vkCmd")
      ? [{ command: line.command, line: lineNumber(index) }]
      : []
  );
}

/** Returns the sentence about an unfinished command. */
export function unfinishedText({ commandBuffer, command, number, before, line }: UnfinishedCommand): string {
  const others = before === 0 ? "" : `, or one of ${before} before it that have no marks`;
  return `the device did not finish ${command}, command ${number} of ${commandBuffer} (line ${line})${others}`;
}

/** Returns a sentence for each reason why submitted commands have no marks, so that none of them can be named. */
export function unmarkedTexts(submitted: readonly MarkedBuffer[]): string[] {
  const byReason = Map.groupBy(submitted.filter(({ unmarked }) => unmarked), ({ unmarked }) => unmarked!.why);
  return [...byReason].map(([why, all]) => {
    const commands = all.reduce((sum, { unmarked }) => sum + unmarked!.commands, 0);
    return `${commands} submitted draws and the like have no marks, and may be unfinished: ${why}`;
  });
}
