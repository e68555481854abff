/** An error of a queue, with a sentence that says what to do. */
export class QueueTrouble extends Error {
  /** The error's name. */
  override readonly name = "QueueTrouble";
  /** The exit code: 2 for something that was not found or was named wrongly, 1 for something that failed. */
  readonly exitCode: 1 | 2;

  /** A sentence, and the exit code of a program that ends by it. */
  constructor(exitCode: 1 | 2, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Errors of JetStream by which the server says that its store has no room. */
const FULL: ReadonlySet<number> = new Set([10023, 10047, 10077, 10122, 10028]);
/** Errors that a server gives for a while after its start. */
const PASSING: ReadonlySet<number> = new Set([10008, 10009, 10041]);

/** The number of an error of JetStream; `undefined` for other errors. */
function apiCode(error: unknown): number | undefined {
  const { name, code } = error as { name?: string; code?: unknown };
  return /^(JetStreamApiError|StreamNotFoundError|ConsumerNotFoundError)$/.test(name ?? "") ? Number(code) : undefined;
}

/** Whether a server said that what was asked for is not there. */
export function isGone(error: unknown): boolean {
  return [10014, 10059].includes(apiCode(error) ?? 0);
}

/** Whether a server said that there is no room. */
export function isFull(error: unknown): boolean {
  const code = apiCode(error);
  return code !== undefined && FULL.has(code) ||
    /maximum (bytes|messages) exceeded|insufficient (storage )?resources|no space left/.test(
      String((error as Error).message),
    );
}

/** Whether a server said that the user may not do that. */
export function isForbidden(error: unknown): boolean {
  const { name, cause } = error as Error;
  return name === "PermissionViolationError" || (cause instanceof Error && isForbidden(cause));
}

/** Whether the same request may succeed later, since a server is away or has just started. */
export function isPassing(error: unknown): boolean {
  if (error instanceof QueueTrouble || isForbidden(error)) return false;
  const code = apiCode(error), { name } = error as Error;
  if (code !== undefined) return PASSING.has(code) || code === 503;
  return [
    "TimeoutError",
    "RequestError",
    "NoRespondersError",
    "ConnectionError",
    "JetStreamError",
    "JetStreamStatusError",
  ]
    .includes(name);
}

/** Returns the error of the queue that an error of the client means. */
export function troubleOf(error: unknown, what: string): QueueTrouble {
  if (error instanceof QueueTrouble) return error;
  const { message } = error as Error;
  if (isFull(error)) {
    return new QueueTrouble(
      1,
      `The queue's server has no room for ${what}: ${message}; give it a larger store (max_file_store), or remove streams`,
      { cause: error },
    );
  }
  if (isForbidden(error)) {
    return new QueueTrouble(
      2,
      `The queue's server does not allow ${what}: ${message}; give the account rights for pumice.> and $JS.API.>`,
      { cause: error },
    );
  }
  return new QueueTrouble(1, `The queue's server failed at ${what}: ${message}`, { cause: error });
}

const NODE_SAYS_NOTHING = /node provided an undefined error/;

/** Returns the error of a failed connection to an address, with a sentence about the cause. */
export function connectionTrouble(
  error: unknown,
  { url, credentials }: { readonly url: string; readonly credentials?: string },
): QueueTrouble {
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
