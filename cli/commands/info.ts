import { FIRST_CARD } from "../../workbench/process/card.ts";
import { TWIN } from "../layers/twin.ts";
import type { Command } from "../command.ts";
import { OVER_QUEUE } from "./over_queue.ts";

// Loaded when the commands run: cli/commands.ts says why "as string".
type InfoCommandModule = typeof import("../info/command.ts");
type ExplainModule = typeof import("../explain.ts");
type DoctorModule = typeof import("../doctor/command.ts");
type CheckCommandModule = typeof import("../check/command.ts");

/** `info`: the capabilities of drivers, of EGL, of a composer. */
export const info: Command = {
  operand: "[FILE]",
  takesSeveral: true,
  summary: "show a driver's capabilities, or those in files; --json prints vkjson",
  takesNativeLayers: true,
  options: {
    diff: {
      type: "string",
      value: "FILE",
      help:
        "show only the differences from a file of info --json, or from the source of `twin`; exit code 1 if there are any",
    },
    twin: TWIN,
    merge: { type: "boolean", help: "write what any of the devices in the files has, as vkjson" },
    intersect: { type: "boolean", help: "write what the devices in the files have in common" },
    convert: { type: "string", value: "FORM", help: "write the devices in the files as `profile` or `vkjson`" },
    egl: { type: "boolean", help: "show the capabilities of EGL and OpenGL ES" },
    composer: {
      type: "string",
      value: "NAME",
      assumed: "",
      help:
        "show the capabilities of a hardware composer: the simulated one, a library, kms for a card, or binder:SERVICE",
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
  run: async (request, print, { warn }) =>
    (await import("../info/command.ts" as string) as InfoCommandModule).info(request, print, warn),
};

/** `explain`: the findings of the search for a driver. */
export const explain: Command = {
  operand: "",
  summary: "list everything that the search for a driver looked at, with reasons",
  takesNativeLayers: true,
  options: {},
  run: async (request, print) => (await import("../explain.ts" as string) as ExplainModule).explain(request, print),
};

/** `doctor`: why a program does not start. */
export const doctor: Command = {
  operand: "",
  handsOn: "[-- PROGRAM ARGS]",
  summary: "tell which drivers, layers, variables and rights decide how programs run, and what breaks a program",
  takesNativeLayers: true,
  options: {
    timeout: { type: "string", value: "SECONDS", help: "how long the program may take in each run; default 20" },
  },
  run: async (request, print, process) =>
    (await import("../doctor/command.ts" as string) as DoctorModule).doctor(request, print, process),
};

/** `check`: whether drivers make an Android device. */
export const check: Command = {
  operand: "",
  summary: "check drivers against Android's rules, with advice for each rule that fails",
  takesNativeLayers: true,
  options: {
    release: { type: "string", value: "N", help: "the Android release that the device runs, 7 to 17; default 17" },
    launch: { type: "string", value: "N", help: "the Android release of the device's launch; default the same" },
    twin: TWIN,
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
      help: "a composer's library, a model of planes such as four-plane, kms for a card, or binder:SERVICE",
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
    ...OVER_QUEUE,
  },
  run: async (request, print, process) =>
    (await import("../check/command.ts" as string) as CheckCommandModule).check(request, print, process),
};
