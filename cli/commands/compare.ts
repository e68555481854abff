import type { Command } from "../command.ts";

/** `compare`: a recording on two drivers. */
export const command: Command = {
  operand: "RECORDING",
  summary: "find the first command whose result differs between two drivers, --driver=A --driver=B",
  options: {
    "layer-a": {
      type: "string",
      multiple: true,
      value: "LAYER",
      help: "a native layer, or a file of a layer, for the first driver alone; may be repeated",
    },
    "layer-b": { type: "string", multiple: true, value: "LAYER", help: "the same for the second driver" },
    submission: { type: "boolean", help: "stop at the first submission that differs, and look for no command" },
    steps: {
      type: "string",
      multiple: true,
      value: "FORMAT=N",
      help: "how many steps the components of a VK_FORMAT may differ, 0 for none; may be repeated",
    },
    share: { type: "string", value: "PERCENT", help: "how many texels of an image's level may differ, such as 0.5" },
    timeout: { type: "string", value: "SECONDS", help: "how long a driver may take for a submission; default 60" },
    unsealed: { type: "boolean", help: "also a file that was cut or changed since it was written" },
  },
  run: async (request, print, process) => (await import("../compare/command.ts")).compare(request, print, process),
};
