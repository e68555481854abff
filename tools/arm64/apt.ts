/**
 * Debian packages unpacked into a folder, for another architecture or without
 * root: nothing on the machine is installed or changed.
 *
 * @module
 */
import { lastWords, runQuietly } from "../setup/command.ts";
import { filesIn, onPath } from "../setup/files.ts";

/** The reason why packages cannot be had; `undefined` if they can. */
export function aptObstacle(): string | undefined {
  for (const program of ["apt-get", "dpkg-deb"]) {
    if (onPath(program) === undefined) return `this system has no ${program}`;
  }
  if (debianSources().length === 0) return "no Debian package source is configured in /etc/apt";
}

/**
 * Downloads `packages` (`name` or `name:arm64`) with all they depend on, and
 * unpacks those of each architecture into the folder `into` names for it.
 */
export async function unpackDebian(
  packages: readonly string[],
  scratch: string,
  into: Readonly<Record<string, string>>,
): Promise<void> {
  const env = { APT_CONFIG: writeConfiguration(scratch), LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" };
  const update = await runQuietly("apt-get", ["update", "-qq"], { env });
  const args = ["install", "--yes", "-qq", "--download-only", "--no-install-recommends", ...packages];
  const download = await runQuietly("apt-get", args, { env });
  if (!download.success) throw new Error(`apt-get: ${lastWords(download)}; apt-get update: ${lastWords(update)}`);
  for (const archive of filesIn(`${scratch}/archives`, /\.deb$/)) {
    const architecture = archive.match(/_([a-z0-9]+)\.deb$/)?.[1] ?? "all";
    const folders = architecture === "all" ? Object.values(into) : [into[architecture]];
    for (const folder of new Set(folders.filter(Boolean))) {
      const unpacked = await runQuietly("dpkg-deb", ["-x", archive, folder]);
      if (!unpacked.success) throw new Error(`dpkg-deb: ${lastWords(unpacked)}`);
    }
  }
}

/** An apt of our own: its own lists, and an empty status, so that every dependency is downloaded. */
function writeConfiguration(scratch: string): string {
  for (const folder of ["state/lists/partial", "archives/partial", "sources"]) {
    Deno.mkdirSync(`${scratch}/${folder}`, { recursive: true });
  }
  for (const source of debianSources()) Deno.copyFileSync(source, `${scratch}/sources/${source.split("/").at(-1)}`);
  Deno.writeTextFileSync(`${scratch}/status`, "");
  const path = `${scratch}/apt.conf`;
  Deno.writeTextFileSync(
    path,
    `Dir::Etc::parts "/dev/null"; Dir::Etc::preferencesparts "/dev/null";
Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "${scratch}/sources";
Dir::State "${scratch}/state"; Dir::State::status "${scratch}/status";
Dir::Cache "${scratch}"; Dir::Cache::archives "${scratch}/archives";
APT::Architecture "amd64"; APT::Architectures { "amd64"; "arm64"; };
APT::Sandbox::User "root"; Acquire::Languages "none"; Acquire::Retries "2";
`,
  );
  return path;
}

/** Debian's own sources; others seldom have arm64 packages, and their failure would be ours. */
function debianSources(): string[] {
  const files = ["/etc/apt/sources.list", ...filesIn("/etc/apt/sources.list.d", /\.(list|sources)$/)];
  return files.filter((path) => {
    try {
      return /^(deb|URIs:).*\/debian(-security)?\/?(\s|$)/m.test(Deno.readTextFileSync(path));
    } catch {
      return false;
    }
  });
}
