/**
 * `deno doc --lint` over every entry point, failing only for files written by
 * hand: what the generators emit cannot all be documented, and its shape is
 * theirs.
 *
 * @module
 */

/** Whether one diagnostic of `deno doc --lint` is about a generated file. */
export function isGenerated(diagnostic: string): boolean {
  const place = /-->\s*(\S+?):\d+/.exec(diagnostic)?.[1] ?? "";
  return /_gen\.ts$|\/gen\//.test(place);
}

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
  const ours = diagnostics.filter((diagnostic) => !isGenerated(diagnostic));
  for (const diagnostic of ours) console.log(diagnostic.trimEnd() + "\n");
  if (!success && diagnostics.length === 0) console.log(output);
  console.log(
    `doc lint: ${ours.length} in files written by hand, ${diagnostics.length - ours.length} in generated ones`,
  );
  return ours.length > 0 || (!success && diagnostics.length === 0) ? 1 : 0;
}

if (import.meta.main) Deno.exitCode = await main();
