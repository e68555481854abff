/**
 * Brings SwiftShader (a Vulkan driver) and ANGLE (EGL and GLES) to machines
 * that have neither a driver nor a root password.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { brotliDecompressSync } from "node:zlib";
import { fetchPackageFile } from "./npm_package.ts";
import { CACHE, SWIFTSHADER_FOLDER } from "./parts.ts";
import { untar } from "./untar.ts";

const SOURCE = { name: "@sparticuz/chromium", version: "147.0.0", path: "bin/swiftshader.tar.br" };
const SHA256 = "f957ea867313f9815b71dc2ed30cce301e01db4f3973fbdb31ffa5391b0ec45a";
const LIBRARIES = ["libvk_swiftshader.so", "libEGL.so", "libGLESv2.so"];

/** A driver manifest for the Khronos loader, so that native programs can be pointed at the same driver. */
const MANIFEST = {
  file_format_version: "1.0.0",
  ICD: { library_path: "./libvk_swiftshader.so", api_version: "1.3.0" },
};

/**
 * Fetches the libraries and puts them beside a manifest in
 * {@linkcode SWIFTSHADER_FOLDER}. The folder appears complete or not at all.
 * Throws an `Error` when the download fails or is not what it should be.
 */
export async function installSwiftshader(): Promise<void> {
  await Deno.mkdir(CACHE, { recursive: true });
  const compressed = await fetchPackageFile(SOURCE, CACHE);
  verify(compressed);
  const folder = await Deno.makeTempDir({ dir: CACHE });
  await unpack(compressed, folder);
  await Deno.chmod(folder, 0o755);
  await Deno.remove(SWIFTSHADER_FOLDER, { recursive: true }).catch(() => {});
  await Deno.rename(folder, SWIFTSHADER_FOLDER);
}

/** The package's own checksum covers the download; this one covers a changed package too. */
function verify(bytes: Uint8Array): void {
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found === SHA256) return;
  throw new Error(`Cannot use ${SOURCE.path} of ${SOURCE.name}@${SOURCE.version}: SHA-256 is ${found}, not ${SHA256}`);
}

async function unpack(compressed: Uint8Array, folder: string): Promise<void> {
  for (const entry of untar(brotliDecompressSync(compressed))) {
    if (LIBRARIES.includes(entry.name)) await Deno.writeFile(`${folder}/${entry.name}`, entry.bytes, { mode: 0o755 });
  }
  await Deno.writeTextFile(`${folder}/vk_swiftshader_icd.json`, JSON.stringify(MANIFEST, null, 2) + "\n");
}
