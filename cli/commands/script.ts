import type { Command, Option, Process, Request } from "../command.ts";
import type { ScriptLayer } from "../layers/script_layer.ts";

// Loaded when the commands run: cli/commands.ts says why "as string".
type FilesModule = typeof import("../../workbench/process/files.ts");
type RunLayeredModule = typeof import("../script/run_layered.ts");
type ByOwnConfigModule = typeof import("../script/by_own_config.ts");
type BlackBoxModule = typeof import("../recording/black_box.ts");
type GeneratedCodeModule = typeof import("../../ffi/generated_code.ts");
type RecordModule = typeof import("../script/record.ts");
type TraceModule = typeof import("../script/trace.ts");

/** Whether `profile` prints all that it knows. */
export const ALL_COMMANDS: Option = {
  type: "boolean",
  help: "let --layer=profile print every command and each frame; default ten commands",
};

/** Options of commands that keep the last submissions of a program. */
export const BLACK_BOX = {
  "black-box": {
    type: "string",
    value: "MiB",
    assumed: "512",
    help: "keep the last submissions, and write them as a recording when the device is lost, a call hangs, the " +
      "program crashes, a validation layer finds an error, or on SIGUSR2 or Ctrl-\\",
  },
  bound: {
    type: "string",
    value: "SECONDS",
    help: "with --black-box: how long a call may take before it hangs; default 10",
  },
} as const satisfies Readonly<Record<string, Option>>;

/** `run`: a script whose loaders all get more layers. */
export const run: Command = {
  operand: "SCRIPT",
  handsOn: "[-- ARGS]",
  summary: "run a script with layers above all its loaders",
  options: {
    watch: {
      type: "boolean",
      help: "reload modules when they are saved, until the script's statements have run",
    },
    frames: ALL_COMMANDS,
    dump: { type: "string", value: "DIR", help: "write the source of generated code to a folder" },
    ...BLACK_BOX,
  },
  async run(request, print, process) {
    const { existingModule } = await import("../../workbench/process/files.ts" as string) as FilesModule,
      { runLayered } = await import("../script/run_layered.ts" as string) as RunLayeredModule;
    const { dump, watch } = request.values;
    existingModule("run", request.operand!);
    if (typeof dump === "string") await dumpTo(dump);
    const { byOwnConfig } = await import("../script/by_own_config.ts" as string) as ByOwnConfigModule;
    return await byOwnConfig(
      request,
      process,
      () => blackBoxed(request, process, (own) => runLayered({ request, own, watch: watch === true, print, process })),
      request.operand,
    );
  },
};

/** The black box is loaded only for this. */
async function blackBoxed(
  request: Request,
  process: Process,
  run: (own: readonly ScriptLayer[]) => Promise<number>,
): Promise<number> {
  if (request.values["black-box"] === undefined && request.values.bound === undefined) return await run([]);
  const { withBlackBox } = await import("../recording/black_box.ts" as string) as BlackBoxModule;
  return await withBlackBox("run", request, process, (box) => run(box?.layers ?? []));
}

async function dumpTo(directory: string): Promise<void> {
  const { dumpGenerated } = await import("../../ffi/generated_code.ts" as string) as GeneratedCodeModule;
  dumpGenerated(directory);
}

/** The frames that a recording keeps. */
export const FRAMES: Option = {
  type: "string",
  value: "N..M",
  assumed: "all",
  help:
    'the frames to keep, the first is 1; "signal" for those between two SIGUSR2; without a value, profile prints all',
};

/** `record`: a script's calls and memory, for `replay`. */
export const record: Command = {
  operand: "SCRIPT",
  handsOn: "[-- ARGS]",
  summary: "record what a script does with Vulkan, to be replayed",
  options: {
    out: { type: "string", value: "FILE", help: "where the recording goes; default recording.jsonl" },
    frames: FRAMES,
  },
  async run(request, print, process) {
    const { byOwnConfig } = await import("../script/by_own_config.ts" as string) as ByOwnConfigModule,
      { record } = await import("../script/record.ts" as string) as RecordModule;
    return await byOwnConfig(request, process, () => record(request, print, process), request.operand);
  },
};

/** `trace`: a script's calls, written down. */
export const trace: Command = {
  operand: "SCRIPT",
  handsOn: "[-- ARGS]",
  summary: "write down every call a script makes, as JSON Lines or with --text for people",
  options: {
    out: {
      type: "string",
      value: "FILE",
      help: "the file for the trace; default trace.jsonl, with --text the standard output",
    },
    perfetto: {
      type: "string",
      value: "FILE",
      help:
        "a trace for ui.perfetto.dev instead: calls of Vulkan, EGL and OpenGL ES, queues and windows on one timeline",
    },
    text: { type: "boolean", help: "a line of text for each call, with the names of enums, flags and results" },
  },
  async run(request, print, process) {
    const { byOwnConfig } = await import("../script/by_own_config.ts" as string) as ByOwnConfigModule,
      { trace } = await import("../script/trace.ts" as string) as TraceModule;
    return await byOwnConfig(request, process, () => trace(request, print, process), request.operand);
  },
};
