import type { Command } from "../command.ts";

/** `explain`: what the search for a driver looked at. */
export const command: Command = {
  operand: "",
  summary: "everything looked at to find a driver, and why it was taken or not",
  options: {},
  run: async (request, print) => (await import("../explain.ts")).explain(request, print),
};
