import { denoHost } from "../../../loader/driver/host/host.ts";
import { isThere, SYSTEM_FILES, systemFolder } from "../../../egl/driver/library_files.ts";

/** The folder, beside the library, in which programs find the library by the names of libEGL and the GLES libraries. */
const FOLDER = "programs";
/** The names by which programs load the libraries, with and without a version. */
const NAMES = Object.values(SYSTEM_FILES).filter((name) => name !== "").flatMap((
  name,
) => [name, name.replace(/\.\d$/, "")]);

const NONE =
  "Cannot put layers in the place of libEGL: no libEGL.so.1 of this processor is in one of the usual folders; " +
  "install one (Debian: libegl1 libgles2)";

/** Returns the path of the system's libEGL, which the library hands calls on to; `undefined` without one. */
export function systemLibEgl(): string | undefined {
  const host = denoHost(), folder = systemFolder((path) => isThere(path, host));
  return folder && `${folder}/${SYSTEM_FILES.EGL}`;
}

/** Writes the other names of the library in a folder. */
export function linkNames(folder: string): void {
  Deno.mkdirSync(`${folder}/${FOLDER}`);
  for (const name of NAMES) Deno.symlinkSync(`../${GLES_LIBRARY_FILE}`, `${folder}/${FOLDER}/${name}`);
}

/** Returns the variables by which a program finds the library of a folder before the system's. */
export function libraryVariables(
  folder: string,
  { LD_LIBRARY_PATH }: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = `${folder}/${FOLDER}`;
  if (!isThere(own, denoHost())) throw new TypeError(NONE);
  return { LD_LIBRARY_PATH: LD_LIBRARY_PATH ? `${own}:${LD_LIBRARY_PATH}` : own };
}

/** The file of the library. Android finds it by this name in its folders for layers, and in settings. */
export const GLES_LIBRARY_FILE = "libGLES_pumice.so";
