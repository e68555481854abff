import type { Command } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type DoctorModule = typeof import("../doctor/command.ts");

/** `doctor`: why a program does not start. */
export const command: Command = {
  operand: "",
  handsOn: "[-- PROGRAM ARGS]",
  summary: "tell which drivers, layers, variables and rights decide how programs run, and what breaks a program",
  takesNativeLayers: true,
  options: {
    timeout: { type: "string", value: "SECONDS", help: "how long the program may take in each run; default 20" },
  },
  run: async (request, print, process) =>
    (await import("../doctor/command.ts" as string) as DoctorModule).doctor(request, print, process),
};
