import type { Fields, RecordedCall, RecordedLine } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import {
  VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
  VK_SUBPASS_CONTENTS_INLINE,
} from "../../../loader/gen/enums_core_gen.js";

/** Commands that say whether a part of a pass is in secondary command buffers. */
const SAYS = /^vkCmd(BeginRenderPass2?|NextSubpass2?|BeginRendering)$/;

/**
 * Returns a recording with the commands of secondary command buffers in the place of those that execute them. The
 * secondary command buffers stay as they are, without a use.
 */
export function inlined(lines: readonly RecordedLine[]): RecordedLine[] {
  const recorded = new Map<string, RecordedCall[]>(), says = new Map<string, number>(), all: RecordedLine[] = [];
  for (const line of lines) {
    const core = "command" in line ? coreName(line.command) : "", call = line as RecordedCall;
    if (core === "vkBeginCommandBuffer") recorded.set(call.args.commandBuffer, []);
    else if (/^vkCmd/.test(core)) recorded.get(call.args.commandBuffer)?.push(call);
    if (SAYS.test(core)) says.set(call.args.commandBuffer, all.length);
    if (core !== "vkCmdExecuteCommands") {
      all.push(line);
      continue;
    }
    const { commandBuffer, pCommandBuffers } = call.args, at = says.get(commandBuffer);
    if (at !== undefined) all[at] = withInline(all[at] as RecordedCall);
    for (const each of pCommandBuffers.flatMap((name: string) => recorded.get(name) ?? [])) {
      all.push({ ...each, args: { ...each.args, commandBuffer } });
    }
  }
  return all;
}

/** The commands of a part of a pass follow in the command buffer itself. */
function withInline(call: RecordedCall): RecordedCall {
  const { contents, pSubpassBeginInfo, pRenderingInfo: info } = call.args, more: Fields = {};
  if (contents !== undefined) more.contents = VK_SUBPASS_CONTENTS_INLINE;
  if (pSubpassBeginInfo) more.pSubpassBeginInfo = { ...pSubpassBeginInfo, contents: VK_SUBPASS_CONTENTS_INLINE };
  if (info) {
    const flags = (info.flags ?? 0) & ~VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
    more.pRenderingInfo = { ...info, flags };
  }
  return { ...call, args: { ...call.args, ...more } };
}
