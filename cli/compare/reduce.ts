import { findingText } from "../../workbench/recordings/compare/report/text.ts";
import { type ReducedRecording, reduceRecording } from "../../workbench/recordings/reduce/reduce_recording.ts";
import { RecordingError } from "../../workbench/recordings/replay/error.ts";
import type { Process, Request } from "../command.ts";
import { Unusable, WrongUse } from "../../workbench/process/exit_code.ts";
import { existing } from "../../workbench/process/files.ts";
import { STOPPED, untilStopped } from "../../workbench/process/stop.ts";
import { driversFor, scaled, stepsOf, validationOf, withoutContents } from "./arguments.ts";
import { refuseQueued } from "../test/known.ts";
import { Progress } from "../../workbench/process/progress.ts";

// Loaded when it is needed: cli/commands.ts says why "as string".
type ReduceOverQueueModule = typeof import("../queue/reduce_over_queue.ts");

/**
 * Reduces a recording. Returns 0 if that could be done, 1 if the drivers do not part so, 2 for wrong use, and 130 if it
 * was stopped.
 */
export async function reduce(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const { values } = request, out = values.out as string ?? "reduced.jsonl";
  if (values.queue !== undefined) {
    const { reduceOverQueue } = await import("../queue/reduce_over_queue.ts" as string) as ReduceOverQueueModule; // the queue's modules are loaded for this alone
    return await reduceOverQueue(request, out, print, process);
  }
  refuseQueued(request);
  const path = existing("reduce", request.operand!);
  const drivers = driversFor("reduce", values.while as string | undefined ?? "", request);
  using progress = new Progress("reduce");
  const show = (text: string) => progress.show(text);
  using stop = untilStopped();
  show("trying whether the condition is true of the whole recording");
  try {
    const reduction = await reduceRecording(path, drivers, out, {
      while: values.while as string | undefined,
      validation: validationOf(values),
      unsealed: values.unsealed === true,
      steps: await stepsOf("reduce", values.steps as string[] | undefined),
      share: scaled("reduce", values, "share", 0.01),
      timeout: scaled("reduce", values, "timeout", 1000),
      onSmaller: (lines) => show(`${lines} lines`),
      signal: stop.signal,
    });
    show("");
    print(request.json ? JSON.stringify({ out, ...reduction }, withoutContents, 2) : textOf(out, reduction));
    return reduction.isStopped ? STOPPED : 0;
  } catch (error) {
    show("");
    if (stop.signal.aborted) {
      process.warn("reduce: stopped before it was known whether the condition is true; nothing was written");
      return STOPPED;
    }
    if (!(error instanceof RecordingError || error instanceof TypeError)) throw error;
    const sentence = `reduce: ${error.message}`;
    throw error.message.startsWith("Cannot reduce") ? new Unusable(sentence) : new WrongUse(sentence);
  }
}

function textOf(
  out: string,
  { lines, commands, tries, isFlaky, isStopped, isValidated, script, finding, errors = [] }: ReducedRecording,
): string {
  return [
    `${out}: ${lines[1]} of ${lines[0]} lines are left, with ${commands[1]} of ${
      commands[0]
    } commands, after ${tries} tries`,
    ...isStopped ? ["stopped: this is the smallest recording that was found until then"] : [],
    "path" in script ? `${script.path}: the same as a test` : `no script: ${script.missing}`,
    ...isValidated || errors.length > 0
      ? []
      : ["the smaller recordings were not validated, so they may break rules of Vulkan"],
    ...isFlaky ? ["flaky: the condition was not true of every replay of one recording"] : [],
    ...finding ? findingText(finding) : [],
    ...errors.map((error) => `  ${error}`),
  ].join("\n");
}
