import { GraphicsError } from "../../ffi/error.ts";

/** A command line that makes no sense; the message says why. */
export class WrongUse extends Error {
  /** The error's name. */
  override readonly name = "WrongUse";
}

/** A file that the user named and that cannot be used; the message says why. The exit code is 1. */
export class Unusable extends Error {
  /** The error's name. */
  override readonly name = "Unusable";
}

/** The classes of what the operating system or a missing permission refuses. */
const REFUSALS = Object.values(Deno.errors);

/** Whether the operating system, or a missing permission, refused something: the message says all there is to say. */
export function isRefusal(error: unknown): error is Error {
  return REFUSALS.some((kind) => error instanceof kind) || isSystemError(error);
}

/** Whether the operating system refused something, such as a file on a disk that is full, which has no class of its own. */
export function isSystemError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return "code" in error && /^E[A-Z0-9]+$/.test(`${error.code}`) || error instanceof Deno.errors.NotFound;
}

/** The codes of our own errors for what is named and not there. */
const MISSING: readonly unknown[] = ["not-found", "no-card", "missing-library"];

/** How the operations are called that Deno's messages name. */
const OPERATIONS: Readonly<Record<string, string>> = { readfile: "read", writefile: "write", mkdir: "make" };

/** A refusal as a sentence that begins with what cannot be done, and with which file. */
export function refusalText({ message }: Error): string {
  const [, reason, operation, path] = /^(.*?)(?: \(os error \d+\))?: (\w+) '(.*)'$/s.exec(message) ?? [];
  return path === undefined ? message : `cannot ${OPERATIONS[operation] ?? operation} "${path}": ${reason}`;
}

/** Returns the exit code for an error: 2 for a missing driver, layer, card or file, 1 for one that failed. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Deno.errors.NotFound || error instanceof GraphicsError && MISSING.includes(error.code)) {
    return 2;
  }
  return error instanceof Error && error.cause !== undefined ? exitCodeOf(error.cause) : 1;
}
