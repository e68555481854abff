/**
 * Runs before each test file, by `deno test --preload=tests/support/preload.ts`: opens what an isolate keeps open for
 * its whole life, so that the sanitizers see no leak in the first test that makes a callback. Machine code may be
 * written while a test runs, as in every program that imports `loader/mod.ts`.
 *
 * @module
 */
import "../../ffi/image/assembler.ts";
import { createThunk } from "../../ffi/thunk/thunk.ts";
import { noteThatPreloadRan } from "./preloaded.ts";

createThunk("v:", () => {}).free();
noteThatPreloadRan();
