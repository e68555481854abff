import { WrongUse } from "../../workbench/process/exit_code.ts";
import { existingModule } from "../../workbench/process/files.ts";
import { hearSignals } from "../../workbench/process/stop.ts";
import { recordingInfo } from "../../workbench/recordings/trim/info.ts";
import { trimRecording } from "../../workbench/recordings/trim/trim.ts";
import { sidecarOf } from "../../workbench/recordings/record/sidecar.ts";
import type { Process, Request } from "../command.ts";
import { ALL_FRAMES } from "../layers/script_layer.ts";
import { openRecording } from "../recording/recording_layer.ts";
import { framesOf, writePart } from "../recording/command.ts";
import { runLayered } from "./run_layered.ts";

/** Runs a script and records what the script does: the exit code, 1 for a recording that cannot be replayed. */
export async function record(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  existingModule("record", request.operand!);
  const path = request.values.out as string ?? "recording.jsonl";
  using wanted = wantedFrames("record", path, request, process);
  const { layer, isWhole } = openRecording(wanted?.whole ?? path, "script", process);
  const code = await runLayered({ request, own: [layer], print, process });
  return code === 0 && !(isWhole() && isKept(wanted, print)) ? 1 : code;
}

/** Writes the frames that are wanted, if not all are. Returns whether the part is whole. */
export function isKept(wanted: WantedFrames | undefined, print: (text: string) => void): boolean {
  if (!wanted) return true;
  const { text, isWell } = wanted.keep();
  print(text);
  return isWell;
}

/** The value of `--frames` for which a signal says where the part begins and ends. */
const BY_SIGNAL = "signal";

/** The frames of a running program that are to be kept. */
interface WantedFrames extends Disposable {
  /** The file to record into, which has all frames. */
  readonly whole: string;
  /** Writes the part, once the whole recording is closed. Returns a sentence about the part, and whether all is well. */
  keep(): { readonly text: string; readonly isWell: boolean };
}

/**
 * Reads `--frames` of a command that records into a file: "N..M", or "signal"
 * for those between two SIGUSR2. `undefined` without the option. The whole
 * recording lies beside the file until the part is written.
 */
export function wantedFrames(
  command: string,
  path: string,
  request: Request,
  process: Process,
): WantedFrames | undefined {
  const text = request.values.frames as string | undefined, whole = `${path}.whole`;
  if (text === undefined || text === ALL_FRAMES) return undefined;
  const marks: number[] = [], fixed = text === BY_SIGNAL ? undefined : framesOf(command, text);
  const hearing = fixed ? undefined : hearSignals(["SIGUSR2"], () => {
    marks.push(recordingInfo(whole).frames);
    process.warn(`${path}: ${marks.length % 2 === 1 ? "begins" : "ends"} after frame ${marks.at(-1)}`);
  });
  return {
    whole,
    keep: () => {
      const { from, to } = fixed ?? between(command, marks), { layers: _, ...target } = request.options;
      const { recording, unsaved, to: last } = trimRecording(target, whole, { from, to });
      writePart(command, path, recording);
      for (const each of [whole, sidecarOf(whole)]) Deno.removeSync(each, { recursive: true });
      const lost = [...unsaved].map(([name, reason]) => `; the contents of ${name} are not saved: ${reason}`).join("");
      return { text: `${path}: frames ${from} to ${last}, to be replayed${lost}`, isWell: unsaved.size === 0 };
    },
    [Symbol.dispose]: () => hearing?.[Symbol.dispose](),
  };
}

/** The frames between the first signal and the second; up to the end without a second. */
function between(command: string, [begin, end = Infinity]: readonly number[]): { from: number; to: number } {
  if (begin === undefined) throw new WrongUse(`${command}: no SIGUSR2 came, so that no frame is wanted; all are kept`);
  return { from: begin + 1, to: Math.max(begin + 1, Math.min(end, Number.MAX_SAFE_INTEGER)) };
}
