import type { Command } from "../command.ts";
import { FIRST_CARD } from "../../workbench/process/card.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type InfoCommandModule = typeof import("../info/command.ts");

/** `info`: the capabilities of drivers, of EGL, of a composer. */
export const command: Command = {
  operand: "[FILE]",
  summary: "show a driver's capabilities, or those in a file; --json prints vkjson",
  takesNativeLayers: true,
  options: {
    diff: {
      type: "string",
      value: "FILE",
      help: "show only the differences from a file of info --json; exit code 1 if there are any",
    },
    egl: { type: "boolean", help: "show the capabilities of EGL and OpenGL ES" },
    composer: {
      type: "string",
      value: "NAME",
      assumed: "",
      help: "show the capabilities of a hardware composer: the simulated one, a library, or kms for a card",
    },
    kms: {
      type: "string",
      value: "CARD",
      assumed: FIRST_CARD,
      help: "show those of a card: its path, its kernel driver, or `first`",
    },
    summary: { type: "boolean", help: "show one line for each Vulkan device" },
    release: { type: "string", value: "N", help: "write vkjson as this Android release does, 14 to 17" },
    quirks: { type: "string", value: "aosp", help: "with the bugs of Android's vkjson" },
  },
  run: async (request, print) =>
    (await import("../info/command.ts" as string) as InfoCommandModule).info(request, print),
};
