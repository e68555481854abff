import type { Command } from "../command.ts";
import { ACCESS, OVER_QUEUE } from "./over_queue.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type DeqpCommandModule = typeof import("../deqp/command.ts");
type TestCommandModule = typeof import("../test/command.ts");
type WorkerMainModule = typeof import("../queue/worker_main.ts");

/** `deqp`: runs dEQP's cases, compares runs, and lists the cases that a level requires. */
export const deqp: Command = {
  operand: "[LIST]",
  summary: "run a list or a suite (.toml) of dEQP's cases in several processes, or compare two runs",
  takesNativeLayers: true,
  options: {
    command: {
      type: "string",
      value: "LINE",
      help: 'the program and its arguments, such as "./deqp-vk --deqp-log-images=disable"',
    },
    shards: { type: "string", value: "N", help: "processes at a time; default the number of processors" },
    "group-size": { type: "string", value: "N", help: "maximum number of cases for a process; default 500" },
    retries: { type: "string", value: "N", help: "how often a failed case is run again; default 1" },
    timeout: { type: "string", value: "SECONDS", help: "end a process that prints nothing for this time; default 60" },
    baseline: { type: "string", value: "FILE", help: "cases known to fail, as name,status" },
    flakes: { type: "string", value: "FILE", help: "patterns of cases that may fail at times" },
    skips: { type: "string", value: "FILE", help: "patterns of cases that are not run" },
    out: { type: "string", value: "FILE", help: "write the results to a file, as name,status,seconds" },
    junit: { type: "string", value: "FILE", help: "write JUnit's XML to a file" },
    html: { type: "string", value: "DIR", help: "write DIR/index.html, a page with groups that fold" },
    compare: {
      type: "string",
      value: "FILE",
      help: "the results of another run; without --command, LIST is a file of results, too",
    },
    ...OVER_QUEUE,
    level: {
      type: "string",
      value: "DATE",
      help: "print the lists of cases that a claimed level requires; with --command or a suite, skip newer lists",
    },
  },
  run: async (request, print, process) =>
    (await import("../deqp/command.ts" as string) as DeqpCommandModule).deqp(request, print, process),
};

/** `test`: runs driver tests. */
export const test: Command = {
  operand: "FILES",
  summary: "run the driver tests of files, each test on each driver, in a process of its own",
  takesSeveral: true,
  takesNativeLayers: true,
  options: {
    filter: {
      type: "string",
      value: "TEXT",
      help: "only results whose name FILE / TEST / DRIVER contains a text or /pattern/",
    },
    shard: { type: "string", value: "I/N", help: "run the I-th of N parts" },
    jobs: { type: "string", value: "N", help: "tests at a time; default 1, so that times are not disturbed" },
    retries: { type: "string", value: "N", help: "how often a failed test is run again; default 1, with --bail 0" },
    timeout: { type: "string", value: "SECONDS", help: "for tests that state no timeout; default 60" },
    bail: { type: "boolean", help: "end with the first unexpected failure" },
    baseline: { type: "string", value: "FILE", help: "results known to fail, as name,status" },
    flakes: { type: "string", value: "FILE", help: "patterns of results that may fail at times" },
    skips: { type: "string", value: "FILE", help: "patterns of tests that are not run" },
    out: { type: "string", value: "FILE", help: "write the results to a file, as name,status,seconds" },
    junit: { type: "string", value: "FILE", help: "write JUnit's XML to a file" },
    html: { type: "string", value: "DIR", help: "write DIR/index.html, a page about this run and the runs before" },
    ...OVER_QUEUE,
  },
  run: async (request, print, process) =>
    (await import("../test/command.ts" as string) as TestCommandModule).test(request, print, process),
};

/** `worker`: executes the tasks of a queue. */
export const worker: Command = {
  operand: "",
  summary: "take tasks of a queue for the drivers of this machine, until SIGTERM",
  options: {
    queue: { type: "string", value: "URL", help: "the address of the queue, such as nats://host:4222; required" },
    tag: {
      type: "string",
      multiple: true,
      value: "NAME=VALUE",
      help: "a fact for --for to ask for, such as soc=x; may be repeated",
    },
    slots: { type: "string", value: "N", help: "tasks at a time on one device, at most 256; default 1" },
    once: { type: "boolean", help: "end when there is nothing left to do" },
    ...ACCESS,
  },
  run: async (request, print, process) =>
    (await import("../queue/worker_main.ts" as string) as WorkerMainModule).workerMain(request, print, process),
};
