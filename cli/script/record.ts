import { type ApiRecording, apiRecording } from "../../loader/layers.ts";
import type { Process, Request } from "../command.ts";
import type { ScriptLayer } from "../layers/script_layer.ts";
import { existing } from "../files.ts";
import { runLayered } from "./run_layered.ts";

/** A recording in a file, and its layer. */
export interface Recording {
  readonly layer: ScriptLayer;
  /** Whether the recording can be replayed. */
  isWhole(): boolean;
}

/** Runs a script and records what the script does: the exit code, 1 for a recording that cannot be replayed. */
export async function record(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  existing("record", request.operand!);
  const { layer, isWhole } = openRecording(request.values.out as string ?? "recording.jsonl", "script", process);
  const code = await runLayered({ request, own: [layer], print, process });
  return code === 0 && !isWhole() ? 1 : code;
}

/** Begins a recording of a script or of a program. */
export function openRecording(path: string, who: "script" | "program", { warn }: Process): Recording {
  const recording = apiRecording({ path, log: (sentence) => warn(`${path}: ${sentence}`) });
  return { layer: layerOf(recording, path, who), isWhole: () => isWhole(recording) };
}

function layerOf(recording: ApiRecording, path: string, who: string): ScriptLayer {
  return {
    current: () => recording.layer,
    close: () => recording.close(),
    report: () => `${path}: ${isWhole(recording) ? `what the ${who} did, to be replayed` : reason(recording)}`,
  };
}

function isWhole({ error, gaps }: ApiRecording): boolean {
  return error === undefined && gaps.length === 0;
}

function reason({ error, gaps }: ApiRecording): string {
  return error === undefined ? `cannot be replayed: ${gaps.join("; ")}` : `not written to the end: ${error}`;
}
