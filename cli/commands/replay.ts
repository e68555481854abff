import type { Command } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type ByOwnConfigModule = typeof import("../script/by_own_config.ts");
type ReplayModule = typeof import("../script/replay.ts");
type RecordingModule = typeof import("../recording/command.ts");
type ViewModule = typeof import("../view/command.ts");

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
