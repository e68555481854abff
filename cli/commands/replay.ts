import type { Command } from "../command.ts";

/** `replay`: a recording once more. */
export const command: Command = {
  operand: "FILE",
  summary: "do again what was recorded, on the driver of --driver",
  options: {
    diff: { type: "boolean", help: "exit code 1 if the driver leaves other bytes where the script could read" },
    unsealed: { type: "boolean", help: "also a file that was cut or changed since it was written" },
  },
  run: async (request, print, process) => (await import("../script/replay.ts")).replay(request, print, process),
};
