import { GraphicsError } from "../ffi/error.ts";

/** Returns the exit code for an error: 2 for a missing driver, layer or file, 1 for one that failed. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Deno.errors.NotFound || error instanceof GraphicsError && error.code === "not-found") return 2;
  return error instanceof Error && error.cause !== undefined ? exitCodeOf(error.cause) : 1;
}
