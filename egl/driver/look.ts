import type { Host } from "../../loader/driver/host/host.ts";

/** The kind of file at a path; `"hidden"` if Deno may not look, although the dynamic linker may still load the file. */
export type Seen = "file" | "folder" | "other" | "nothing" | "hidden";

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
