/** Packages of others, which stay imports. */
const OTHERS = ["fast-png", "naga-wasm", "pbf", "smol-toml", "@nats-io/*"];

/** Runs Deno's bundler in a folder, with the settings that all files of the package have. */
export async function runBundler(folder: string, args: readonly string[]): Promise<void> {
  const settings = ["--platform=deno", "--no-check", "--quiet", ...OTHERS.map((name) => `--external=${name}`)];
  const command = new Deno.Command("deno", { args: ["bundle", ...settings, ...args], cwd: folder });
  const { success, stderr } = await command.output();
  if (!success) throw new Error(`Cannot bundle the package: ${new TextDecoder().decode(stderr)}`);
}
