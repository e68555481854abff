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
