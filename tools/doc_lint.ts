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

/** Whether a diagnostic is about a type of another package, which is documented there: only packages come as declarations. */
export function isForeign(diagnostic: string): boolean {
  return diagnostic.startsWith("error[private-type-ref]") && /^ *\d+ \| export declare /m.test(diagnostic);
}

async function main(): Promise<number> {
  const config = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
  const args = ["doc", "--lint", ...Object.values<string>(config.exports)];
  const cwd = decodeURIComponent(new URL("..", import.meta.url).pathname);
  const { success, stdout, stderr } = await new Deno.Command("deno", { args, cwd }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const all = diagnosticsOf(output), diagnostics = all.filter((each) => !isForeign(each));
  for (const diagnostic of diagnostics) console.log(diagnostic.trimEnd() + "\n");
  const isUnread = !success && all.length === 0;
  if (isUnread) console.log(output);
  console.log(`doc lint: ${diagnostics.length} places`);
  return isUnread || diagnostics.length > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exitCode = await main();
