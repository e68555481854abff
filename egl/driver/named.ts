import type { Library } from "../../ffi/library.ts";
import { driverRefusal, openDriverLibrary } from "./driver_library.ts";
import type { EglDriver } from "./egl_driver.ts";
import type { Search } from "./finding_list.ts";
import { libraryInFolder } from "./folder.ts";
import { readVendorManifest } from "./glvnd_manifest.ts";
import { GLVND_MAIN, vendorOf } from "./glvnd_vendor.ts";
import { companionsOf } from "./library_files.ts";
import { lookAt } from "./look.ts";
import { driverOfLibraries, exportsEgl, exportsGles, openLibraries } from "./library_set.ts";

/** Opens the driver a user named: a library, a folder, or a manifest. Throws a {@linkcode DriverError}. */
export function openNamed(wanted: string, search: Search): EglDriver {
  if (wanted === "") throw new TypeError('Cannot open "" as an EGL driver: give a path, "auto" or "angle"');
  const origin = "driver option";
  try {
    if (wanted.endsWith(".json")) return search.took(openManifest(wanted, search), wanted);
    const isFolder = lookAt(wanted, search.host) === "folder";
    return search.took(openOne(isFolder ? libraryInFolder(wanted, search) : wanted, search), origin);
  } catch (error) {
    search.refused(wanted, origin, (error as Error).message, "error");
    throw error;
  }
}

/** Opens three libraries a user named. Throws a {@linkcode DriverError}. */
export function openThree([egl, gles1, gles2]: readonly [string, string, string], search: Search): EglDriver {
  if (!egl) throw new TypeError("Cannot open a driver without its EGL library: name it first of the three");
  try {
    return search.took(openLibraries(egl, gles1, gles2), "driver option");
  } catch (error) {
    search.refused(egl, "driver option", (error as Error).message, "error");
    throw error;
  }
}

function openManifest(path: string, search: Search): EglDriver {
  const { library } = readVendorManifest(path, search.host), { findings } = search;
  const reason = `names ${library}`;
  findings.push({ subject: "manifest", path, origin: "driver option", taken: true, reason, level: "debug" });
  return openOne(library, search);
}

/**
 * Opens the driver whose EGL is in a library: one binary, the first of three
 * whose others lie beside it, or a vendor library of libglvnd's. Throws a
 * {@linkcode DriverError}.
 */
export function openOne(path: string, search: Search): EglDriver {
  const library = openDriverLibrary(path);
  if (exportsEgl(library)) return withCompanions(library, search);
  if (library.find(GLVND_MAIN) !== 0n) return vendorOf(library);
  if (!exportsGles(library)) return driverOfLibraries({ egl: library });
  library.close();
  throw driverRefusal(path, "it has OpenGL ES only; name the EGL library that goes with it, libEGL…");
}

/** ANGLE's libEGL has the gl functions, too, if only as far as they are asked for; so what lies beside it counts more. */
function withCompanions(library: Library, { host }: Search): EglDriver {
  const { gles1, gles2 } = companionsOf(library.path, host), opened: Library[] = [library];
  try {
    const [first, second] = [gles1, gles2].map((path) => {
      if (path !== "") opened.push(openDriverLibrary(path));
      return path === "" ? undefined : opened.at(-1);
    });
    const all = exportsGles(library) ? library : undefined;
    return driverOfLibraries({ egl: library, gles1: first ?? all, gles2: second ?? all });
  } catch (error) {
    for (const each of opened.reverse()) each.close();
    throw error;
  }
}
