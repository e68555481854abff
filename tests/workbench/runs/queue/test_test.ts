import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { canBundle } from "../../../../tools/build/bundle.ts";
import { lavapipePath, natsServerPath } from "../../../../tools/setup/parts.ts";
import { writePng } from "../../../../workbench/runs/testing/golden.ts";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import { vkjson } from "../../../../loader/vkjson/vkjson.ts";
import { commandLine } from "../../../support/command_line.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { until } from "../../../support/until.ts";
import { TRAVELS, writeTravels } from "../test/travels.ts";
import { withTimesLeftOut } from "../../../cli/test/times_left_out.ts";
import { NatsServer } from "./nats_server.ts";
import { cli, type Ended, WorkerProcess } from "./worker_process.ts";

const PARTS = [needs("NATS server", natsServerPath()), needs("Mesa lavapipe", lavapipePath())];
const NEEDS = { ignore: PARTS.some(({ ignore }) => ignore) || !await canBundle() };
const FILES = ["out.csv", "junit.xml", "html/index.html"];

/** Test files in a folder: one that travels, one that cannot be loaded, and one of the same tests below. */
function writeProject(folder: string): void {
  writeTravels(folder);
  writeTravels(`${folder}/below`);
  Deno.writeTextFileSync(`${folder}/unloadable.ts`, 'throw new Error("no tests here");');
  for (const [name, value] of [["matches", 255], ["differs", 7]] as const) {
    writePng(`${folder}/goldens/${name}.png`, { width: 8, height: 8, data: new Uint8Array(256).fill(value) });
  }
}

/** Runs `test`, with reports in a folder. Pictures go into the same folder each time, as paths are in the reports. */
async function run(folder: string, reports: string, words: readonly string[]): Promise<Ended> {
  const files = [TRAVELS, "unloadable.ts", `below/${TRAVELS}`].map((name) => `${folder}/project/${name}`);
  const [out, junit, html] = ["out.csv", "junit.xml", "html"].map((name) => `${folder}/${reports}/${name}`);
  Deno.mkdirSync(`${folder}/${reports}`);
  const env = { PUMICE_GPU_OUT: `${folder}/pictures`, PUMICE_DRIVERS: lavapipePath()!, GITHUB_ACTIONS: "" };
  const args = [
    "test",
    ...files,
    `--out=${out}`,
    `--junit=${junit}`,
    `--html=${html}`,
    "--retries=1",
    "--json",
    ...words,
  ];
  return await cli(args, env);
}

/** A report without times, and without the numbers of processes and addresses of memory. */
function timeless(text: string, reports: string): string {
  return text.replaceAll(`/${reports}/`, "/REPORTS/").replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*Z?/g, "TIME")
    .replaceAll(/[\d.]+(e-\d+)? ?(ms|s)\b/g, "DURATION").replaceAll(/time="[\d.]+"/g, "").replaceAll(/,[\d.]+$/gm, ",");
}

function filesIn(folder: string): Map<string, string> {
  return new Map(
    [...Deno.readDirSync(folder)].sort((one, other) => one.name < other.name ? -1 : 1).flatMap((each) => {
      const path = `${folder}/${each.name}`;
      return each.isDirectory
        ? [...filesIn(path)].map(([name, hex]) => [`${each.name}/${name}`, hex] as const)
        : [[each.name, Deno.readFileSync(path).toHex()] as const];
    }),
  );
}

Deno.test(
  "tests over four workers give the answer of a local run: verdicts, JSON, JUnit, page, pictures and scripts",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      writeProject(`${folder}/project`);
      const local = await run(folder, "local", []), left = filesIn(`${folder}/pictures`);
      Deno.removeSync(`${folder}/pictures`, { recursive: true });
      await using server = await NatsServer.start();
      await using stack = new AsyncDisposableStack();
      for (let at = 0; at < 4; at++) stack.use(await WorkerProcess.start(server.url, [`--driver=${lavapipePath()}`]));
      const remote = await run(folder, "remote", [`--queue=${server.url}`]);
      assertEquals([remote.code, local.code], [1, 1], remote.stderr);
      assertMatch(remote.stderr, /^run [a-z0-9]+: 13 tasks in 12 batches; join it with --join=/m);
      assertEquals(withTimesLeftOut(JSON.parse(remote.stdout)), withTimesLeftOut(JSON.parse(local.stdout)));
      for (const name of FILES) {
        const [one, other] = ["local", "remote"].map((each) =>
          timeless(Deno.readTextFileSync(`${folder}/${each}/${name}`), each)
        );
        assertStringIncludes(one, "travels.ts", name);
        assertEquals(other, one, name);
      }
      const pictures = filesIn(`${folder}/pictures`);
      assertEquals([...pictures.keys()], [...left.keys()]);
      for (const [name, hex] of left) assertEquals(pictures.get(name), hex, name);
    }),
);

Deno.test(
  "a bundle that does not load on a worker is one sentence, and what it printed",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      const library = new URL("../../../../workbench/runs/testing/mod.ts", import.meta.url).href,
        file = `${folder}/picky.ts`;
      Deno.writeTextFileSync(
        file,
        `import { gpuTest } from "${library}";
if (!Deno.env.get("TEST_PUMICE_HERE")) throw new Error("not on this machine");
gpuTest("passes", () => {});
`,
      );
      await using server = await NatsServer.start();
      await using _worker = await WorkerProcess.start(server.url, [`--driver=${lavapipePath()}`]);
      const args = ["test", file, `--queue=${server.url}`, "--retries=0", "--json"];
      const { code, stdout } = await cli(args, { TEST_PUMICE_HERE: "1", PUMICE_GPU_OUT: folder });
      const [{ status, message, details }] = JSON.parse(stdout).results;
      assertEquals([code, status], [1, "Crash"]);
      assertEquals(message, "its process ended with exit code 1; it was loading the test's file");
      assertMatch(details.output, /not on this machine\n[^]* at file:.*\/picky\.ts:2:/);
    }),
);

Deno.test("test --queue refuses what only this machine could do, before it asks a server", async () => {
  const line = ["test", "tests/cli/test/programs/odd.ts", "--queue=nats://127.0.0.1:1"];
  const rows: [string, string][] = [
    ["--jobs=2", "--jobs: a queue's workers have --slots"],
    [`--driver=${import.meta.filename}`, "--driver: the workers of a queue have the drivers; give --for=driver=NAME"],
    ["--key=/nowhere", '--key: "/nowhere" is not there'],
  ];
  for (const [option, words] of rows) {
    const { code, text } = await commandLine(...line, option);
    assertStringIncludes(text, words);
    assertEquals(code, 2, option);
  }
  const { code, stderr } = await cli(line, { PUMICE_UPDATE_GOLDENS: "1" });
  assertStringIncludes(stderr, "PUMICE_UPDATE_GOLDENS: workers write no golden files here");
  assertEquals(code, 2);
});

Deno.test(
  "a test whose worker is killed runs on another one, and the run has one verdict about it",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      const library = new URL("../../../../workbench/runs/testing/mod.ts", import.meta.url).href,
        begun = `${folder}/begun`;
      Deno.writeTextFileSync(
        `${folder}/waits.ts`,
        `import { gpuTest } from "${library}";
gpuTest("waits the first time", async () => {
  try {
    Deno.writeTextFileSync("${begun}", String(Deno.ppid), { createNew: true });
  } catch {
    return;
  }
  await new Promise((resolve) => setTimeout(resolve, 50_000));
});
`,
      );
      await using server = await NatsServer.start();
      const workers = await Promise.all(
        [1, 2].map(() => WorkerProcess.start(server.url, [`--driver=${lavapipePath()}`])),
      );
      const run = cli(["test", `${folder}/waits.ts`, `--queue=${server.url}`, "--patience=2", "--json"]);
      await until("the test begins", () => Deno.readTextFile(begun).then((text) => text !== "", () => false), 60);
      const lost = workers.find(({ pid }) => pid === Number(Deno.readTextFileSync(begun)))!;
      await lost.kill();
      const { code, stdout, stderr } = await run, { results } = JSON.parse(stdout);
      for (const each of workers) if (each !== lost) await each.end();
      assertEquals([code, results.length, results[0].status, results[0].attempts], [0, 1, "Pass", ["Pass"]], stderr);
    }),
);

Deno.test(
  "tests on twins run on workers that have the driver, with the files of the twins in the bundle",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      const source = vkjson({ driver: lavapipePath()! }), twin = `${folder}/tiny.json`, file = `${folder}/twins.ts`;
      const { limits } = source.devices[0].properties as { limits: Record<string, unknown> };
      limits.maxComputeWorkGroupInvocations = 0;
      Deno.writeTextFileSync(twin, JSON.stringify(source));
      const root = new URL("../../../../", import.meta.url).href;
      Deno.writeTextFileSync(
        file,
        `import { gpuTest } from "${root}workbench/runs/testing/mod.ts";
import { squaresComp } from "${root}examples/driver/shaders_gen.ts";
gpuTest("squares", { twins: ["common:VP_ANDROID_baseline_2022", "${twin}"] }, ({ buffer, compute }) =>
  compute({ shader: squaresComp(), bindings: [buffer(new Uint32Array([1, 2, 3]))] }));
`,
      );
      const env = { PUMICE_GPU_OUT: `${folder}/pictures` };
      await using server = await NatsServer.start();
      await using worker = await WorkerProcess.start(server.url, [`--driver=${lavapipePath()}`], env);
      const queue = await Queue.open({ url: server.url });
      await until("the worker is there", async () => (await queue.keysOf("pumice_workers")).length > 0);
      await queue.close();
      Deno.kill(worker.pid, "SIGSTOP");
      const words = ["test", file, `--queue=${server.url}`, "--for=driver=lvp", "--retries=0", "--json"];
      const left = await cli([...words, "--leave"], env), [, name] = /--join=([a-z0-9]+)/.exec(left.stderr) ?? [];
      Deno.removeSync(twin); // the worker has the file from the bundle alone
      Deno.kill(worker.pid, "SIGCONT");
      const { stdout, stderr } = await cli([...words, `--join=${name}`], env);
      assert(stdout !== "", left.stdout + left.stderr + stderr);
      const results = JSON.parse(stdout).results as { name: string; status: string; message: string }[];
      assertEquals(results.map(({ name, status }) => [name.split(" / ").at(-1), status]), [
        ["lvp as common:VP_ANDROID_baseline_2022", "Pass"],
        ["lvp as tiny", "Fail"],
      ], stderr);
      assertMatch(results[1].message, /vkCreateComputePipelines/);
    }),
);
