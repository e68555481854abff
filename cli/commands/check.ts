import type { Command } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type CheckCommandModule = typeof import("../check/command.ts");

/** `check`: whether drivers make an Android device. */
export const command: Command = {
  operand: "",
  summary: "check drivers against Android's rules, with advice for each rule that fails",
  takesNativeLayers: true,
  options: {
    release: { type: "string", value: "N", help: "the Android release that the device runs, 7 to 17; default 17" },
    launch: { type: "string", value: "N", help: "the Android release of the device's launch; default the same" },
    "low-memory": { type: "boolean", help: "the device is low on memory" },
    only: { type: "string", value: "LIST", help: "the parts to check, of vulkan,egl,composer; default all" },
    "egl-driver": { type: "string", value: "PATH", help: "the EGL driver; default the driver that the search finds" },
    contexts: { type: "string", value: "N", help: "how many contexts are created at a time; default 100" },
    timeout: {
      type: "string",
      value: "SECONDS",
      help: "seconds that a Vulkan driver may take for a wait; default 10",
    },
    composer: {
      type: "string",
      value: "NAME",
      help: "a composer's library, a model of planes such as four-plane, or kms for a card",
    },
    profile: {
      type: "string",
      multiple: true,
      value: "FILE",
      help: "a Vulkan profile to compare with; may be repeated",
    },
    "deqp-level": { type: "string", value: "DATE", help: "the level of dEQP's Vulkan tests that is claimed" },
    "gles-deqp-level": { type: "string", value: "DATE", help: "the same for OpenGL ES" },
    emit: { type: "string", value: "DIR", help: "write the device tree's files for what was earned" },
    verify: { type: "string", value: "DIR", help: "compare what a device tree declares" },
    junit: { type: "string", value: "FILE", help: "where JUnit's XML is written, beside what is printed" },
    html: { type: "string", value: "DIR", help: "write DIR/index.html, a page about all verdicts" },
    failures: { type: "boolean", help: "print only the rules that fail, and the counts" },
    markdown: { type: "boolean", help: "print tables in Markdown" },
  },
  run: async (request, print) =>
    (await import("../check/command.ts" as string) as CheckCommandModule).check(request, print),
};
