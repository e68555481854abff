/**
 * `deno doc --lint` over every entry point: everything public is documented,
 * what the generators write included.
 *
 * @module
 */

/** Splits what `deno doc --lint` prints into its diagnostics, colours removed. */
export function diagnosticsOf(output: string): string[] {
  // deno-lint-ignore no-control-regex
  const plain = output.replace(/\x1b\[[0-9;]*m/g, "");
  return plain.split(/^(?=error(?:\[|:))/m).filter((block) => block.startsWith("error["));
}

async function main(): Promise<number> {
  const config = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
  const args = ["doc", "--lint", ...Object.values<string>(config.exports)];
  const cwd = decodeURIComponent(new URL("..", import.meta.url).pathname);
  const { success, stdout, stderr } = await new Deno.Command("deno", { args, cwd }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const diagnostics = diagnosticsOf(output);
  for (const diagnostic of diagnostics) console.log(diagnostic.trimEnd() + "\n");
  if (!success && diagnostics.length === 0) console.log(output);
  console.log(`doc lint: ${diagnostics.length} places`);
  return success && diagnostics.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exitCode = await main();
