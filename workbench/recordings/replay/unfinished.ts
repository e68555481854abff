import { planOf } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { handleOutputs } from "../state_tracker/objects.ts";
import type { RecordedLines, Recording } from "./recording_file.ts";

/** The number of the first name for what an unfinished call makes. No recording has so many objects. */
const FIRST = 4_000_000_000;

/**
 * A recording whose unfinished calls have names for what they make. The program
 * ended within such a call, and a replay makes the call again.
 */
export function withNames<T extends Recording>(recording: T): Recording {
  const lines: RecordedLines = {
    *entries() {
      for (const [index, line] of recording.lines.entries()) yield [index, isUnfinished(line) ? named(line) : line];
    },
  };
  return { lines, data: recording.data };
}

/** Whether the recorded program ended within a call. */
export function isUnfinished(line: RecordedLine): line is RecordedCall {
  return "command" in line && line.unfinished === true;
}

function named(call: RecordedCall): RecordedCall {
  const command = findCommand(call.command);
  if (!command) return call;
  const { args: { pCreateInfos, pAllocateInfo: info } } = call;
  const count = pCreateInfos?.length ?? info?.commandBufferCount ?? info?.pSetLayouts?.length;
  const out = handleOutputs(planOf(command)).map(({ name, type }) => {
    const names = Array.from({ length: count ?? 1 }, (_, index) => `${type}#${FIRST + index}`);
    return [name, count === undefined ? names[0] : names];
  });
  return { ...call, out: Object.fromEntries(out) };
}
