import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { main } from "../../cli.ts";
import { driverEnvironment } from "../../cli/deqp/environment.ts";
import { shellWords } from "../../cli/deqp/request.ts";
import { withFolder, withFolderAsync } from "../support/temporary.ts";

const FAKE = new URL("../fixtures/fake_deqp.sh", import.meta.url).pathname;

/** Runs `deqp` in this process: the exit code and what it printed. */
async function deqp(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [], code = await main(["deqp", ...args], (text) => lines.push(text));
  return { code, text: lines.join("\n") };
}

/** Runs it with a list of these last names in a folder. */
function withList(names: readonly string[], use: (list: string, folder: string) => Promise<void>): Promise<void> {
  return withFolderAsync((folder) => {
    const list = `${folder}/list.txt`;
    Deno.writeTextFileSync(list, names.map((name) => `dEQP-VK.${name}\n`).join(""));
    return use(list, folder);
  });
}

Deno.test("cli deqp runs a list, prints what fails, and writes results and JUnit's XML", () =>
  withList(["pass", "fail", "crash"], async (list, folder) => {
    const files = [`--out=${folder}/results.csv`, `--junit=${folder}/results.xml`];
    const { code, text } = await deqp(list, `--command=${FAKE}`, "--shards=1", "--retries=0", ...files);
    assertEquals(code, 1);
    assertMatch(
      text,
      /^failed: dEQP-VK\.fail: Image.*\ncrashed: dEQP-VK\.crash: .*\n3 cases: 1 passed, 1 failed, 1 crashed\nThe run failed$/,
    );
    const results = Deno.readTextFileSync(`${folder}/results.csv`);
    assertMatch(results, /^dEQP-VK\.pass,Pass,[\d.]+\ndEQP-VK\.fail,Fail,[\d.]+\ndEQP-VK\.crash,Crash,[\d.]+\n$/);
    assertStringIncludes(Deno.readTextFileSync(`${folder}/results.xml`), 'tests="3" failures="2" skipped="0"');
    const again = await deqp(list, `--command=${FAKE}`, `--baseline=${folder}/results.csv`, "--json");
    assertEquals([again.code, JSON.parse(again.text).counts.expected], [0, 2]);
  }));

Deno.test("cli deqp knows skips and flakes, and compares with another run", () =>
  withList(["pass", "fail", "hang"], async (list, folder) => {
    Deno.writeTextFileSync(`${folder}/skips`, "dEQP-VK.hang\n");
    Deno.writeTextFileSync(`${folder}/flakes`, "*.fail\n");
    Deno.writeTextFileSync(`${folder}/before`, "dEQP-VK.pass,Fail\ndEQP-VK.fail,Fail\n");
    const known = [`--skips=${folder}/skips`, `--flakes=${folder}/flakes`, `--compare=${folder}/before`];
    const { code, text } = await deqp(list, `--command=${FAKE}`, ...known);
    assertEquals(code, 0);
    assertStringIncludes(text, "Fails no more (1)\n  dEQP-VK.pass: Fail → Pass");
    assertStringIncludes(text, "3 cases: 1 passed, 1 flaky, 1 skipped\nThe run passed");
  }));

Deno.test("cli deqp compares the results of two drivers, and exits with 1 when more fails", () =>
  withList([], async (_, folder) => {
    const [one, other] = ["one", "other"].map((name) => `${folder}/${name}.csv`);
    Deno.writeTextFileSync(one, "a.b,Pass\nc.d,Pass\n");
    Deno.writeTextFileSync(other, "a.b,Pass\nc.d,Fail\n");
    const { code, text } = await deqp(other, `--compare=${one}`);
    assertEquals([code, text], [1, "Fails now (1)\n  c.d: Pass → Fail\n1 ended the same way"]);
    const back = await deqp(one, `--compare=${other}`, "--json");
    assertEquals([back.code, JSON.parse(back.text).fixed.length], [0, 1]);
  }));

Deno.test("cli deqp tells which lists a level obliges to", async () => {
  const { code, text } = await deqp("--level=2020-03-01");
  assertEquals(code, 0);
  assertMatch(
    text,
    /^Level 2020-03-01 \(132383489\) obliges to pass\n {2}vk-main-2019-03-01\n {2}vk-main-2020-03-01\n {2}egl/,
  );
  assertEquals(JSON.parse((await deqp("--level=2019-03-01", "--json")).text).vulkan, ["vk-main-2019-03-01"]);
});

Deno.test("cli deqp is used wrongly without anything to do, or with what cannot be read", () =>
  withList(["pass"], async (list, folder) => {
    Deno.writeTextFileSync(`${folder}/empty`, "# no case\n");
    const wrong = [
      [],
      [`${folder}/empty`, `--command=${FAKE}`],
      [list],
      [`--command=${FAKE}`],
      [list, "--command=/nowhere/deqp-vk"],
      [list, `--command=${FAKE} '`],
      [list, `--command=${FAKE}`, "--shards=0"],
      [list, `--command=${FAKE}`, `--baseline=${folder}/none`],
      [list, `--command=${FAKE}`, `--out=${folder}/none/x`],
      [list, `--command=${FAKE}`, `--skips=${folder}/none`],
      [`${folder}/none`, `--command=${FAKE}`],
      ["--level=2020"],
      [`--compare=${list}`],
    ];
    for (const args of wrong) {
      const { code, text } = await deqp(...args);
      assertEquals(code, 2, args.join(" "));
      assertEquals(text.split("\n").at(-1), "Try: pumice deqp --help");
    }
  }));

Deno.test("driverEnvironment() names a driver's manifest, or writes one for its library", () => {
  withFolder((folder) => {
    assertEquals(driverEnvironment("auto", folder), {});
    assertEquals(driverEnvironment("/x/y.json", folder).VK_DRIVER_FILES, "/x/y.json");
    const written = driverEnvironment("/x/libvulkan_y.so", folder).VK_ICD_FILENAMES;
    assertEquals(JSON.parse(Deno.readTextFileSync(written)).ICD.library_path, "/x/libvulkan_y.so");
  });
});

Deno.test("shellWords() splits as a shell does, and refuses a quote without an end", () => {
  assertEquals(shellWords("  a  'b c' \"\" d\\e  "), ["a", "b c", "", "d\\e"]);
  assertEquals(shellWords(""), []);
  assertThrows(() => shellWords("a 'b"), TypeError, "is not closed");
});
