import type { Command } from "../command.ts";

/** `stub`: linked programs ask for the name that distributions give to the development file, and so does this loader answer. */
export const command: Command = {
  operand: "DIR",
  summary: "write a libvulkan.so for linking native programs",
  options: {},
  run: async (request, print) => (await import("../stub.ts")).writeStub(request, print),
};
