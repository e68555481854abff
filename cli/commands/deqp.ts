import type { Command } from "../command.ts";

/** `deqp`: runs dEQP's cases, compares runs, and lists the cases that a level requires. */
export const command: Command = {
  operand: "[LIST]",
  summary: "run a list of dEQP's cases in several processes, or compare two runs",
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
    compare: {
      type: "string",
      value: "FILE",
      help: "the results of another run; without --command, LIST is a file of results, too",
    },
    level: { type: "string", value: "DATE", help: "print the lists of cases that a claimed level requires" },
  },
  run: async (request, print) => (await import("../deqp/command.ts")).deqp(request, print),
};
