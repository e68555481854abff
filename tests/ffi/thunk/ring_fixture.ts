import { Library } from "../../../ffi/library/library.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";

const path = compileFixture("ring");

/** Options for tests that need threads which call callbacks. */
export const NEEDS_THREADS: { ignore: boolean } = needs("C compiler (cc)", path);

let library: Library | undefined;

/** Address of a function of tests/fixtures/ring.c. */
export function threads(name: string): bigint {
  return (library ??= Library.open(path!)).require(name);
}
