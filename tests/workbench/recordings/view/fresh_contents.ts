import { loadVulkan } from "../../../../loader/mod.ts";
import { runStream } from "../../../../workbench/recordings/compare/driver_process/run.ts";
import { RecordingFile } from "../../../../workbench/recordings/replay/recording_file.ts";
import type { RecordingEvent } from "../../../../workbench/recordings/view/types.ts";
import type { ComparedPiece } from "../../../../workbench/recordings/compare/contents/piece.ts";

/** Contents at an event by a replay of its own that begins at the first line and ends there, by the names of pieces. */
export function freshContents(
  driver: string,
  path: string,
  { submission, actions }: Pick<RecordingEvent, "submission" | "actions">,
): Map<string, { readonly piece: ComparedPiece; readonly bytes: Uint8Array }> {
  using vulkan = loadVulkan({ driver });
  const found = new Map<string, { piece: ComparedPiece; bytes: Uint8Array }>();
  runStream(vulkan, new RecordingFile(path, false), {
    timeout: 60_000,
    cut: { submission: submission!, actions },
    onRest(rest) {
      const all = rest.read();
      for (const [index, piece] of rest.readable.entries()) found.set(piece.name, { piece, bytes: all[index] });
      return false;
    },
  });
  return found;
}
