import type { Command, Option } from "../command.ts";
import { OVER_QUEUE } from "./over_queue.ts";

// Loaded when the commands run: cli/commands.ts says why "as string".
type ByOwnConfigModule = typeof import("../script/by_own_config.ts");
type ReplayModule = typeof import("../script/replay.ts");
type RecordingModule = typeof import("../recording/command.ts");
type ViewModule = typeof import("../view/command.ts");
type CompareCommandModule = typeof import("../compare/command.ts");
type ReduceModule = typeof import("../compare/reduce.ts");
type FuzzCommandModule = typeof import("../fuzz/command.ts");

/** `replay`: a recording once more. */
export const replay: Command = {
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

/** `recording`: what is in a recording, whether it is true, and a part of it. */
export const recording: Command = {
  operand: "ACTION FILE",
  takesSeveral: true,
  summary: "info: what is in a recording; verify: whether its replay reads the same; trim: frames of it",
  options: {
    frames: { type: "string", value: "N..M", help: "the frames of the part that trim writes; the first is 1" },
    out: { type: "string", value: "FILE", help: "where the part goes; default trimmed.jsonl" },
    unsealed: { type: "boolean", help: "also a file that was cut or changed since it was written" },
  },
  async run(request, print) {
    const { recording } = await import("../recording/command.ts" as string) as RecordingModule;
    return recording(request, print);
  },
};

/** `view`: a recording as a page. */
export const view: Command = {
  operand: "RECORDING",
  summary: "show a recording as a web page: events, state, pictures, buffers, on --driver=A, and --driver=B beside it",
  options: {
    html: {
      type: "string",
      value: "FOLDER",
      help: "write the page with the pictures of each pass, FOLDER/view.html, for a reader without a driver",
    },
    events: {
      type: "string",
      value: "N,N..M",
      help: "with --html: also the pictures of these events, by the page's numbers",
    },
    port: { type: "string", value: "NUMBER", help: "the page's port; default any free port" },
    timeout: { type: "string", value: "SECONDS", help: "how long a driver may take for an answer; default 60" },
    unsealed: { type: "boolean", help: "also a file that was cut or changed since it was written" },
  },
  run: async (request, print, process) =>
    (await import("../view/command.ts" as string) as ViewModule).view(request, print, process),
};

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
  takesSeveral: true,
  summary: "find the first command whose result differs between two drivers, --driver=A --driver=B",
  options: {
    ...PAIR_OPTIONS,
    html: {
      type: "string",
      value: "FOLDER",
      help: "write a page about the result, FOLDER/finding.html; with --queue a table of all, FOLDER/index.html",
    },
    resume: {
      type: "string",
      value: "FILE",
      help: "go on where a run with the same file was cut off, and keep how far this one comes",
    },
    submission: { type: "boolean", help: "stop at the first submission that differs, and look for no command" },
    ...OVER_QUEUE,
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
    ...OVER_QUEUE,
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
    ...OVER_QUEUE,
  },
  run: async (request, print, process) =>
    (await import("../fuzz/command.ts" as string) as FuzzCommandModule).fuzz(request, print, process),
};
