import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { DemoRecordings } from "../replay/demo_recordings.ts";
import { needs } from "../../../support/require.ts";
import { run, runProgram } from "../../../support/subprocess.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { until } from "../../../support/until.ts";

const DEMOS = new DemoRecordings();
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const PROGRAMS = new URL("programs/", import.meta.url).pathname;
const DEVICE_LOST = -4, OUT_OF_DEVICE_MEMORY = -2;

/** Arguments of a comparison of lavapipe with itself below a layer. */
function argumentsFor(recording: string): string[] {
  const driver = `--driver=${lavapipePath()}`;
  return ["compare", recording, driver, driver, `--layer-b=${PROGRAMS}refusing_layer.ts`];
}

/** The processes that were told of a recording. */
function processesOf(folder: string): string[] {
  const { stdout } = run("ps", ["-eo", "pid,stat,args"]);
  return stdout.split("\n").filter((line) => line.includes(folder) && !line.includes(" ps "));
}

/** The names of a folder's files. */
function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

for (
  const [what, refusal, words] of [
    ["that crashes", { command: "vkCmdDraw", reads: "16" }, /^driver B crashed at line \d+: signal SIGSEGV/m],
    [
      "whose device is lost",
      {
        command: "vkQueueSubmit",
        result: DEVICE_LOST,
        then: ["vkDeviceWaitIdle", "vkQueueWaitIdle", "vkWaitForFences"],
      },
      /^driver B lost its device at line \d+: .*VK_ERROR_DEVICE_LOST/m,
    ],
    [
      "without memory",
      { command: "vkAllocateMemory", result: OUT_OF_DEVICE_MEMORY },
      /^driver B failed at line \d+: .*VK_ERROR_OUT_OF_DEVICE_MEMORY/m,
    ],
  ] as const
) {
  Deno.test(
    `cli compare says in a sentence what became of a driver ${what}, and ends all processes`,
    LAVAPIPE,
    async () => {
      await withFolderAsync((folder) => {
        const recording = `${folder}/demo.jsonl`, temporary = `${folder}/temporary`;
        Deno.mkdirSync(temporary);
        DEMOS.write(recording, lavapipePath()!);
        const env = { REFUSES: JSON.stringify(refusal), TMPDIR: temporary };
        const { code, stdout, output } = runProgram("cli.ts", argumentsFor(recording), { env });
        assertEquals(code, 1, output);
        assertMatch(stdout, words);
        assertEquals([processesOf(folder), filesIn(temporary)], [[], []]);
        return Promise.resolve();
      });
    },
  );
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`cli compare ends its processes and removes its files when it gets ${signal}`, LAVAPIPE, async () => {
    await withFolderAsync(async (folder) => {
      const recording = `${folder}/demo.jsonl`, temporary = `${folder}/temporary`;
      Deno.mkdirSync(temporary);
      DEMOS.write(recording, lavapipePath()!);
      const child = start(argumentsFor(recording), temporary);
      await until("the child waits", () => filesIn(temporary).includes("waits"));
      assertEquals(sidesOf(child.pid).length, 2);
      const sides = sidesOf(child.pid);
      child.kill(signal);
      const { code, stderr } = await child.output();
      assertEquals(code, 130);
      assertStringIncludes(new TextDecoder().decode(stderr), "compare: stopped");
      assertEquals([sides.filter(isThere), filesIn(temporary)], [[], ["waits"]]);
    });
  });
}

Deno.test("the folders of a reduction that was killed go with the next comparison", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const recording = `${folder}/demo.jsonl`, temporary = `${folder}/temporary`, out = `${folder}/small.jsonl`;
    Deno.mkdirSync(temporary);
    DEMOS.write(recording, lavapipePath()!);
    const [, ...sides] = argumentsFor(recording);
    const child = start(["reduce", ...sides, "--validation=none", `--out=${out}`], temporary);
    await until("the child waits", () => filesIn(temporary).includes("waits"));
    child.kill("SIGKILL");
    await child.output();
    const left = filesIn(temporary).filter((name) => name !== "waits").map((name) => name.split("-")[1]);
    assertEquals(left.sort(), ["compare", "compare", "reduce"]);
    const { output } = runProgram("cli.ts", argumentsFor(recording), {
      env: { TMPDIR: temporary, REFUSES: JSON.stringify({ command: "vkCmdDraw", reads: "16" }) },
    });
    assertEquals(filesIn(temporary), ["waits"], output);
    await until("no process of the folder is left", () => processesOf(folder).length <= 0);
    assertEquals(filesIn(folder).filter((name) => name.includes("small")), []);
  });
});

/** Starts the command line with a folder for temporary files; a layer waits at a draw, and says so by a file there. */
function start(args: readonly string[], temporary: string): Deno.ChildProcess {
  const refusal = { command: "vkCmdDraw", waits: `${temporary}/waits` };
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--import-map=tools/offline_import_map.json", "cli.ts", ...args],
    cwd: new URL("../../../../", import.meta.url).pathname,
    env: { TMPDIR: temporary, REFUSES: JSON.stringify(refusal), NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** The processes that were started by a process. */
function sidesOf(parent: number): string[] {
  const { stdout } = run("ps", ["-o", "pid=", "--ppid", `${parent}`]);
  return stdout.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

function isThere(pid: string): boolean {
  return run("ps", ["-p", pid]).code === 0;
}
