import { needs } from "../support/require.ts";
import { libc } from "../../ffi/libc.ts";
import { cstring } from "../../ffi/cstring.ts";
import { Library } from "../../ffi/library.ts";

const SOURCE = new URL("../fixtures/ffi.c", import.meta.url);

/** Where the compiled C counterparts of this machine lie, made with `cc` if need be; `undefined` without a compiler. */
export function fixturePath(): string | undefined {
  const folder = new URL(`../../.cache/fixtures/${Deno.build.arch}/`, import.meta.url);
  const path = new URL("ffi.so", folder).pathname;
  if (isNewer(path)) return path;
  Deno.mkdirSync(folder, { recursive: true });
  const fresh = `${path}.${Deno.pid}`;
  const args = ["-shared", "-fPIC", "-O1", "-pthread", "-Wno-unused", "-o", fresh, SOURCE.pathname, "-ldl"];
  try {
    if (!new Deno.Command("cc", { args, stderr: "inherit" }).outputSync().success) return;
  } catch {
    return; // no compiler, or no way to start one
  }
  Deno.renameSync(fresh, path); // another test process may have the older one open
  return path;
}

function isNewer(path: string): boolean {
  try {
    return Deno.statSync(path).mtime! >= Deno.statSync(SOURCE).mtime!;
  } catch {
    return false;
  }
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
