import { cstring } from "../../ffi/cstring.ts";
import { libc } from "../../ffi/libc.ts";
import { Library } from "../../ffi/library/library.ts";
import { compileFixture } from "../support/compile.ts";
import { needs } from "../support/require.ts";

/** The path of the compiled C counterparts, made with `cc` if need be; `undefined` without a compiler. */
export function fixturePath(): string | undefined {
  return compileFixture("ffi");
}

const path = fixturePath();

/** Options for tests that need the C counterparts. */
export const NEEDS_FIXTURE: { ignore: boolean } = needs("C compiler (cc)", path);

let library: Library | undefined;

/** Address of a function of the C counterparts. */
export function fixture(name: string): bigint {
  return (library ??= Library.open(path!)).require(name);
}

/** Address of a C string that lives for the rest of the test run. */
export function lasting(text: string): bigint {
  const bytes = cstring(text);
  const address = libc().mmap(0n, BigInt(bytes.length), 3, 0x22, -1, 0n);
  new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, bytes.length)).set(bytes);
  return address;
}
