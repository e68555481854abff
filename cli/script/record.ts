import type { Process, Request } from "../command.ts";
import { openRecording } from "../recording/recording_layer.ts";
import { type WantedFrames, wantedFrames } from "../recording/wanted_frames.ts";
import { existingModule } from "../../workbench/process/files.ts";
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
