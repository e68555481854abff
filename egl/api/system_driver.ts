import { Library, RTLD_NODELETE, RTLD_NOW } from "../../ffi/library.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import { cstring } from "../../ffi/cstring.ts";
import { arena } from "../../ffi/arena.ts";
import type { Api } from "../dispatch/features.ts";
import type { UsableDriver } from "./usable_driver.ts";

/** Drivers stay in the process, as on Android: libglvnd and Mesa leave something behind each time they are unloaded, until nothing is left. */
const FLAGS = RTLD_NOW | RTLD_NODELETE;

/** Opens libraries by their names: one that has everything, or EGL's, OpenGL ES 1's and 2's. */
export function openLibraries(egl: string, gles1?: string, gles2?: string): UsableDriver {
  const libraries = new Map<string, Library>();
  for (const path of [egl, gles1, gles2]) {
    if (path && !libraries.has(path)) libraries.set(path, Library.open(path, FLAGS));
  }
  const of: Record<Api, Library> = {
    egl: libraries.get(egl)!,
    gles1: libraries.get(gles1 ?? gles2 ?? egl)!,
    gles2: libraries.get(gles2 ?? egl)!,
  };
  const findExported = (name: string, api: Api) => of[api].find(name);
  const ask = (name: string) => {
    const mark = arena().mark(), get = of.egl.find("eglGetProcAddress");
    const address = get === 0n ? 0n : bindByAddress("q:q")(arena().place(cstring(name)), get) as bigint;
    arena().release(mark);
    return address;
  };
  const close = () => [...libraries.values()].reverse().forEach((library) => library.close());
  return {
    path: egl,
    libraries: [...libraries.keys()],
    kind: of.gles2.find("ANGLEGetDisplayPlatform") || of.egl.find("EGL_GetPlatformDisplay") ||
        ask("ANGLEGetDisplayPlatform")
      ? "angle"
      : "three",
    answersAnyName: ask("glNoSuchFunctionXYZ") !== 0n,
    find: (name, api) => findExported(name, api) || ask(name),
    findExported,
    handle: (api) => of[api].handle,
    close,
    [Symbol.dispose]: close,
  };
}
