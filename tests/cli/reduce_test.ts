import { assert, assertEquals, assertMatch } from "@std/assert";
import { readRecording, writeRecording } from "../../workbench/layers.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { writeDiffering } from "../workbench/recordings/reduce/differing_program.ts";
import { commandLine } from "../support/command_line.ts";
import { needs } from "../support/require.ts";
import { run } from "../support/subprocess.ts";
import { deviceIn, withFolderAsync } from "../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const [PLANTED, WAITING] = ["planted", "waiting"].map((name) =>
  new URL(`../workbench/recordings/compare/programs/${name}_layer.ts`, import.meta.url).pathname
);
const ROOT = new URL("../../", import.meta.url).pathname;

const PLANT = JSON.stringify({ command: "vkCmdDispatch", nth: 0, change: "drop" });

/** Runs `reduce`, and stops it by a signal when an instance of the second driver waits for ever. */
async function stoppedAt(instance: number, folder: string, signal: "SIGINT" | "SIGTERM") {
  Deno.env.set("PLANT", PLANT);
  const one = { driver: lavapipePath()! }, other = { ...one, layers: [PLANTED] };
  const path = await writeDiffering(folder, [one, other], "vkCmdDispatch");
  const waits = `${folder}/waits`, driver = `--driver=${one.driver}`;
  using watcher = Deno.watchFs(folder);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", "--import-map=tools/offline_import_map.json", "cli.ts", "reduce", path],
      ...[driver, driver, `--layer-b=${PLANTED}`, `--layer-b=${WAITING}`, `--out=${folder}/small.jsonl`],
    ],
    env: {
      NO_COLOR: "1",
      PLANT,
      WAITS_AT: `${instance}`,
      WAITS_IN: waits,
    },
    cwd: ROOT,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await Promise.race([child.status, seen(watcher, waits)]);
  const processes = childrenOf(child.pid);
  child.kill(signal);
  const { code, stdout, stderr } = await child.output();
  return { path, processes, code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

async function seen(watcher: Deno.FsWatcher, path: string): Promise<void> {
  for await (const { paths } of watcher) if (paths.includes(path)) return;
}

function childrenOf(pid: number): string[] {
  return run("cat", [`/proc/${pid}/task/${pid}/children`]).stdout.trim().split(" ");
}

/** Whether a process runs; one that has ended may still wait for its parent. */
function isRunning(pid: string): boolean {
  const { code, stdout } = run("cat", [`/proc/${pid}/status`]);
  return code === 0 && !/^State:\s*Z/m.test(stdout);
}

function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

Deno.test(
  "cli reduce that is stopped leaves the smallest recording so far, whole, and no process",
  LAVAPIPE,
  async () => {
    await withFolderAsync(async (folder) => {
      const { path, processes, code, text } = await stoppedAt(12, folder, "SIGINT"), out = `${folder}/small.jsonl`;
      assertEquals(code, 130, text);
      assertMatch(text, /small\.jsonl: \d+ of \d+ lines are left/);
      assertMatch(text, /^stopped: this is the smallest recording that was found until then$/m);
      assertMatch(text, /^no script: the reduction was stopped$/m);
      assert(readRecording(out).lines.length < readRecording(path).lines.length);
      assertEquals([processes.length >= 2, processes.filter(isRunning)], [true, []]);
      assertEquals(filesIn(folder), [
        "program.jsonl",
        "program.jsonl.data",
        "small.jsonl",
        "small.jsonl.data",
        "waits",
      ]);
    });
  },
);

Deno.test("cli reduce that is stopped before the condition was true writes nothing", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const { processes, code, text } = await stoppedAt(2, folder, "SIGTERM");
    assertEquals([code, text.trim()], [
      130,
      "reduce: stopped before it was known whether the condition is true; nothing was written",
    ]);
    assertEquals([processes.length >= 2, processes.filter(isRunning)], [true, []]);
    assertEquals(filesIn(folder), ["program.jsonl", "program.jsonl.data", "waits"]);
  });
});

Deno.test("cli reduce says which files it cannot write, before it opens a driver", async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/program.jsonl`;
    writeRecording(path, { lines: [], data: () => new Uint8Array() });
    Deno.mkdirSync(`${folder}/folder.ts`);
    Deno.symlinkSync(path, `${folder}/link.jsonl`);
    const device = deviceIn(folder);
    Deno.mkdirSync(`${folder}/other.jsonl.data`);
    Deno.writeTextFileSync(`${folder}/other.jsonl.data/notes`, "mine");
    const rows = [
      [device, `Cannot write "${device}": it is a device, which is not replaced`],
      [`${folder}/link.jsonl`, "it is a link, which is not replaced"],
      [`${folder}/other.jsonl`, `"notes" there is no part of a recording`],
      [`${folder}/none/small.jsonl`, `the folder "${folder}/none" is not there`],
      [folder, "it is a folder; give a file"],
      [`${folder}/folder.jsonl`, `Cannot write "${folder}/folder.ts": it is a folder; give a file`],
      [path, "it is the recording that is read; give another file"],
    ];
    const before = filesIn(folder);
    for (const [out, sentence] of rows) {
      const none = ["--driver=/nowhere/a.so", "--driver=/nowhere/b.so"];
      const { code, text } = await commandLine("reduce", path, ...none, `--out=${out}`);
      assertEquals([code, text.includes(sentence)], [2, true], text);
      assertEquals(filesIn(folder), before);
    }
  });
});
