import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { hashOf, pack, unpack } from "../../../../workbench/runs/test/archive.ts";
import { executeAway, UnpackedBundles } from "../../../../workbench/runs/test/away.ts";
import { bundleTests } from "../../../../workbench/runs/test/bundle.ts";
import { toFileUrl } from "../../../../workbench/runs/test/files.ts";
import { bringHome, type SentDetails } from "../../../../workbench/runs/test/home.ts";
import { plan } from "../../../../workbench/runs/test/plan.ts";
import { executeGpuTest, type GpuTestDetails, type GpuTestTask } from "../../../../workbench/runs/test/work.ts";
import type { RunVerdict } from "../../../../workbench/runs/deqp/run_tasks.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { canBundle } from "../../../../tools/build/bundle.ts";
import { writePng } from "../../../../workbench/runs/testing/golden.ts";
import { listTests } from "../../../../workbench/runs/testing/list_tests.ts";
import { withTimesLeftOut } from "../../../cli/test/times_left_out.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { TRAVELS, writeTravels } from "./travels.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), NEEDS = { ignore: LAVAPIPE.ignore || !await canBundle() };
const DRIVER = { name: "lvp", path: lavapipePath()! }, FOREVER = new AbortController().signal;

Deno.test("pack() keeps texts and other bytes, and the same files give the same bytes in any order", () => {
  const files = [{ path: "b/c.png", bytes: new Uint8Array([0, 255, 10, 13]) }, {
    path: "a.js",
    bytes: new TextEncoder().encode("\ufeffä\r\n"),
  }];
  assertEquals(pack(files), pack(files.toReversed()));
  assertEquals(unpack(pack(files)), files.toReversed());
});

Deno.test("unpack() refuses what leads out of its folder, and what is no archive", () => {
  const bytes = new Uint8Array([1]),
    refusal = (use: () => unknown) => {
      try {
        use();
      } catch (error) {
        return (error as TypeError).message;
      }
    };
  for (const path of ["../a", "/etc/a", "a/../../b", "a//b", "", "a/./b"]) {
    assertEquals(
      refusal(() => unpack(pack([{ path, bytes }]))),
      `Cannot unpack "${path}": the path leads out of the folder`,
    );
  }
  assertMatch(refusal(() => unpack(new Uint8Array(5)))!, /^Cannot unpack 5 bytes: /);
});

Deno.test("UnpackedBundles checks the hash, unpacks once, and removes the bundles of a run at its end", () =>
  withFolderAsync(async (folder) => {
    const bundles = new UnpackedBundles(folder), end = new AbortController(), other = new AbortController();
    const bytes = pack([{ path: "x/a.js", bytes: new Uint8Array([65]) }]), hash = await hashOf(bytes);
    let fetched = 0;
    const get = (data: Uint8Array | null) => () => Promise.resolve((fetched++, data));
    await assertRejects(() => bundles.folderOf("one", hash, end.signal, get(null)), Error, "the queue has no bundle");
    const swapped = pack([{ path: "x/a.js", bytes: new Uint8Array([66]) }]);
    await assertRejects(() => bundles.folderOf("one", hash, end.signal, get(swapped)), Error, "was exchanged");
    await assertRejects(() => bundles.folderOf("one", "../..", end.signal, get(bytes)), Error, "is no hash");
    const places = await Promise.all([1, 2].map(() => bundles.folderOf("one", hash, end.signal, get(bytes))));
    await bundles.folderOf("two", hash, other.signal, get(bytes));
    assertEquals([places[0], fetched], [places[1], 4]);
    assertEquals(Deno.readTextFileSync(`${places[0]}/x/a.js`), "A");
    end.abort();
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["two"]);
  }));

Deno.test(
  "bundleTests() says in the bundler's words why a file cannot be bundled",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      Deno.writeTextFileSync(`${folder}/a.ts`, 'import "./missing.ts";');
      await assertRejects(() => bundleTests(toFileUrl(`${folder}/a.ts`), []), Error, "missing.ts");
    }),
);

/** The tasks of the tests that travel, with pictures in the folder `out` beside them. */
async function tasksIn(folder: string): Promise<GpuTestTask[]> {
  const { tasks } = await plan({ files: [`${folder}/${TRAVELS}`], drivers: [DRIVER], signal: FOREVER });
  return tasks.map((task) => ({ ...task, work: { ...task.work, output: `${folder}/out` } }));
}

/** Runs a task from an unpacked bundle; files go over as they do by a store. */
async function away(task: GpuTestTask, root: string, output: string): Promise<RunVerdict<GpuTestDetails>> {
  const ran = (await executeAway(task, { root, output, driver: DRIVER, signal: FOREVER }))!;
  const text = JSON.stringify(ran.verdict);
  assert(!text.includes(root) && !text.includes(output), text);
  const files = [...ran.files].map(([name, object]) => ({ name, object }));
  const details: SentDetails = { ...ran.verdict.details!, sent: { driver: DRIVER.path, files } };
  return await bringHome(task, JSON.parse(JSON.stringify({ ...ran.verdict, details })), (path) => Deno.readFile(path));
}

Deno.test(
  "a test of a bundle ends as where its file is, with places, pictures and scripts of that machine",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      const project = `${folder}/a project`;
      writeTravels(project);
      writePng(`${project}/goldens/matches.png`, { width: 8, height: 8, data: new Uint8Array(256).fill(255) });
      writePng(`${project}/goldens/differs.png`, { width: 8, height: 8, data: new Uint8Array(256).fill(7) });
      const tasks = await tasksIn(project), file = toFileUrl(`${project}/${TRAVELS}`);
      const local: RunVerdict<GpuTestDetails>[] = [];
      for (const task of tasks) local.push((await executeGpuTest(task))!);
      const left = filesIn(`${project}/out`);
      Deno.removeSync(`${project}/out`, { recursive: true });

      const { bytes, hash } = await bundleTests(file, (await listTests(file)).tests);
      const root = await new UnpackedBundles(folder).folderOf("run", hash, FOREVER, () => Promise.resolve(bytes));
      const remote: RunVerdict<GpuTestDetails>[] = [];
      for (const task of tasks) remote.push(await away(task, root, Deno.makeTempDirSync({ dir: folder })));
      assertEquals(withTimesLeftOut(remote), withTimesLeftOut(local));
      assertEquals(local.map(({ status }) => status), ["Pass", "Fail", "Fail", "Skip", "Skip", "Crash"]);
      assertStringIncludes(remote[2].message, `${project}/helper.ts:4:`);
      assertEquals([...filesIn(`${project}/out`).keys()], [...left.keys()]);
      for (const [name, text] of left) {
        if (!name.endsWith(".js")) assertEquals(filesIn(`${project}/out`).get(name), text);
      }
    }),
);

function filesIn(folder: string): Map<string, string> {
  const names = [...Deno.readDirSync(folder)].flatMap((each) =>
    each.isDirectory ? [...filesIn(`${folder}/${each.name}`).keys()].map((name) => `${each.name}/${name}`) : [each.name]
  );
  return new Map(names.sort().map((name) => [name, Deno.readFileSync(`${folder}/${name}`).toHex()]));
}
