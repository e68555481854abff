/** Whether the operating system refused something, such as a file on a disk that is full. */
export function isSystemError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return "code" in error && /^E[A-Z0-9]+$/.test(`${error.code}`) || error instanceof Deno.errors.NotFound;
}
