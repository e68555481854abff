import type { Command, Option } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type ByOwnConfigModule = typeof import("../script/by_own_config.ts");
type RecordModule = typeof import("../script/record.ts");

/** The frames that a recording keeps. */
export const FRAMES: Option = {
  type: "string",
  value: "N..M",
  assumed: "all",
  help:
    'the frames to keep, the first is 1; "signal" for those between two SIGUSR2; without a value, profile prints all',
};

/** `record`: a script's calls and memory, for `replay`. */
export const command: Command = {
  operand: "SCRIPT",
  handsOn: "[-- ARGS]",
  summary: "record what a script does with Vulkan, to be replayed",
  options: {
    out: { type: "string", value: "FILE", help: "where the recording goes; default recording.jsonl" },
    frames: FRAMES,
  },
  async run(request, print, process) {
    const { byOwnConfig } = await import("../script/by_own_config.ts" as string) as ByOwnConfigModule,
      { record } = await import("../script/record.ts" as string) as RecordModule;
    return await byOwnConfig(request, process, () => record(request, print, process), request.operand);
  },
};
