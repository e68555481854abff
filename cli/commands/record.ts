import type { Command } from "../command.ts";

/** `record`: a script's calls and memory, for `replay`. */
export const command: Command = {
  operand: "SCRIPT",
  handsOn: "[-- ARGS]",
  summary: "record what a script does with Vulkan, to be replayed",
  options: { out: { type: "string", value: "FILE", help: "where the recording goes; default recording.jsonl" } },
  async run(request, print, process) {
    const { byOwnConfig } = await import("../script/by_own_config.ts"),
      { record } = await import("../script/record.ts");
    return await byOwnConfig(request, process, () => record(request, print, process), request.operand);
  },
};
