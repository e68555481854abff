import type { RecordedCall } from "../../record/line.ts";
import type { Resources } from "../../state_tracker/resources.ts";
import type { CommandState } from "../../state_tracker/state.ts";

/**
 * Returns the commands that end what is open, the latest first: a query that
 * was begun inside a pass ends before the pass, and one that was begun before it
 * ends after. Each is for the command buffer that began what it ends.
 */
export function endingsOf(state: CommandState, resources: Resources): RecordedCall[] {
  return state.begun.toReversed().flatMap((begin) => endOf(begin, state.pass?.subpass ?? 0, resources));
}

function endOf(begin: RecordedCall, subpass: number, resources: Resources): RecordedCall[] {
  const { command, args } = begin, name = command.replace(/^vkCmdBegin/, "vkCmdEnd"), { commandBuffer } = args;
  if (/^vkCmdBeginRenderPass/.test(command)) return endOfRenderPass(begin, name, subpass, resources);
  if (/^vkCmdBeginTransformFeedback/.test(command)) return [{ command: name, args: { ...args } }];
  const { queryPool, query, index } = args;
  if (queryPool === undefined) return [{ command: name, args: { commandBuffer } }];
  const which = { commandBuffer, queryPool, query, ...index !== undefined && { index } };
  return [{ command: name, args: which }];
}

/** The end of a render pass, with the version of the command that began it, after the subpasses that are left. */
function endOfRenderPass(
  { command, args: { commandBuffer, pRenderPassBegin } }: RecordedCall,
  name: string,
  subpass: number,
  resources: Resources,
): RecordedCall[] {
  const suffix = command.replace(/^vkCmdBeginRenderPass/, ""), isTwo = suffix.startsWith("2");
  const left = (resources.info(pRenderPassBegin.renderPass)?.pSubpasses.length ?? 1) - 1 - subpass;
  const next = isTwo ? { pSubpassBeginInfo: { contents: 0 }, pSubpassEndInfo: {} } : { contents: 0 };
  return [
    ...Array.from({ length: left }, () => ({ command: `vkCmdNextSubpass${suffix}`, args: { commandBuffer, ...next } })),
    { command: name, args: { commandBuffer, ...isTwo && { pSubpassEndInfo: {} } } },
  ];
}
