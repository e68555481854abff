import type { Command } from "../command.ts";

/** `record`: a script's calls and memory, for `replay`. */
export const command: Command = {
  operand: "SCRIPT",
  passesArguments: true,
  summary: "record what a script does with Vulkan, to be replayed",
  options: { out: { type: "string", value: "FILE", help: "where the recording goes; default recording.jsonl" } },
  run: async (request, print, process) => (await import("../script/record.ts")).record(request, print, process),
};
