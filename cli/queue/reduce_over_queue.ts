import { basename, dirname, resolve } from "node:path";
import { STOPPED } from "../../workbench/process/stop.ts";
import { FOLDER } from "../../workbench/runs/queue/command_handler.ts";
import type { Process, Request } from "../command.ts";
import { Inputs, runCommands, unfinished, wordsOf } from "./commands_over_queue.ts";
import { wantedPair } from "./drivers.ts";
import { withQueue } from "./with_queue.ts";

/** Options that reach the worker as they are. Layers are files of the worker's machine. */
const PASSED = ["while", "validation", "steps", "share", "timeout", "unsealed", "layer-a", "layer-b"];

/** Makes a recording smaller on a worker of a queue with both drivers. Returns the exit codes of a local run. */
export function reduceOverQueue(
  request: Request,
  out: string,
  print: (text: string) => void,
  process: Process,
): Promise<number> {
  const { drivers, group } = wantedPair("reduce", request), path = request.operand!, name = basename(path);
  return withQueue("reduce", request, process, async (here) => {
    const inputs = new Inputs(), files = await inputs.addRecording("reduce", path);
    const words = [`${FOLDER}/in/${name}`, `--out=${FOLDER}/out/${basename(out)}`, ...wordsOf(request, PASSED)];
    const pieces = [{ key: name, group: 0, work: { words, drivers, files }, home: dirname(resolve(out)) }];
    const { join, leave } = request.values as { join?: string; leave?: boolean };
    const run = { command: "reduce", groups: [group], pieces, inputs, join, isLeft: leave } as const;
    const outcome = await runCommands(here, request, run);
    if (!outcome) return 0;
    if (here.signal.aborted) return STOPPED;
    const undone = unfinished(outcome), { details } = outcome.results[0];
    for (const sentence of undone) process.warn(`reduce: ${sentence}`);
    if (!details) return 2;
    print(request.json ? JSON.stringify(details.report, null, 2) : textOf(out, details));
    return details.code;
  });
}

function textOf(
  out: string,
  { report, files }: { readonly report?: unknown; readonly files: readonly { name: string }[] },
): string {
  const { lines, commands, tries } = report as { lines: number[]; commands: number[]; tries: number };
  return [
    `${out}: ${lines[1]} of ${lines[0]} lines are left, with ${commands[1]} of ${
      commands[0]
    } commands, after ${tries} tries`,
    ...files.filter(({ name }) => !name.includes(".data/")).map(({ name }) => `${dirname(out)}/${name}`),
  ].join("\n");
}
