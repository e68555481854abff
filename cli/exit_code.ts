import { GraphicsError } from "../ffi/error.ts";

/** The exit code of an error: 2 for a driver, layer or file that is not there, 1 for one that failed. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Deno.errors.NotFound || error instanceof GraphicsError && error.code === "not-found") return 2;
  return error instanceof Error && error.cause !== undefined ? exitCodeOf(error.cause) : 1;
}
