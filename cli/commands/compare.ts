import type { Command, Option } from "../command.ts";

// Loaded when the commands run: cli/commands.ts says why "as string".
type CompareCommandModule = typeof import("../compare/command.ts");
type ReduceModule = typeof import("../compare/reduce.ts");
type FuzzCommandModule = typeof import("../fuzz/command.ts");

/** The layers of each of two drivers. */
export const LAYER_OPTIONS = {
  "layer-a": {
    type: "string",
    multiple: true,
    value: "LAYER",
    help: "a native layer, or a file of a layer, for the first driver alone; may be repeated",
  },
  "layer-b": { type: "string", multiple: true, value: "LAYER", help: "the same for the second driver" },
} as const satisfies Readonly<Record<string, Option>>;

/** Options of commands that compare two drivers on a recording. */
const PAIR_OPTIONS = {
  ...LAYER_OPTIONS,
  steps: {
    type: "string",
    multiple: true,
    value: "FORMAT=N",
    help: "how many steps the components of a VK_FORMAT may differ, 0 for none; may be repeated",
  },
  share: { type: "string", value: "PERCENT", help: "how many texels of an image's level may differ, such as 0.5" },
  timeout: { type: "string", value: "SECONDS", help: "how long a driver may take for a submission; default 60" },
  unsealed: { type: "boolean", help: "also a file that was cut or changed since it was written" },
} as const satisfies Readonly<Record<string, Option>>;

/** `compare`: a recording on two drivers. */
export const compare: Command = {
  operand: "RECORDING",
  summary: "find the first command whose result differs between two drivers, --driver=A --driver=B",
  options: {
    ...PAIR_OPTIONS,
    html: { type: "string", value: "FOLDER", help: "write a page about the result, FOLDER/finding.html" },
    resume: {
      type: "string",
      value: "FILE",
      help: "go on where a run with the same file was cut off, and keep how far this one comes",
    },
    submission: { type: "boolean", help: "stop at the first submission that differs, and look for no command" },
  },
  run: async (request, print, process) =>
    (await import("../compare/command.ts" as string) as CompareCommandModule).compare(request, print, process),
};

/** `reduce`: a recording made as small as it can be. */
export const reduce: Command = {
  operand: "RECORDING",
  summary:
    "make a recording as small as it can be while two drivers part on it, --driver=A --driver=B; one driver is enough for crashes, hangs, lost and message",
  options: {
    ...PAIR_OPTIONS,
    while: {
      type: "string",
      value: "WHAT",
      help:
        "what must stay so: differs, crashes, hangs, lost, fails, validation or message, or words with && and ||; default differs",
    },
    validation: {
      type: "string",
      value: "LAYER",
      help: "a validation layer that must have no error, or none; default VK_LAYER_KHRONOS_validation where installed",
    },
    out: {
      type: "string",
      value: "FILE",
      help: "the smaller recording; default reduced.jsonl; the script beside it ends in .ts",
    },
  },
  run: async (request, print, process) =>
    (await import("../compare/reduce.ts" as string) as ReduceModule).reduce(request, print, process),
};

/** `fuzz`: random programs on two drivers. */
export const fuzz: Command = {
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
