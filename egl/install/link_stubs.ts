import { linkStub } from "../../ffi/library/link_stub.ts";
import { CLIENT_LIBRARIES } from "./libraries.ts";

/**
 * Returns the files, by name, with which C programs are linked (`-lEGL -lGLESv2 -lGLESv1_CM`). Such a program loads
 * `libEGL.so.1` and the other libraries when it starts, and gets the installed loader. Throws a `TypeError` for a
 * machine other than `x86_64` and `aarch64`.
 */
export function eglLinkStubs(arch: string = Deno.build.arch): Map<string, Uint8Array<ArrayBuffer>> {
  return new Map(
    CLIENT_LIBRARIES.map(({ soname, unversioned, names }) => [unversioned, linkStub(soname, names(), arch)]),
  );
}
