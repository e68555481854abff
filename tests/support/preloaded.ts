let hasRun = false;

/** Called by the preload of the tests. */
export function noteThatPreloadRan(): void {
  hasRun = true;
}

/**
 * Throws an `Error` that says how to run the tests, if this is a test file and the preload did not run: sanitizers
 * would find leaks. Workers and programs of tests have no sanitizers.
 */
export function requirePreload(): void {
  if (hasRun || !Deno.mainModule?.endsWith("_test.ts")) return;
  throw new Error(
    "Cannot test without the preload, which opens what stays open: run `deno task test FILE`, or add " +
      "--preload=tests/support/preload.ts to `deno test`",
  );
}
