import type { Host } from "../../loader/driver/host/host.ts";

/** The kind of file at a path; `"hidden"` if Deno may not look, although the dynamic linker may still load the file. */
type Seen = "file" | "folder" | "other" | "nothing" | "hidden";

/** Finds the kind of file at a path, after links. */
export function lookAt(path: string, host: Host): Seen {
  try {
    return host.exists(path) ?? "nothing";
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return "hidden";
    throw error;
  }
}

/** Whether a visible file or folder is at a path. */
export function isThere(path: string, host: Host): boolean {
  const seen = lookAt(path, host);
  return seen !== "nothing" && seen !== "hidden";
}

/** The usual folders of system libraries. */
const FOLDERS: readonly string[] = [
  `/usr/lib/${Deno.build.arch}-linux-gnu`,
  "/usr/lib64",
  "/usr/lib",
  `/lib/${Deno.build.arch}-linux-gnu`,
  "/lib64",
  "/lib",
  "/usr/local/lib",
];
/** The files of the system's libraries. */
export const SYSTEM_FILES = {
  GLES: "",
  EGL: "libEGL.so.1",
  GLESv1_CM: "libGLESv1_CM.so.1",
  GLESv2: "libGLESv2.so.2",
} as const;

/** Returns the usual folder that has the system's libEGL.so.1; `undefined` if none has. */
export function systemFolder(isThere: (path: string) => boolean): string | undefined {
  return FOLDERS.find((each) => isThere(`${each}/${SYSTEM_FILES.EGL}`));
}

/**
 * The endings after `.so` in the names of a library. On Linux, packages without headers have only files with a version.
 */
const VERSIONS = ["", ".0", ".1", ".2"];
const ENDING = /\.so(\.\d+)*$/;

/** The file of a library in a folder, with any version in its name, or none. */
export function libraryFile(folder: string, stem: string, host: Host): string | undefined {
  return namesOf(stem, host).map((name) => `${folder}/${name}`).find((path) => isThere(path, host));
}

/** The possible names of a library. Android's libraries have no versions. */
export function namesOf(stem: string, host: Host): string[] {
  return (host.system === "android" ? [""] : VERSIONS).map((version) => `${stem}.so${version}`);
}

/** Whether a file's name is that of a shared object. */
export function isLibrary(name: string, host: Host): boolean {
  return host.system === "android" ? name.endsWith(".so") : ENDING.test(name);
}

/** A library's folder, and its file name up to `.so`; the folder of a bare name is `""`. */
export function partsOf(path: string): { folder: string; stem: string } {
  const slash = path.lastIndexOf("/");
  return { folder: path.slice(0, Math.max(slash, 0)), stem: path.slice(slash + 1).replace(ENDING, "") };
}

/** The libraries beside an EGL library; `""` for a missing one. */
export function companionsOf(egl: string, host: Host): { gles1: string; gles2: string } {
  const { folder, stem } = partsOf(egl);
  if (folder === "" || !stem.startsWith("libEGL")) return { gles1: "", gles2: "" };
  const suffix = stem.slice("libEGL".length), find = (kind: string) => libraryFile(folder, kind + suffix, host) ?? "";
  return { gles1: find("libGLESv1_CM"), gles2: find("libGLESv2") };
}
