import type { Host } from "../../loader/driver/host/host.ts";
import { isThere } from "./look.ts";

/** What follows `.so` in the names of a library: on Linux, packages without headers have only versioned ones. */
const VERSIONS = ["", ".0", ".1", ".2"];
const ENDING = /\.so(\.\d+)*$/;

/** The file of a library in a folder, whatever version its name has, or none. */
export function libraryFile(folder: string, stem: string, host: Host): string | undefined {
  return namesOf(stem, host).map((name) => `${folder}/${name}`).find((path) => isThere(path, host));
}

/** The names a library may have. Android's have no versions. */
export function namesOf(stem: string, host: Host): string[] {
  return (host.system === "android" ? [""] : VERSIONS).map((version) => `${stem}.so${version}`);
}

/** Whether a file is a shared object by its name. */
export function isLibrary(name: string, host: Host): boolean {
  return host.system === "android" ? name.endsWith(".so") : ENDING.test(name);
}

/** A library's folder, and its file name up to `.so`; the folder of a bare name is `""`. */
export function partsOf(path: string): { folder: string; stem: string } {
  const slash = path.lastIndexOf("/");
  return { folder: path.slice(0, Math.max(slash, 0)), stem: path.slice(slash + 1).replace(ENDING, "") };
}

/** The libraries that go with an EGL library of some name, in its folder; `""` for what is not there. */
export function companionsOf(egl: string, host: Host): { gles1: string; gles2: string } {
  const { folder, stem } = partsOf(egl);
  if (folder === "" || !stem.startsWith("libEGL")) return { gles1: "", gles2: "" };
  const suffix = stem.slice("libEGL".length), find = (kind: string) => libraryFile(folder, kind + suffix, host) ?? "";
  return { gles1: find("libGLESv1_CM"), gles2: find("libGLESv2") };
}
