/** The timeout of the bundler in milliseconds, so that a failed test does not wait long. */
const BUNDLING = 30_000;

/**
 * Bundles a script with all its imports into one file. Deno downloads its bundler the first time. Returns why there is
 * no file; `undefined` if there is one.
 *
 * @param flags The flags that decide the meaning of imports, and those of the bundler.
 */
export async function bundleScript(
  path: string,
  output: string,
  flags: readonly string[],
  timeout: number = BUNDLING,
): Promise<string | undefined> {
  const kept = flags.filter((flag) => flag !== "--no-prompt" && !flag.startsWith("--allow-"));
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--no-check", ...kept, `--output=${output}`, path],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    signal: AbortSignal.timeout(timeout),
  }).output();
  return success ? undefined : new TextDecoder().decode(stderr).trim() || `the bundler took longer than ${timeout} ms`;
}
