import type { Command } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type ByOwnConfigModule = typeof import("../script/by_own_config.ts");
type TraceModule = typeof import("../script/trace.ts");

/** `trace`: a script's calls, written down. */
export const command: Command = {
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
