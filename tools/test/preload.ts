/** The argument of `deno test` with which a module runs before each test file; see that module. */
export const TEST_PRELOAD = "--preload=tests/support/preload.ts";
