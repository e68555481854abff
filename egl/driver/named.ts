import type { Library } from "../../ffi/library/library.ts";
import {
  driverOfLibraries,
  driverRefusal,
  exportsEgl,
  exportsGles,
  openDriverLibrary,
  openLibraries,
} from "./library_set.ts";
import type { EglDriver } from "./egl_driver.ts";
import type { Search } from "./finding_list.ts";
import { GLVND_MAIN, readVendorManifest, vendorOf } from "./glvnd_vendor.ts";
import { companionsOf, isLibrary, lookAt, partsOf } from "./library_files.ts";
import type { NamedEglDriver } from "./options.ts";
import { DriverError } from "../../loader/error.ts";

/** Opens the driver that a user named. Throws a {@linkcode DriverError}. */
export function openNamed(choice: NamedEglDriver, search: Search): EglDriver {
  const origin = "driver option";
  try {
    if (choice.kind === "three") return search.took(openLibraries(choice.egl, choice.gles1, choice.gles2), origin);
    const { kind, path } = choice;
    if (kind === "manifest") return search.took(openManifest(path, search), path);
    const isFolder = lookAt(path, search.host) === "folder";
    return search.took(openOne(isFolder ? libraryInFolder(path, search) : path, search), origin);
  } catch (error) {
    search.refused(choice.kind === "three" ? choice.egl : choice.path, origin, (error as Error).message, "error");
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
 * Opens the driver of an EGL library: one binary, the first of three libraries with the others beside it, or a vendor
 * library of libglvnd's. Throws a {@linkcode DriverError}.
 */
export function openOne(path: string, search: Search): EglDriver {
  const library = openDriverLibrary(path);
  if (exportsEgl(library)) return withCompanions(library, search);
  if (library.find(GLVND_MAIN) !== 0n) return vendorOf(library);
  if (!exportsGles(library)) return driverOfLibraries({ egl: library });
  library.close();
  throw driverRefusal(path, "it has OpenGL ES only; name the EGL library that goes with it, libEGL…");
}

/**
 * Opens a library with its companions. ANGLE's libEGL has the gl functions, too, but only those that are requested, so
 * the libraries beside it have precedence.
 */
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

/** The beginnings of the names of an EGL library, those of one binary first. */
const STARTS = ["libGLES", "libEGL"];
const OTHER = /^libGLESv\d/;

/**
 * Finds the EGL library of the driver in a folder: the only libGLES_x or libEGL_x, or of several the one without a
 * suffix. Throws a {@linkcode DriverError} if there is none, or if the choice is ambiguous.
 */
function libraryInFolder(folder: string, search: Search): string {
  const path = folder.replace(/(?<=.)\/+$/, ""), stems = driverStems(path, search);
  const [only] = stems.length === 1 ? stems : stems.filter(({ stem }) => STARTS.includes(stem));
  if (only) return `${path}/${only.file}`;
  const found = stems.map(({ file }) => file).join(", ");
  throw driverRefusal(
    folder,
    found === ""
      ? "found a folder without libEGL… or libGLES…; name one that has them, or a library"
      : `found a folder with several: ${found}; name one of them`,
  );
}

function driverStems(folder: string, { host }: Search): { file: string; stem: string }[] {
  const stems = new Map<string, string>();
  for (const file of namesIn(folder, host)) {
    const { stem } = partsOf(file);
    const isDriver = isLibrary(file, host) && STARTS.some((start) => stem.startsWith(start)) && !OTHER.test(stem);
    if (isDriver && !stems.has(stem)) stems.set(stem, file);
  }
  return [...stems].map(([stem, file]) => ({ stem, file }));
}

function namesIn(folder: string, host: Search["host"]): string[] {
  try {
    return host.readDir(folder).sort();
  } catch (error) {
    const advice = error instanceof Deno.errors.NotCapable ? "allow it with --allow-read" : "check its permissions";
    throw new DriverError(
      "unusable",
      folder,
      `Cannot read folder "${folder}": ${(error as Error).message}; ${advice}`,
      {
        cause: error,
      },
    );
  }
}
