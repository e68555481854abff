import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { main } from "../../cli.ts";
import { driverEnvironment } from "../../workbench/runs/deqp/process.ts";
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
    assertStringIncludes(text, "Fails no more (1)\n  dEQP-VK.pass: failed → passed");
    assertStringIncludes(text, "3 cases: 1 passed, 1 flaky, 1 skipped\nThe run passed");
  }));

/** A suite beside lists, with files by name, and what `deqp` makes of it. */
function withSuite(
  files: Readonly<Record<string, string>>,
  suite: string,
  use: (deqpOn: (...args: string[]) => ReturnType<typeof deqp>, folder: string) => Promise<void>,
): Promise<void> {
  return withFolderAsync((folder) => {
    for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${folder}/${name}`, text);
    Deno.symlinkSync(FAKE, `${folder}/fake`);
    Deno.writeTextFileSync(`${folder}/suite.toml`, suite);
    return use((...args) => deqp(`${folder}/suite.toml`, ...args), folder);
  });
}

Deno.test("cli deqp runs a suite: programs, lists, drivers, baselines, flakes and skips of each part, and one result", () =>
  withSuite(
    {
      "one.txt": "# cases\nx.pass\n#x.fail2\nx.fail\nx.hang\n",
      "two.txt": "x.pass2\nx.crash\n",
      "known.csv": "x.fail,Fail\nb-x.fail,Crash\nb-x.crash,Crash\n",
      "skips.txt": "x.hang\n",
      "skips-b.txt": "b-x.hang\n",
      "flakes.txt": "b-x.fail\n",
    },
    `
    [[deqp]]
    deqp = "./fake"
    caselists = ["one.txt", "two.txt"]
    skips = ["skips.txt"]
    baseline = "known.csv"
    deqp_args = ["--mark=one"]
    driver = "./one_icd.json"
      [deqp.env]
      ARGS = "ARGS_FILE"

    [[deqp]]
    prefix = "b-"
    deqp = "./fake"
    caselists = ["one.txt"]
    skips = ["skips-b.txt"]
    baseline = "known.csv"
    flakes = ["flakes.txt"]
    tests_per_group = 1
    timeout = 30.5
    `,
    async (deqpOn, folder) => {
      const path = `${folder}/suite.toml`, args = `${folder}/args`;
      Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replace("ARGS_FILE", args));
      const { code, text } = await deqpOn("--retries=0", "--shards=2", `--out=${folder}/out.csv`);
      assertEquals(code, 1, text);
      const lines = text.split("\n");
      assertMatch(lines.slice(0, 2).sort().join("\n"), /^crashed: x\.crash: .*\nflaky: b-x\.fail: .*$/);
      assertEquals(lines.slice(-2), ["8 cases: 3 passed, 1 crashed, 1 expected, 1 flaky, 2 skipped", "The run failed"]);
      const names = Deno.readTextFileSync(`${folder}/out.csv`).trim().split("\n").map((line) => line.split(",")[0]);
      const one = ["x.pass", "x.fail", "x.hang", "x.pass2", "x.crash"];
      assertEquals(names, [...one, "b-x.pass", "b-x.fail", "b-x.hang"]);
      const began = Deno.readTextFileSync(args).trim().split("\n");
      assertEquals(began.every((line) => line.startsWith("--mark=one --deqp-caselist-file=")), true, began.join("\n"));
      const again = await deqpOn(`--baseline=${folder}/out.csv`, `--skips=${folder}/skips.txt`, "--json");
      assertEquals([again.code, JSON.parse(again.text).counts.expected], [0, 2], again.text);
    },
  ));

Deno.test("cli deqp runs every n-th case of a suite's lists, or those that it includes, with each part's driver", () =>
  withSuite(
    { "list.txt": "a.pass1\na.pass2\na.pass3\na.pass4\na.pass5\nb.pass6\n", "driver.json": "{}" },
    `
    [[deqp]]
    deqp = "/bin/sh"
    deqp_args = ["-c", "echo $VK_DRIVER_FILES >> $SEEN; sh ./fake {cases}", "fake"]
    caselists = ["list.txt"]
    fraction = 3
    fraction_start = 2
    driver = "./driver.json"

    [[deqp]]
    prefix = "b-"
    deqp = "/bin/sh"
    deqp_args = ["-c", "echo $VK_DRIVER_FILES >> $SEEN; sh ./fake {cases}", "fake"]
    caselists = ["list.txt"]
    include = ["b", "a.pass4"]
    `,
    async (deqpOn, folder) => {
      const path = `${folder}/suite.toml`, env = `env = { SEEN = "${folder}/seen" }\n    caselists`;
      const suite = Deno.readTextFileSync(path).replaceAll("caselists", env).replaceAll("./fake", `${folder}/fake`);
      Deno.writeTextFileSync(path, suite);
      const { code, text } = await deqpOn("--json", "--driver=/other/driver.json");
      const { results } = JSON.parse(text);
      assertEquals(results.map((each: { name: string }) => each.name), [
        "a.pass2",
        "a.pass5",
        "b-a.pass4",
        "b-b.pass6",
      ]);
      assertEquals(code, 0, text);
      const seen = new Set(Deno.readTextFileSync(`${folder}/seen`).trim().split("\n"));
      assertEquals(seen, new Set([`${folder}/driver.json`, "/other/driver.json"]));
    },
  ));

Deno.test("cli deqp refuses a suite that makes no sense, and says which part and why", async () => {
  const part = (more: string) => `[[deqp]]\ndeqp = "./fake"\ncaselists = ["list.txt"]\n${more}\n`;
  const cases: [string, string, ...string[]][] = [
    ["= 1", "suite.toml: Invalid TOML"],
    ["", "it has no part: begin one with [[deqp]]"],
    [part("") + '[[piglit]]\nprofile = "quick"', "Cannot run piglit: a suite has [[deqp]] tables alone"],
    [part("") + part('skip = ["skips.txt"]'), 'option "skip" of part 2, for there is none: did you mean "skips"?'],
    [part('renderer_check = "lvp"'), 'option "renderer_check" of part 1, for there is none'],
    [part("timeout = '5'"), 'Cannot use "5" as option "timeout" of part 1: give a number'],
    [part("timeout = 0"), "with a timeout of 0 ms"],
    [part("fraction = 2\nfraction_start = 3"), "the part 3 of 2 of part 1: give fraction_start from 1 to fraction"],
    [part('include = ["none"]'), "part 1 has no cases: its lists have 1, of which include and fraction leave none"],
    ['[[deqp]]\ndeqp = "./fake"', 'Cannot do without option "caselists" of part 1: give a list of files'],
    [part('skips = ["none.txt"]'), "none.txt"],
    [part("").replace("fake", "nothing"), "nothing"],
    [part("") + part(""), "Two parts have the case x.pass: give one of them a prefix"],
    [part('driver = "nobody"'), 'There is no driver "nobody"'],
    [part(""), "--command is for a list of cases", "--command=x"],
    [part(""), "a suite runs on this machine alone", "--queue=nats://127.0.0.1:1", "--command=x"],
  ];
  for (const [suite, sentence, ...args] of cases) {
    await withSuite({ "list.txt": "x.pass\n" }, suite, async (deqpOn) => {
      const { code, text } = await deqpOn(...args);
      assertEquals(code, 2, `${suite}: ${text}`);
      assertStringIncludes(text, sentence);
    });
  }
});

Deno.test("cli deqp writes a line of progress where there is no terminal", () =>
  withList(["pass", "fail", "awaited"], async (list, folder) => {
    const told: string[] = [], error = console.error;
    const every = globalThis.setInterval;
    try {
      console.error = (line) => {
        told.push(line);
        if (line.startsWith("deqp: 2 of 3")) Deno.writeTextFileSync(`${folder}/dEQP-VK.awaited`, ""); // the case may end
      };
      globalThis.setInterval = ((callback: () => void) => every(callback, 5)) as typeof setInterval;
      await deqp(list, `--command=env STATE=${folder} ${FAKE}`, "--shards=1", "--retries=0");
    } finally {
      [console.error, globalThis.setInterval] = [error, every];
    }
    const line = told.find((each) => each.startsWith("deqp: 2 of 3"));
    assertMatch(line ?? told.join(), /^deqp: 2 of 3, 1 failed, [\d.]+\/s, \d+ s left: dEQP-VK\.awaited$/);
  }));

Deno.test("cli deqp compares the results of two drivers, and exits with 1 when more fails", () =>
  withList([], async (_, folder) => {
    const [one, other] = ["one", "other"].map((name) => `${folder}/${name}.csv`);
    Deno.writeTextFileSync(one, "a.b,Pass\nc.d,Pass\n");
    Deno.writeTextFileSync(other, "a.b,Pass\nc.d,Fail\n");
    const { code, text } = await deqp(other, `--compare=${one}`);
    assertEquals([code, text], [1, "Fails now (1)\n  c.d: passed → failed\n1 ended the same way"]);
    const back = await deqp(one, `--compare=${other}`, "--json");
    assertEquals([back.code, JSON.parse(back.text).fixed.length], [0, 1]);
  }));

Deno.test("cli deqp skips the lists that a device of its level need not pass, and says so", () =>
  withSuite(
    { "vk-main-2022-03-01.txt": "x.pass\nx.fail\n", "vk-main-2024-03-01.txt": "x.pass\nx.crash\nx.pass2\n" },
    `
    [[deqp]]
    deqp = "./fake"
    prefix = "b-"
    caselists = ["vk-main-2022-03-01.txt", "vk-main-2024-03-01.txt"]
    `,
    async (deqpOn, folder) => {
      const newer = await deqpOn("--level=2023-03-01", "--retries=0");
      assertStringIncludes(
        newer.text,
        "vk-main-2024-03-01.txt: 2 cases are skipped, which a device of level 2023-03-01",
      );
      assertStringIncludes(newer.text, "4 cases: 1 passed, 1 failed, 2 skipped");
      const both = await deqpOn("--level=2024-03-01", "--retries=0");
      assertStringIncludes(both.text, "4 cases: 2 passed, 1 failed, 1 crashed");
      const list = `${folder}/vk-main-2024-03-01.txt`,
        alone = await deqp(list, `--command=${FAKE}`, "--level=2023-03-01");
      assertEquals(alone.code, 0);
      assertMatch(alone.text, /3 cases are skipped, .*\n3 cases: 3 skipped\nThe run passed$/);
      assertEquals((await deqp(list, `--command=${FAKE}`, "--level=soon")).code, 2);
    },
  ));

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
