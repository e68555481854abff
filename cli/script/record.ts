import { type ApiRecording, apiRecording } from "../../loader/layers.ts";
import type { Process, Request } from "../command.ts";
import type { ScriptLayer } from "../layers/script_layer.ts";
import { existing } from "../files.ts";
import { runLayered } from "./run_layered.ts";

/** Runs a script and records what the script does: the exit code, 1 for a recording that cannot be replayed. */
export async function record(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  existing("record", request.operand!);
  const path = request.values.out as string ?? "recording.jsonl", log = process.warn;
  const recording = apiRecording({ path, log: (sentence) => log(`${path}: ${sentence}`) });
  const code = await runLayered({ request, own: [layerOf(recording, path)], print, process });
  return code === 0 && !isWhole(recording) ? 1 : code;
}

function layerOf(recording: ApiRecording, path: string): ScriptLayer {
  return {
    current: () => recording.layer,
    close: () => recording.close(),
    report: () => `${path}: ${isWhole(recording) ? "what the script did, to be replayed" : reason(recording)}`,
  };
}

function isWhole({ error, gaps }: ApiRecording): boolean {
  return error === undefined && gaps.length === 0;
}

function reason({ error, gaps }: ApiRecording): string {
  return error === undefined ? `cannot be replayed: ${gaps.join("; ")}` : `not written to the end: ${error}`;
}
