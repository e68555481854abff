import { linkStub } from "../../ffi/library/link_stub.ts";
import { BLOB_CACHE_SETTER } from "../api/blob_cache_setter.ts";
import { commandsOf } from "../dispatch/features.ts";
import { eglCommands } from "../dispatch/names.ts";

/** A library through which native code uses EGL or OpenGL ES. */
export interface ClientLibrary {
  /** The name that programs are linked with or open. */
  readonly soname: string;
  /** The name of the development package; absent if another library has the name. */
  readonly unversioned: string;
  /** Returns the exported names. */
  names(): readonly string[];
}

/** The three libraries, EGL's first. */
export const CLIENT_LIBRARIES: readonly ClientLibrary[] = [
  {
    soname: "libEGL.so.1",
    unversioned: "libEGL.so",
    names: () => eglCommands.names.filter((name) => name !== BLOB_CACHE_SETTER),
  },
  { soname: "libGLESv2.so.2", unversioned: "libGLESv2.so", names: () => [...commandsOf("gles2")] },
  { soname: "libGLESv1_CM.so.1", unversioned: "libGLESv1_CM.so", names: () => [...commandsOf("gles1")] },
];

/**
 * Returns the files, by name, with which C programs are linked (`-lEGL -lGLESv2 -lGLESv1_CM`). Such a program loads
 * `libEGL.so.1` and the other libraries when it starts, and gets the installed loader. Throws a `TypeError` for a
 * machine other than `x86_64` and `aarch64`.
 *
 * @example
 * ```ts
 * import { eglLinkStubs } from "@pumice/gfx/egl";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals([...eglLinkStubs("x86_64").keys()].includes("libEGL.so"), true);
 * ```
 */
export function eglLinkStubs(arch: string = Deno.build.arch): Map<string, Uint8Array<ArrayBuffer>> {
  return new Map(
    CLIENT_LIBRARIES.map(({ soname, unversioned, names }) => [unversioned, linkStub(soname, names(), arch)]),
  );
}
