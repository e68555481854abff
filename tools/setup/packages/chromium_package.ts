/**
 * Installs parts that one npm package brings: it is downloaded once for all of
 * them, without scripts and without what it depends on.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { brotliDecompressSync } from "node:zlib";
import { fetchPackageFiles } from "./npm_package.ts";
import { CACHE } from "../parts.ts";

const PACKAGE = { name: "@sparticuz/chromium", version: "147.0.0" };

/** The files of a package to unpack. */
export interface PackagePart {
  /** The destination. */
  readonly folder: string;
  /** The files it needs, Brotli-compressed, each with its SHA-256. */
  readonly files: Readonly<Record<string, string>>;
  /** Fills an empty folder from the decompressed files, in their order. */
  unpack(files: Uint8Array[], folder: string): Promise<void>;
}

/**
 * Fetches parts. The folder of each appears complete or not at all. Throws an
 * `Error` when the download fails or is not what it should be.
 */
export async function installFromPackage(parts: readonly PackagePart[]): Promise<void> {
  await Deno.mkdir(CACHE, { recursive: true });
  const paths = parts.flatMap((part) => Object.keys(part.files));
  const fetched = await fetchPackageFiles({ ...PACKAGE, paths }, CACHE);
  const bytes = new Map(paths.map((path, index) => [path, fetched[index]]));
  for (const part of parts) await installPart(part, bytes);
}

async function installPart({ folder, files, unpack }: PackagePart, fetched: Map<string, Uint8Array>): Promise<void> {
  for (const [path, digest] of Object.entries(files)) verify(path, fetched.get(path)!, digest);
  const fresh = await Deno.makeTempDir({ dir: CACHE });
  await unpack(Object.keys(files).map((path) => brotliDecompressSync(fetched.get(path)!)), fresh);
  await Deno.chmod(fresh, 0o755);
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.rename(fresh, folder);
}

/** The package's own checksum covers the download; this one covers a changed package too. */
function verify(path: string, bytes: Uint8Array, digest: string): void {
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found === digest) return;
  throw new Error(`Cannot use ${path} of ${PACKAGE.name}@${PACKAGE.version}: SHA-256 is ${found}, not ${digest}`);
}
