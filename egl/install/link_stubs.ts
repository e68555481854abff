import { linkStub } from "../../ffi/library/link_stub.ts";
import { CLIENT_LIBRARIES } from "./libraries.ts";

/**
 * The files to link C programs with (`-lEGL -lGLESv2 -lGLESv1_CM`), by name:
 * such a program asks for `libEGL.so.1` and its like when it starts, and gets
 * whatever is installed. Throws a `TypeError` for a machine other than `x86_64`
 * and `aarch64`.
 */
export function eglLinkStubs(arch: string = Deno.build.arch): Map<string, Uint8Array<ArrayBuffer>> {
  return new Map(
    CLIENT_LIBRARIES.map(({ soname, unversioned, names }) => [unversioned, linkStub(soname, names(), arch)]),
  );
}
