import { type ApiRecording, apiRecording } from "../../workbench/recordings/record/record.ts";
import { RecordingError } from "../../workbench/recordings/replay/error.ts";
import { checkStream } from "../../workbench/recordings/replay/check.ts";
import { RecordingFile } from "../../workbench/recordings/replay/recording_file.ts";
import { withNames } from "../../workbench/recordings/replay/unfinished.ts";
import type { Process } from "../command.ts";
import { exitCodeOf, isRefusal, sentenceOf, Unusable, WrongUse } from "../../workbench/process/exit_code.ts";
import type { ScriptLayer } from "../layers/script_layer.ts";

/** A recording in a file, and its layer. */
export interface Recording {
  readonly layer: ScriptLayer;
  /** Whether the recording can be replayed. */
  isWhole(): boolean;
}

/** Begins a recording of a script or of a program; `what` asks for one, the command or an option. */
export function openRecording(
  path: string,
  who: "script" | "program",
  { warn }: Pick<Process, "warn">,
  what: string = who === "script" ? "record" : "exec",
): Recording {
  const recording = begun(path, what, (sentence) => warn(`${path}: ${sentence}`));
  let known: string | undefined;
  const trouble = () => known ??= troubleOf(recording, path);
  const isWhole = () => trouble() === "";
  const layer: ScriptLayer = {
    current: () => recording.layer,
    close: () => recording.close(),
    lost: (count) => recording.missed(lostText(count)),
    isWhole,
    report: () => `${path}: ${trouble() || `what the ${who} did, to be replayed`}`,
  };
  return { layer, isWhole };
}

/** The gap for calls that no layer saw. */
function lostText(count: number): string {
  return `No layer saw ${count} calls of the program: they came too fast, or too many waited at a time`;
}

/** A file that cannot be begun, on a full disk for instance, is a matter of the command line. */
function begun(path: string, what: string, log: (sentence: string) => void): ApiRecording {
  try {
    return apiRecording({ path, log });
  } catch (error) {
    const sentence = `${what}: ${sentenceOf(error) ?? (error as Error).message}`;
    throw new (isRefusal(error) && exitCodeOf(error) === 2 ? WrongUse : Unusable)(sentence, { cause: error });
  }
}

/** Returns why a closed recording cannot be replayed, as the check before a replay finds; an empty text if it can. */
export function troubleOf({ error, gaps }: ApiRecording, path: string): string {
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
