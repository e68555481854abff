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
