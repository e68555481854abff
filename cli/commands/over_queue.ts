import type { Command } from "../command.ts";

/** The options by which a queue's server knows who asks. */
export const ACCESS: Command["options"] = {
  credentials: { type: "string", value: "FILE", help: "with --queue: a NATS user's credentials" },
  key: {
    type: "string",
    value: "FILE",
    help: "with --queue: a run signs its tasks with a private key, and a worker takes only what its public key signed",
  },
  authority: { type: "string", value: "FILE", help: "with --queue: the certificate of the authority of a TLS server" },
};

/** The options of a run over a queue. */
export const OVER_QUEUE: Command["options"] = {
  queue: {
    type: "string",
    value: "URL",
    help: "run on the workers of a queue, such as nats://host:4222 (NATS with JetStream)",
  },
  for: {
    type: "string",
    multiple: true,
    value: "NAME=VALUE",
    help: "with --queue: what a worker must have, as driver=lvp, device=, uuid=, os=, arch= or a tag; may be repeated",
  },
  join: { type: "string", value: "RUN", help: "with --queue: go on with a run that was left" },
  leave: { type: "boolean", help: "with --queue: end when all is queued, and print the name for --join" },
  patience: {
    type: "string",
    value: "SECONDS",
    help: "with --queue: give a task to another worker if one shows no life for this time; default 30",
  },
  ...ACCESS,
};
