import type { Host } from "../../loader/driver/host/host.ts";
import { isThere } from "./look.ts";

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
