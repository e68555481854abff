import { type ApiRecording, apiRecording, RecordingError } from "../../loader/layers.ts";
import { checkStream } from "../../loader/replay/check.ts";
import { RecordingFile } from "../../loader/replay/recording_file.ts";
import { withNames } from "../../loader/replay/unfinished.ts";
import { type Process, type Request, Unusable, WrongUse } from "../command.ts";
import { type WantedFrames, wantedFrames } from "../recording/wanted_frames.ts";
import type { ScriptLayer } from "../layers/script_layer.ts";
import { exitCodeOf, isRefusal, sentenceOf } from "../exit_code.ts";
import { existingModule } from "../files.ts";
import { runLayered } from "./run_layered.ts";

/** A recording in a file, and its layer. */
export interface Recording {
  readonly layer: ScriptLayer;
  /** Whether the recording can be replayed. */
  isWhole(): boolean;
}

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

/** Begins a recording of a script or of a program. */
export function openRecording(path: string, who: "script" | "program", { warn }: Process): Recording {
  const recording = begun(path, who === "script" ? "record" : "exec", (sentence) => warn(`${path}: ${sentence}`));
  let known: string | undefined;
  const trouble = () => known ??= troubleOf(recording, path);
  const layer: ScriptLayer = {
    current: () => recording.layer,
    close: () => recording.close(),
    isWhole: () => trouble() === "",
    report: () => `${path}: ${trouble() || `what the ${who} did, to be replayed`}`,
  };
  return { layer, isWhole: () => trouble() === "" };
}

/** A file that cannot be begun, on a full disk for instance, is a matter of the command line. */
function begun(path: string, command: string, log: (sentence: string) => void): ApiRecording {
  try {
    return apiRecording({ path, log });
  } catch (error) {
    const sentence = `${command}: ${sentenceOf(error) ?? (error as Error).message}`;
    throw new (isRefusal(error) && exitCodeOf(error) === 2 ? WrongUse : Unusable)(sentence, { cause: error });
  }
}

/** Returns why a closed recording cannot be replayed, as the check before a replay finds; an empty text if it can. */
function troubleOf({ error, gaps }: ApiRecording, path: string): string {
  if (error !== undefined) return `not written to the end: ${error}`;
  if (gaps.length > 0) return `cannot be replayed: ${gaps.join("; ")}`;
  try {
    checkStream(withNames(new RecordingFile(path, false)));
    return "";
  } catch (found) {
    if (!(found instanceof RecordingError)) throw found;
    return `cannot be replayed: ${found.message}`;
  }
}
