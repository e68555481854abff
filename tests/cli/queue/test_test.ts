import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { canBundle } from "../../../tools/build/bundle.ts";
import { lavapipePath, natsServerPath } from "../../../tools/setup/parts.ts";
import { writePng } from "../../../wsi/testing/golden.ts";
import { needs } from "../../support/require.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { TRAVELS, writeTravels } from "../test/travels.ts";
import { withTimesLeftOut } from "../test/times_left_out.ts";
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
