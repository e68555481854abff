import type { EglDriver } from "./egl_driver.ts";
import type { Search } from "./finding_list.ts";
import { LibrarySearch } from "./library_search.ts";
import { isThere } from "./look.ts";

/** Where systems have libraries. */
const FOLDERS = [
  `/usr/lib/${Deno.build.arch}-linux-gnu`,
  "/usr/lib64",
  "/usr/lib",
  `/lib/${Deno.build.arch}-linux-gnu`,
  "/lib64",
  "/lib",
  "/usr/local/lib",
];
const NAMES = { GLES: "", EGL: "libEGL.so.1", GLESv1_CM: "libGLESv1_CM.so.1", GLESv2: "libGLESv2.so.2" };

/**
 * The system's own libEGL.so.1 with its companions, by path where one of the
 * usual folders is seen to have it: by its soname, a library of that name that
 * this process has already would come. `undefined` when there is none.
 */
export function openSystem(search: Search): EglDriver | undefined {
  const folder = FOLDERS.find((each) => isThere(`${each}/${NAMES.EGL}`, search.host)), origin = "last resort";
  const libraries = new LibrarySearch(search, "");
  return libraries.three((kind) => libraries.load(folder ? `${folder}/${NAMES[kind]}` : NAMES[kind], origin), origin);
}
