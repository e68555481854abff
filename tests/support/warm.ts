/**
 * Opens, before any test runs, what the project keeps open for the life of the
 * process, so that the sanitizers see no leak. Import it first in every test
 * file that calls native code.
 */
import "../../ffi/image/assembler.ts";
import { createThunk } from "../../ffi/thunk/thunk.ts";

createThunk("v:", () => {}).free();
