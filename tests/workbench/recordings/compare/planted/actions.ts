import type { RecordedLine } from "../../../../../workbench/layers.ts";
import { placed, type PlacedCall } from "./places.ts";
import { keyOf } from "./fault.ts";

const ACTION = /^vkCmd(Draw|Dispatch|Copy|Blit|Resolve|Clear|Fill|Update)/;
const BEGIN = /^vkCmdBeginRend/, END = /^vkCmdEndRend/, EXECUTE = "vkCmdExecuteCommands", SUBMIT = /^vkQueueSubmit/;

const TWICE = [
  ...["CopyBuffer", "CopyImage", "CopyBufferToImage", "CopyImageToBuffer", "BlitImage", "ResolveImage"],
  ...["BeginRenderPass", "NextSubpass", "EndRenderPass"],
];
/** The commands that can be left out. */
export const LEAVABLE: readonly string[] = [
  ...["Draw", "DrawIndexed", "DrawIndirect", "DrawIndexedIndirect", "Dispatch", "DispatchIndirect", "DispatchBase"],
  ...["ClearColorImage", "ClearDepthStencilImage", "ClearAttachments", "FillBuffer", "UpdateBuffer"],
  ...["CopyQueryPoolResults", "BeginRendering", "BeginRenderingKHR", "EndRendering", "EndRenderingKHR"],
  ...["ExecuteCommands", ...TWICE, ...TWICE.map((name) => `${name}2`), ...TWICE.map((name) => `${name}2KHR`)],
].map((name) => `vkCmd${name}`);

/** The actions that a submission of a recording executes. */
export interface Submitted {
  /** Index of the submission's line. */
  readonly line: number;
  /** The commands in the order in which they are executed, those of secondary command buffers before what executes them. */
  readonly commands: readonly PlacedCall[];
  /** The actions among them, by their places in the list. */
  readonly actions: readonly number[];
}

/** Returns what the submissions of a recording execute. */
export function submissionsOf(lines: readonly RecordedLine[]): Submitted[] {
  const lists = new Map<string, PlacedCall[]>(), found: Submitted[] = [];
  for (const each of placed(lines)) {
    const { command, args } = each.call;
    if (command === "vkBeginCommandBuffer") lists.set(args.commandBuffer, []);
    else if (command.startsWith("vkCmd")) lists.get(args.commandBuffer)!.push(each);
    if (!SUBMIT.test(command)) continue;
    const names: string[] = args.pSubmits.flatMap((submit: Record<string, never>) =>
      submit.pCommandBuffers ?? (submit.pCommandBufferInfos as never as { commandBuffer: string }[] ?? [])
        .map(({ commandBuffer }) => commandBuffer)
    );
    found.push(submitted(each.index, names.flatMap((name) => flat(name, lists))));
  }
  return found;
}

function flat(name: string, lists: ReadonlyMap<string, PlacedCall[]>): PlacedCall[] {
  return (lists.get(name) ?? []).flatMap((each) =>
    each.call.command === EXECUTE
      ? [...each.call.args.pCommandBuffers.flatMap((inner: string) => flat(inner, lists)), each]
      : [each]
  );
}

function submitted(line: number, commands: PlacedCall[]): Submitted {
  const isAction = ({ call: { command } }: PlacedCall) => [ACTION, BEGIN, END].some((names) => names.test(command));
  return { line, commands, actions: commands.flatMap((each, at) => isAction(each) ? [at] : []) };
}

/**
 * Returns the calls to leave out so that only the first actions of a submission
 * are carried out: later actions, and later passes with all that is in them. A
 * pass that has begun is ended.
 */
export function behind({ commands, actions }: Submitted, count: number): Set<string> {
  const keys = new Set<string>(), from = count === 0 ? 0 : actions[count - 1] + 1;
  let isInLaterPass = false;
  for (const { call: { command }, place } of commands.slice(from)) {
    if (BEGIN.test(command)) isInLaterPass = true;
    if (isInLaterPass || ACTION.test(command)) keys.add(keyOf(place));
    if (END.test(command)) isInLaterPass = false;
  }
  return keys;
}
