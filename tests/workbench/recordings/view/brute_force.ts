/**
 * The value of texels after each action of a generated program, by replays that leave out everything behind the action:
 * the program's own copies at its end read the images.
 *
 * @module
 */
import type { Vulkan } from "../../../../loader/api/vulkan.ts";
import type { FuzzProgram } from "../../../../workbench/programs/generate.ts";
import { type RecordedCall, type RecordedLine, replayRecording } from "../../../../workbench/layers.ts";
import type { RecordingEvent } from "../../../../workbench/recordings/view/types.ts";

/** The results of a program when it ends after so many of its actions: bytes by the result's words. */
export type ResultsByAction = readonly ReadonlyMap<string, Uint8Array>[];

const PASS = /^vkCmdBeginRender/, PASS_END = /^vkCmdEndRender/;

/** Returns the results before the first action, and after each. `actions` are the program's, in order. */
export function resultsByAction(
  vulkan: Vulkan,
  { recording, results }: FuzzProgram,
  actions: readonly RecordingEvent[],
): ResultsByAction {
  const copies = new Set(results.map(({ buffer }) => buffer));
  return [undefined, ...actions].map((last) => {
    const kept = new Set(actions.slice(0, last ? actions.indexOf(last) + 1 : 0).map(({ line }) => line));
    const found = new Map<string, Uint8Array>();
    const read = new Map<string, Uint8Array>();
    const passes = new Map<string, boolean>();
    const lines = recording.lines.map((line, index) => isKept(line, index + 2, kept, copies, passes) ? line : undefined)
      .filter((line) => line !== undefined);
    replayRecording(vulkan, { ...recording, lines }, {
      onRead: ({ buffer, offset, replayed }) => read.set(`${buffer} ${offset}`, replayed!.slice()),
    });
    for (const { buffer, offset, of } of results) found.set(of, read.get(`${buffer} ${offset}`)!);
    return found;
  });
}

/** Whether a line is carried out: a pass is left out as a whole if its beginning is. */
function isKept(
  line: RecordedLine,
  number: number,
  kept: ReadonlySet<number>,
  copies: ReadonlySet<string>,
  passes: Map<string, boolean>,
): boolean {
  if (!("command" in line)) return true;
  const { command, args: { commandBuffer } } = line;
  if (!command.startsWith("vkCmd")) return true;
  if (PASS.test(command)) passes.set(commandBuffer, !kept.has(number));
  const isOut = passes.get(commandBuffer) === true;
  if (PASS_END.test(command)) passes.delete(commandBuffer);
  if (isOut) return false;
  if (!isWriting(line)) return true;
  return PASS_END.test(command) || kept.has(number) || copies.has(destinationOf(line));
}

function destinationOf({ args }: RecordedCall): string {
  return args.dstBuffer ?? args.pCopyImageToBufferInfo?.dstBuffer ?? args.pCopyBufferInfo?.dstBuffer;
}

function isWriting({ command }: RecordedCall): boolean {
  return /^vkCmd(Draw|Dispatch|Copy|Blit|Resolve|Clear|Fill|Update|BeginRender|EndRender)/.test(command);
}
