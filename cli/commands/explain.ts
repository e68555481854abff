import type { Command } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type ExplainModule = typeof import("../explain.ts");

/** `explain`: the findings of the search for a driver. */
export const command: Command = {
  operand: "",
  summary: "list everything that the search for a driver looked at, with reasons",
  takesNativeLayers: true,
  options: {},
  run: async (request, print) => (await import("../explain.ts" as string) as ExplainModule).explain(request, print),
};
