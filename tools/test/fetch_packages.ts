import map from "../offline_import_map.json" with { type: "json" };

/** Fetches the packages that tests import, so that no program of a test prints that Deno downloads one. */
export async function fetchPackages(): Promise<void> {
  const packages = Object.values(map.imports).filter((target) => target.startsWith("npm:"));
  const args = ["cache", "--quiet", "--no-config", ...packages];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, stdout: "null", stderr: "piped" })
    .output();
  // Without a network, packages that were fetched before are enough; a test that lacks one says so itself.
  if (!success) console.error(`Cannot fetch packages: ${new TextDecoder().decode(stderr).trim().split("\n")[0]}`);
}
