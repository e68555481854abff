import type { Command } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type ByOwnConfigModule = typeof import("../script/by_own_config.ts");
type ReplayModule = typeof import("../script/replay.ts");

/** `replay`: a recording once more. */
export const command: Command = {
  operand: "FILE",
  summary: "do again what was recorded, on the driver of --driver",
  options: {
    diff: { type: "boolean", help: "exit code 1 if the driver leaves other bytes where the script could read" },
    unsealed: { type: "boolean", help: "also a file that was cut or changed since it was written" },
  },
  async run(request, print, process) {
    const { byOwnConfig } = await import("../script/by_own_config.ts" as string) as ByOwnConfigModule,
      { replay } = await import("../script/replay.ts" as string) as ReplayModule;
    return await byOwnConfig(request, process, () => replay(request, print, process));
  },
};
