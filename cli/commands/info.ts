import type { Command } from "../command.ts";

/** `info`: the capabilities of drivers, of EGL, of a composer. */
export const command: Command = {
  operand: "[FILE]",
  summary: "what a driver can do, or what a file says one could: --json prints vkjson",
  options: {
    diff: {
      type: "string",
      value: "FILE",
      help: "only what is different in a file of info --json; exit code 1 if anything is",
    },
    egl: { type: "boolean", help: "of EGL and OpenGL ES" },
    composer: {
      type: "boolean",
      help: "of a hardware composer: the one of --driver, or the one with simulated panels",
    },
    release: { type: "string", value: "N", help: "write vkjson as this release of Android does, 14 to 17" },
    quirks: { type: "string", value: "aosp", help: "with the slips of Android's vkjson" },
  },
  run: async (request, print) => (await import("../info/command.ts")).info(request, print),
};
