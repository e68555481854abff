import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { commandLine } from "../support/command_line.ts";
import { needs } from "../support/require.ts";
import { runProgram } from "../support/subprocess.ts";
import { withFolder, withFolderAsync } from "../support/temporary.ts";

const FAKE = new URL("../fixtures/fake_deqp.sh", import.meta.url).pathname;

Deno.test("cli deqp --html writes a page with the history of the folder, and prints what it prints without", () =>
  withFolderAsync(async (folder) => {
    const list = `${folder}/list`, page = `${folder}/page`;
    Deno.writeTextFileSync(list, "dEQP-VK.a.pass\ndEQP-VK.b.fail\n");
    const args = ["deqp", list, `--command=${FAKE}`, "--retries=0", "--shards=1"];
    const plain = await commandLine(...args), first = await commandLine(...args, `--html=${page}`);
    assertEquals(first, plain);
    Deno.writeTextFileSync(list, "dEQP-VK.a.pass\ndEQP-VK.b.fail\ndEQP-VK.b.crash\n");
    await commandLine(...args, `--html=${page}`);
    const html = Deno.readTextFileSync(`${page}/index.html`);
    assertStringIncludes(html, "2 of 3 cases not as expected");
    assertStringIncludes(html, `pumice deqp ${list} --command=${FAKE} --retries=0 --shards=1`);
    assertStringIncludes(html, "2 runs, the newest first");
    assertEquals([...Deno.readDirSync(`${page}/runs`)].length, 2);
  }));

Deno.test("--html of a folder that cannot be written is refused before anything runs, with exit code 2", () =>
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/file`, "");
    Deno.writeTextFileSync(`${folder}/list`, "dEQP-VK.a.pass\n");
    const rows = [["deqp", `${folder}/list`, `--command=touch ${folder}/ran`], ["check"]];
    for (const args of rows) {
      const { code, stderr } = runProgram("cli.ts", [...args, `--html=${folder}/file`], { seconds: 60 });
      assertEquals([code, stderr.split("\n")[0].slice(0, 60)], [
        2,
        `--html: "${folder}/file" is a file; give a folder`.slice(0, 60),
      ]);
    }
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["file", "list"]);
  }));

Deno.test(
  "cli check --html writes a page about the verdicts of a driver",
  needs("Mesa lavapipe", lavapipePath()),
  () =>
    withFolder((folder) => {
      const args = ["check", "--only=vulkan", `--driver=${lavapipePath()}`, "--json", `--html=${folder}/page`];
      const { stdout } = runProgram("cli.ts", args, { seconds: 120 }), report = JSON.parse(stdout);
      const html = Deno.readTextFileSync(`${folder}/page/index.html`);
      assertEquals(html.match(/<tr data-text/g)?.length, report.parts[0].verdicts.length);
      assertEquals(html.match(/<article/g)?.length ?? 0, report.counts.fail);
      assertMatch(html, /<h2 id="part-vulkan">Vulkan<\/h2>\n<p>.*llvmpipe/);
    }),
);
