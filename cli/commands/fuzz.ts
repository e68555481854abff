import type { Command } from "../command.ts";
import { LAYER_OPTIONS } from "./compare.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type FuzzCommandModule = typeof import("../fuzz/command.ts");

/** `fuzz`: random programs on two drivers. */
export const command: Command = {
  operand: "",
  summary: "run random valid programs on two drivers, --driver=A --driver=B, and tell each difference once",
  options: {
    seconds: { type: "string", value: "N", help: "how long new programs are begun; default 60" },
    programs: { type: "string", value: "N", help: "how many programs at most" },
    seed: {
      type: "string",
      value: "N",
      help: "the seed of the first program; the next has the next number; default 0",
    },
    actions: { type: "string", value: "N", help: "how many actions a program has at most; default 12" },
    only: {
      type: "string",
      multiple: true,
      value: "ACTION",
      help: "an action to choose from, such as blit; may be repeated",
    },
    known: { type: "string", value: "FILE", help: "signatures of known differences, one a line, which are not told" },
    out: {
      type: "string",
      value: "FOLDER",
      help: "where the programs that differ are written, whole, and as small recordings with scripts and pages",
    },
    "reduce-seconds": {
      type: "string",
      value: "N",
      help: "how long programs that differ are made smaller, all together, after the last program; default 60",
    },
    "no-reduce": { type: "boolean", help: "leave the programs that differ as they are" },
    validation: {
      type: "string",
      value: "LAYER",
      help:
        "a validation layer that must have no error for smaller programs, or none; default VK_LAYER_KHRONOS_validation",
    },
    timeout: { type: "string", value: "SECONDS", help: "how long a driver may take for a submission; default 20" },
    ...LAYER_OPTIONS,
  },
  run: async (request, print, process) =>
    (await import("../fuzz/command.ts" as string) as FuzzCommandModule).fuzz(request, print, process),
};
