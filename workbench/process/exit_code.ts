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
  return codeOf(error) !== undefined || error instanceof Deno.errors.NotFound;
}

/** The system's name of an error, such as ENOENT. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  return /^E[A-Z0-9]+$/.test(`${error.code}`) ? `${error.code}` : undefined;
}

/** The codes of our own errors for what is named and is not there, or is no driver, card or recording. */
const WRONG: readonly unknown[] = [
  ...[
    "not-found",
    "not-a-file",
    "not-elf",
    "truncated",
    "wrong-class",
    "wrong-machine",
    "wrong-kind",
    "damaged",
    "permission",
  ],
  ...["bad-manifest", "no-card", "missing-library"],
  ...["bad-line", "bad-version", "cut-off", "changed", "missing-bytes", "no-instance", "unsupported"],
];

/** The errors that end a file which was begun: the work was done, and its result is lost. */
const LOST: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EPIPE"];

/** Reasons of the system, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "is not there",
  EISDIR: "is a folder; give a file",
  ENOTDIR: "is below a file, which is no folder; give another path",
  EEXIST: "is a file; give a folder",
  EACCES: "may not be used by this user; change its permissions or its folder's, or give another path",
  EPERM: "may not be used by this user; change its permissions or its folder's, or give another path",
  EROFS: "is on a file system that is only read; give another path",
  ENOSPC: "is on a full disk; make room, or give another path",
  EDQUOT: "is on a disk whose quota is used up; make room, or give another path",
  EMFILE: "is one file too many for this process; raise the limit with ulimit -n",
  ENAMETOOLONG: "has a name that is too long; give a shorter one",
  ELOOP: "is a link that leads to itself; give another path",
  ETXTBSY: "is a program that runs; give another path",
  ENXIO: "is a device or a pipe that nobody serves; give another path",
};

/** Returns the words for a refusal by the system, behind a file's name: why it cannot be used, and what to do. */
export function reasonOf(error: unknown): string {
  const { message } = error as Error, code = codeOf(error) ?? (error instanceof Deno.errors.NotFound ? "ENOENT" : "");
  const [, words = message] = /^(.*?)(?: \(os error \d+\))?(?:: \w+ '.*')?$/s.exec(message) ?? [];
  return REASONS[code] ?? `cannot be used: ${words}`;
}

/** A message without the numbers and calls of the operating system. */
export function plainWords(message: string): string {
  return message.replace(/ \(os error \d+\)(: \w+ '[^']*'( -> '[^']*')?)?/g, "");
}

/** A refusal as a sentence that begins with the file. */
export function refusalText(error: Error): string {
  const [, path] = /: \w+ '(.*?)'(?: -> '.*')?$/s.exec(error.message) ?? [];
  if (path === undefined) return plainWords(error.message);
  const code = codeOf(error), operation = /: (\w+) '/.exec(error.message)![1];
  const isNew = code === "ENOENT" && ["writefile", "mkdir", "open"].includes(operation);
  return `"${path}" ${isNew ? "cannot be made or opened: its folder, or the file, is not there" : reasonOf(error)}`;
}

/**
 * Returns the exit code for an error: 2 for wrong use, which is a file or a driver that is not there or is none, and for
 * a refusal of the system; 1 for a driver that fails, and for a file that was begun and could not be ended.
 */
export function exitCodeOf(error: unknown): number {
  if (error instanceof GraphicsError && WRONG.includes(error.code)) return 2;
  if (isRefusal(error)) return LOST.includes(codeOf(error)) ? 1 : 2;
  return error instanceof Error && error.cause !== undefined ? exitCodeOf(error.cause) : 1;
}

/** The sentence about an error that says all there is to say; `undefined` for an error that is a fault of ours. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof GraphicsError) return plainWords(error.message);
  return isRefusal(error) ? refusalText(error) : undefined;
}
