import type { Command } from "../command.ts";

/** `deqp`: runs dEQP's cases, compares runs, tells what a level obliges to. */
export const command: Command = {
  operand: "[LIST]",
  summary: "run dEQP's cases of a list in several processes, or compare two runs",
  options: {
    command: {
      type: "string",
      value: "LINE",
      help: 'the program and its arguments, such as "./deqp-vk --deqp-log-images=disable"',
    },
    shards: { type: "string", value: "N", help: "processes at a time; default as many as there are processors" },
    group: { type: "string", value: "N", help: "cases that a process gets at most; default 500" },
    retries: { type: "string", value: "N", help: "how often what fails is run again; default 1" },
    timeout: { type: "string", value: "SECONDS", help: "without news for so long, a process is ended; default 60" },
    baseline: { type: "string", value: "FILE", help: "cases known to fail, as name,status" },
    flakes: { type: "string", value: "FILE", help: "patterns of cases that may fail at times" },
    skips: { type: "string", value: "FILE", help: "patterns of cases that are not run" },
    out: { type: "string", value: "FILE", help: "where the results are written, as name,status,seconds" },
    junit: { type: "string", value: "FILE", help: "where JUnit's XML is written" },
    compare: { type: "string", value: "FILE", help: "the results of another run; without --command LIST is one, too" },
    level: { type: "string", value: "DATE", help: "print the lists of cases that a claimed level obliges to" },
  },
  run: async (request, print) => (await import("../deqp/command.ts")).deqp(request, print),
};
