import type { Host } from "../../loader/driver/host.ts";
import type { EglDriver } from "./egl_driver.ts";
import type { Search } from "./finding_list.ts";
import { openLibraries } from "./library_set.ts";

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

/**
 * The system's own libEGL.so.1 with its companions, by path where one of the
 * usual folders has it: by its soname, a library of that name that this process
 * has already would come. `undefined` when there is none.
 */
export function openSystem(search: Search): EglDriver | undefined {
  const { host } = search, folder = FOLDERS.find((each) => host.exists(`${each}/libEGL.so.1`) !== undefined);
  const origin = "last resort", egl = located("libEGL.so.1", folder, host);
  const gles1 = located("libGLESv1_CM.so.1", folder, host), gles2 = located("libGLESv2.so.2", folder, host);
  return search.attempt(egl, origin, () => openLibraries(egl, folder ? gles1 : "", folder ? gles2 : ""));
}

function located(name: string, folder: string | undefined, host: Host): string {
  if (folder === undefined) return name;
  return host.exists(`${folder}/${name}`) === undefined ? "" : `${folder}/${name}`;
}
