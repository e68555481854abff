import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { recordDemo } from "../workbench/recordings/replay/recorded.ts";
import { writeHostile } from "../workbench/recordings/view/server/hostile.ts";
import { commandLine } from "../support/command_line.ts";
import { needs } from "../support/require.ts";
import { run, runProgram } from "../support/subprocess.ts";
import { withFolder, withFolderAsync } from "../support/temporary.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());

Deno.test("cli view says what is wrong with its files and options", async () => {
  await withFolderAsync(async (folder) => {
    const good = `${folder}/good.jsonl`, other = `${folder}/other.jsonl`, cut = `${folder}/cut.jsonl`;
    writeHostile(good, 3);
    Deno.writeTextFileSync(other, "{}\n");
    Deno.writeTextFileSync(cut, Deno.readTextFileSync(good).split("\n").slice(0, -2).join("\n") + "\n");
    const driver = (name: string) => `--driver=${folder}/${name}.so`;
    for (
      const [args, words] of [
        [[`${folder}/nothing.jsonl`], "is not there"],
        [[folder], "is a folder; give a file"],
        [[other], "its first line does not say that it is a recording"],
        [[cut], "it was cut, its last line is not the end"],
        [[good, "--port=x"], "--port=x is no port"],
        [[good, "--port=99999"], "--port=99999 is no port"],
        [[good, "--timeout=0"], "--timeout=0 is no number above 0"],
        [[good, "--events=3"], "--events is for --html"],
        [[good, "--html=x", "--events=3..1"], "--events=3..1 names no events"],
        [[good, `--html=${folder}/page`, "--events=999"], "there is no event 999"],
        [[good, `--html=${good}`, driver("a")], "is a file; give a folder"],
        [[good, driver("a"), driver("b"), driver("c")], "3 drivers are given; give two at most"],
      ] as const
    ) {
      const { code, text } = await commandLine("view", ...args);
      assertEquals([code, text.includes(words)], [2, true], `${args.join(" ")}: ${text}`);
    }
  });
});

Deno.test("cli view --html writes one file, says how large it is, and what it lacks", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`;
    recordDemo(path, lavapipePath()!);
    const whole = runProgram("cli.ts", ["view", path, `--driver=${lavapipePath()}`, `--html=${folder}/new/page`]);
    assertEquals([whole.code, whole.stderr.includes("not inside")], [0, false], whole.output);
    const [, told, events] =
      /^wrote .*\/new\/page\/view\.html, ([\d.]+) MiB: \d+ events, with the contents at (\d+)$/m.exec(whole.stdout) ??
        [];
    const { size } = Deno.statSync(`${folder}/new/page/view.html`);
    assertEquals([told, Number(events) >= 2], [(size / 2 ** 20).toFixed(1), true], whole.stdout);
    const lacking = runProgram("cli.ts", ["view", path, `--driver=${folder}/no_driver.so`, `--html=${folder}/page`]);
    assertEquals(lacking.code, 1, lacking.output);
    assertStringIncludes(lacking.stderr, "view: not inside: ");
    assertStringIncludes(lacking.stderr, "no_driver.so");
    assertStringIncludes(Deno.readTextFileSync(`${folder}/page/view.html`), "<!doctype html>");
  });
});

Deno.test("cli view serves until Ctrl-C, and leaves no process behind", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/demo.jsonl`;
    recordDemo(path, lavapipePath()!);
    const args = [
      "run",
      "-A",
      "--no-check",
      `--import-map=${ROOT}tools/offline_import_map.json`,
      `${ROOT}cli.ts`,
      "view",
      path,
      `--driver=${lavapipePath()}`,
    ];
    const child = new Deno.Command(Deno.execPath(), { args, cwd: ROOT, stdout: "piped", stderr: "piped" }).spawn();
    const reader = child.stdout.getReader(), errors = new Response(child.stderr).text();
    let said = "";
    while (!said.includes("\n")) said += new TextDecoder().decode((await reader.read()).value);
    const url = said.trim();
    assert(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/.test(url), url);
    const [{ deviceName }] = await (await fetch(`${url}ask/drivers`)).json();
    assertStringIncludes(deviceName, "llvmpipe");
    const replaying = childrenOf(child.pid);
    assert(replaying.length > 0, "a process replays");
    child.kill("SIGINT");
    assertEquals(await child.status, { success: true, code: 0, signal: null });
    assertEquals((await reader.read()).done, true);
    assertStringIncludes(await errors, "until Ctrl-C");
    for (const pid of replaying) assertEquals(isThere(pid), false, `process ${pid}`);
  });
});

/** The processes that a process started. */
function childrenOf(pid: number): string[] {
  return run("ps", ["-o", "pid=", "--ppid", `${pid}`]).stdout.trim().split(/\s+/).filter(Boolean);
}

/** Whether a process is there, and no zombie. */
function isThere(pid: string): boolean {
  return /^\s*[^Z\s]/.test(run("ps", ["-o", "stat=", "-p", pid]).stdout);
}
