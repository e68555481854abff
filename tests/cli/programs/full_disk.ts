/**
 * Prints a list of all that commands do wrong on a full disk. A program of its own: only a process that may do all may
 * write below `/dev`. The argument is a driver.
 *
 * @module
 */
import { main } from "../../../cli.ts";
import { COMMANDS } from "../../../cli/commands.ts";
import { Output } from "../../../cli/output.ts";

const FULL = "/dev/full", [driver] = Deno.args;
const FAKE = new URL("../../fixtures/fake_deqp.sh", import.meta.url).pathname;
const loader = new URL("../../../loader/mod.ts", import.meta.url).href;
const testing = new URL("../../../workbench/runs/testing/mod.ts", import.meta.url).href;

/** Files by the words of {@linkcode WRITERS}. */
const FILES: Readonly<Record<string, string>> = {
  SCRIPT:
    `import { loadVulkan } from "${loader}"; using vulkan = loadVulkan(); using _i = vulkan.vkCreateInstance({});`,
  TESTS: `import { gpuTest } from "${testing}"; gpuTest("passes", () => {});`,
  LIST: "dEQP-VK.pass\n",
};

/** Command lines that write all kinds of files, but for folders. */
const WRITERS: readonly (readonly string[])[] = [
  ["trace", "SCRIPT", `--driver=${driver}`, `--out=${FULL}`],
  ["trace", "SCRIPT", `--driver=${driver}`, "--text", `--out=${FULL}`],
  ["trace", "SCRIPT", `--driver=${driver}`, `--perfetto=${FULL}`],
  ["record", "SCRIPT", `--driver=${driver}`, `--out=${FULL}`],
  ["exec", `--record=${FULL}`, "--", "true"],
  ["compose", "--frames=1", "--width=64", "--height=64", "--port=0", `--perfetto=${FULL}`],
  ["check", "--only=composer", `--junit=${FULL}`],
  ["deqp", "LIST", `--command=${FAKE}`, `--out=${FULL}`],
  ["deqp", "LIST", `--command=${FAKE}`, `--junit=${FULL}`],
  ["test", "TESTS", `--driver=${driver}`, `--out=${FULL}`],
  ["test", "TESTS", `--driver=${driver}`, `--junit=${FULL}`],
];

const found: string[] = [], folder = Deno.makeTempDirSync();
try {
  for (const [index, line] of WRITERS.entries()) {
    const args = line.map((word) => word in FILES ? written(`${folder}/${word}${index}.ts`, FILES[word]) : word);
    const said: string[] = [], code = await main(args, () => {}, { warn: (text) => said.push(text) });
    const isSaid = said.some((text) => text.includes(FULL) && text.includes("disk"));
    if (code !== 1 || !isSaid) found.push(`${args.join(" ")}: ${code}: ${said.join("; ")}`);
  }
} finally {
  Deno.removeSync(folder, { recursive: true });
}
using full = Deno.openSync(FULL, { write: true });
for (const name of ["", ...COMMANDS.keys()]) {
  const output = new Output((bytes) => full.writeSync(bytes)), said: string[] = [];
  const code = await main([name, "--help"].filter(Boolean), (text) => output.print(text));
  const end = output.end(code, (text) => said.push(text));
  const isSaid =
    said.join() === "Not all is printed: standard output is on a full disk; make room, or give another path";
  if (end !== 1 || !isSaid) found.push(`${name}: ${end}: ${said.join("; ")}`);
}
console.log(JSON.stringify(found));

/** A script runs once a process, so that each line has files of its own. */
function written(path: string, text: string): string {
  Deno.writeTextFileSync(path, text);
  return path;
}
