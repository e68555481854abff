import type { Command } from "../command.ts";

/** `test`: runs driver tests. */
export const command: Command = {
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
    retries: { type: "string", value: "N", help: "how often a failed test is run again; default 0" },
    timeout: { type: "string", value: "SECONDS", help: "for tests that state no timeout; default 60" },
    bail: { type: "boolean", help: "end with the first unexpected failure" },
    baseline: { type: "string", value: "FILE", help: "results known to fail, as name,status" },
    flakes: { type: "string", value: "FILE", help: "patterns of results that may fail at times" },
    skips: { type: "string", value: "FILE", help: "patterns of tests that are not run" },
    out: { type: "string", value: "FILE", help: "write the results to a file, as name,status,seconds" },
    junit: { type: "string", value: "FILE", help: "write JUnit's XML to a file" },
  },
  run: async (request, print, process) => (await import("../test/command.ts")).test(request, print, process),
};
