import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fuzzFacts } from "../../workbench/programs/facts.ts";
import { generateProgram } from "../../workbench/programs/generate.ts";
import { writeRecording } from "../../workbench/layers.ts";
import { loadVulkan, type Vulkan } from "../../loader/mod.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { recordDemo } from "../workbench/recordings/replay/recorded.ts";
import { needs } from "../support/require.ts";
import { run, runProgram } from "../support/subprocess.ts";
import { withFolder } from "../support/temporary.ts";

const LAYER = new URL("../workbench/recordings/compare/programs/planted_layer.ts", import.meta.url).pathname;
const env = { PLANT: JSON.stringify({ command: "vkCmdDraw", nth: 0, change: "drop" }) };
const cli = (...args: string[]) => runProgram("cli.ts", ["compare", ...args], { env });

Deno.test("cli compare --html writes a page, which has the line that compares again", {
  ...needs("Mesa lavapipe", lavapipePath()),
}, () => {
  withFolder((folder) => {
    const recording = `${folder}/the demo's.jsonl`, both = Array(2).fill(`--driver=${lavapipePath()}`);
    const page = `${folder}/new/page`, options = [...both, `--layer-b=${LAYER}`, "--share=0.5"];
    recordDemo(recording, lavapipePath()!);
    const found = cli(recording, ...options, `--html=${page}`);
    assertEquals([found.code, found.stdout.trim().split("\n").at(-1)], [1, `wrote ${page}/finding.html`]);
    const html = Deno.readTextFileSync(`${page}/finding.html`);
    assertStringIncludes(html, "vkCmdDraw(");
    assert(html.includes("<img"), "the pictures of both drivers are in the page");

    const [, written] = /pumice (compare [^<]*)</.exec(html)!, line = unescaped(written);
    const flags = "-A --no-check --import-map=tools/offline_import_map.json";
    const again = run("sh", ["-c", `'${Deno.execPath()}' run ${flags} cli.ts ${line}`], { env });
    assertEquals([again.code, again.stdout], [1, found.stdout.replace(/wrote .*\n/, "")], line);

    const same = cli(recording, ...both, `--html=${folder}/same`);
    assertEquals([same.code, same.stdout.trim().split("\n").at(-1)], [0, `wrote ${folder}/same/finding.html`]);
    assertStringIncludes(Deno.readTextFileSync(`${folder}/same/finding.html`), "no difference");

    const refused = cli(recording, ...options, `--html=${recording}`);
    assertEquals([refused.code, refused.stderr.includes(`--html: "${recording}" is a file; give a folder`)], [2, true]);
  });
});

Deno.test("cli compare says that a recording without a submission leaves nothing to compare", {
  ...needs("Mesa lavapipe", lavapipePath()),
}, () => {
  withFolder((folder) => {
    const driver = lavapipePath()!, recording = `${folder}/empty.jsonl`;
    using vulkan = loadVulkan({ driver });
    const { lines, data } =
      generateProgram(fuzzFacts(vulkan as Vulkan), { seed: 1, actions: 1, only: ["fill"] }).recording;
    const first = lines.findIndex((line) => "command" in line && line.command.startsWith("vkQueueSubmit"));
    writeRecording(recording, { lines: lines.slice(0, first), data });
    const { code, stdout } = cli(recording, ...Array(2).fill(`--driver=${driver}`));
    assertEquals(code, 2, stdout);
    assertStringIncludes(stdout, "nothing was compared: the recording submits no commands");
  });
});

function unescaped(html: string): string {
  const marks = { lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", amp: "&" } as Record<string, string>;
  return html.replace(/&(\w+|#\w+);/g, (_, name) => marks[name]);
}
