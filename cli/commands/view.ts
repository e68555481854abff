import type { Command } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type ViewModule = typeof import("../view/command.ts");

/** `view`: a recording as a page. */
export const command: Command = {
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
