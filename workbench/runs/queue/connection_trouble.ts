import type { QueueAddress } from "./connect.ts";
import { QueueTrouble } from "./trouble.ts";

const NODE_SAYS_NOTHING = /node provided an undefined error/;

/** Returns the error of a failed connection, with a sentence about the cause. */
export function connectionTrouble(error: unknown, { url, credentials }: QueueAddress): QueueTrouble {
  const { message, name } = error as Error,
    where = shown(url),
    trouble = (text: string) => {
      return new QueueTrouble(2, text, { cause: error });
    };
  if (name === "AuthorizationError" || name === "UserAuthenticationExpiredError") {
    return trouble(
      `The server at ${where} refuses the user (${message}): give --queue=nats://USER:PASSWORD@HOST, or --credentials=FILE`,
    );
  }
  if (/credentials/.test(message)) {
    return trouble(
      `--credentials: "${credentials}" has no credentials of a user, as \`nsc generate creds\` makes them`,
    );
  }
  if (/does not support 'tls'/.test(message)) {
    return trouble(
      `The server at ${where} has no TLS: give nats:// and no --authority, or configure tls in the server`,
    );
  }
  if (/certificate|altnames/i.test(message)) {
    return trouble(
      `The certificate of the server at ${where} is not accepted (${message}): give --authority=FILE with the ` +
        "certificate of the authority that signed it, and in --queue a host that the server's certificate names",
    );
  }
  if (message === "timeout") {
    return trouble(
      `What listens at ${where} does not answer as a queue's server: correct the port in --queue, or start \`nats-server -js\` there`,
    );
  }
  const why = NODE_SAYS_NOTHING.test(message) ? "the connection was closed" : message;
  return trouble(
    `No queue's server answers at ${where} (${why}): start one with \`nats-server -js\`, or correct --queue`,
  );
}

/** An address without its password. */
export function shown(url: string): string {
  return url.replace(/^(\w+:)?(\/\/)?.*@/, "$1$2");
}
