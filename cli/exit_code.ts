import { GraphicsError } from "../ffi/error.ts";

/** The classes of what the operating system or a missing permission refuses. */
const REFUSALS = Object.values(Deno.errors);

/** Whether the operating system, or a missing permission, refused something: the message says all there is to say. */
export function isRefusal(error: unknown): error is Error {
  return REFUSALS.some((kind) => error instanceof kind);
}

/** Returns the exit code for an error: 2 for a missing driver, layer or file, 1 for one that failed. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Deno.errors.NotFound || error instanceof GraphicsError && error.code === "not-found") return 2;
  return error instanceof Error && error.cause !== undefined ? exitCodeOf(error.cause) : 1;
}
