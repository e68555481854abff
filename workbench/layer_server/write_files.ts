import { NativeError } from "../../ffi/error.ts";
import { closeDescriptor, openFile } from "../../ffi/file/file_descriptor.ts";
import { callLibc } from "../../ffi/invoke.ts";
import { inFrame } from "../../ffi/arena.ts";
import { writeWhole } from "../../ffi/file/whole_file.ts";
import type { LibrarySpec } from "./library/assemble.ts";
import { LIBRARY_FILE, manifest, MANIFEST_FILE } from "./manifest.ts";

/** Writes the layer library and its manifest to a folder, which is made if it is not there. Returns their paths. */
export async function writeLayerFiles(
  folder: string,
  spec: LibrarySpec,
): Promise<{ library: string; manifest: string }> {
  const { writeLibrary } = await import("./library/write_library.ts");
  const paths = { library: `${folder}/${LIBRARY_FILE}`, manifest: `${folder}/${MANIFEST_FILE}` };
  Deno.mkdirSync(folder, { recursive: true });
  writeWhole(paths.library, await writeLibrary(spec), modeOf(spec));
  writeWhole(paths.manifest, manifest());
  return paths;
}

/** The mode of a library with keys, which its owner alone can read. */
export function modeOf({ place }: LibrarySpec): number {
  return place?.socket ? 0o700 : 0o755;
}

/** `struct statvfs` of `sys/statvfs.h`: where the flags of the mount are, and room for all. ST_NOEXEC. */
const STATVFS = { flags: 72, size: 112 } as const, NO_EXECUTION = 8n;

/**
 * Throws a {@linkcode NativeError} for a folder from which no program can load a library, since its file system is
 * mounted so.
 */
export function requireExecutable(folder: string): void {
  const file = openFile(folder, 0);
  const flags = inFrame((memory) => {
    const at = memory.alloc(STATVFS.size);
    // int fstatvfs(int fd, struct statvfs *buf)
    const isKnown = callLibc("fstatvfs", "s:sq", file, memory.address(at)) === 0;
    return isKnown ? memory.view.getBigUint64(at + STATVFS.flags, true) : 0n;
  });
  closeDescriptor(file);
  if ((flags & NO_EXECUTION) === 0n) return;
  throw new NativeError(
    "unsupported",
    `Cannot serve layers from ${folder}: the file system there is mounted noexec, so that no program could load the layer ` +
      "library; set TMPDIR to a folder of another one",
    { path: folder },
  );
}
