import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { verifyRecording } from "../../workbench/recordings/mod.ts";
import { readRecording } from "../../workbench/layers.ts";
import { lavapipePath, validationManifest } from "../../tools/setup/parts.ts";
import { needs } from "../support/require.ts";
import { mount, mountable } from "../support/small_disk.ts";
import { type Outcome, runProgram, type Surroundings } from "../support/subprocess.ts";
import { withFolder, withFolderAsync } from "../support/temporary.ts";
import { commandLine } from "../support/command_line.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const VALIDATION = needs("the validation layer", lavapipePath() && validationManifest());
const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const APP = `${ROOT}tests/workbench/recordings/black_box/programs/dispatching.ts`;
const WRONG = `${ROOT}tests/workbench/recordings/black_box/programs/wrong.ts`;
const FATED = `${ROOT}tests/workbench/recordings/black_box/programs/fated_layer.ts`;
const FULL_DISK = { ignore: LAVAPIPE.ignore || !mountable() };
/** The recording that is written in the folder of the command. */
const NAME = "black-box.jsonl";

/** Runs a program with a black box in a folder. */
function run(
  cwd: string,
  options: readonly string[],
  program: string,
  args: readonly string[],
  more: Surroundings = {},
) {
  const all = ["run", "--black-box", ...options, `--driver=${lavapipePath()}`, program, "--", ...args];
  return runProgram("cli.ts", all, { cwd, flags: ["--allow-sys"], seconds: 120, ...more });
}

function filesIn(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}

Deno.test("run --black-box says that nothing happened, and writes nothing", LAVAPIPE, () => {
  withFolder((folder) => {
    const { code, stderr, stdout } = run(folder, [], APP, ["5", "0", "3"]);
    assertEquals([code, stdout], [0, "counted 15\n"], stderr);
    assertStringIncludes(stderr, "black box: nothing happened, so nothing was written");
    assertEquals(filesIn(folder), []);
  });
});

Deno.test("run --black-box writes what a program did that crashed, and the reads are true", LAVAPIPE, () => {
  withFolder((folder) => {
    const { code, stderr } = run(folder, [], APP, ["5", "0", "700", "crash"]);
    assertEquals(code, 139, stderr);
    assertMatch(stderr, /the program's process ended amid its work, with exit code 139; the last 700 submissions/);
    const { reads, differences } = verifyRecording({ driver: lavapipePath()! }, `${folder}/${NAME}`);
    assertEquals([reads, differences], [700, []]);
  });
});

Deno.test("a call within which the process is killed is the last line", LAVAPIPE, () => {
  withFolder((folder) => {
    const { code, stderr } = run(folder, [`--layer=${FATED}`], APP, ["2", "0", "1"], { env: { FATE: "crashes" } });
    assertEquals(code, 137, stderr);
    const last = readRecording(`${folder}/${NAME}`).lines.at(-1)!;
    assertEquals("command" in last && [last.command, last.unfinished], ["vkQueueSubmit", true]);
  });
});

for (const fate of ["lost", "crashes", "hangs"]) {
  Deno.test(`reduce --while=${fate} makes a test of what a black box wrote, with one driver`, LAVAPIPE, async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/${NAME}`, out = `${folder}/small.jsonl`;
      const { code, stderr } = run(folder, [`--layer=${FATED}`], APP, ["2", "0", "1"], { env: { FATE: "lost" } });
      assertEquals(code, 1, stderr);
      assertMatch(stderr, /black-box\.jsonl: vkQueueSubmit returned VK_ERROR_DEVICE_LOST; .* to be replayed/);
      Deno.env.set("FATE", fate);
      const drivers = [`--driver=${lavapipePath()}`, `--layer-a=${FATED}`, "--timeout=2"];
      const more = [`--while=${fate}`, "--validation=none", `--out=${out}`];
      const { code: reduced, text } = await commandLine("reduce", path, ...drivers, ...more);
      assertEquals(reduced, 0, text);
      assertStringIncludes(text, "the same as a test");
      assertStringIncludes(Deno.readTextFileSync(`${folder}/small.ts`), "The test fails on driver A.");
    });
  });
}

/** Starts a program with a black box, and passes on what it says on standard error until it is ended. */
async function watched(
  folder: string,
  options: readonly string[],
  args: readonly string[],
  use: (child: Deno.ChildProcess, until: (text: RegExp) => Promise<string>) => Promise<void>,
): Promise<Outcome["code"]> {
  const flags = ["-A", "--no-check", `--import-map=${ROOT}tools/offline_import_map.json`];
  const all = ["run", "--black-box", ...options, `--driver=${lavapipePath()}`, APP, "--", ...args];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, `${ROOT}cli.ts`, ...all],
    cwd: folder,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const readers = [child.stderr, child.stdout].map((stream) => stream.pipeThrough(new TextDecoderStream()).getReader());
  const until = async (wanted: RegExp) => {
    const [errors, output] = readers, reader = wanted.source.startsWith("counted") ? output : errors;
    while (!wanted.test(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`ended with ${text}`);
      text += value;
    }
    return text;
  };
  await use(child, until);
  await Promise.all(readers.map(async (reader) => {
    while (!(await reader.read()).done);
  }));
  return (await child.status).code;
}

Deno.test("run --black-box names the dispatch of an endless shader, and the recording hangs", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    await watched(folder, ["--bound=2"], ["6", "4", "1"], async (child, until) => {
      const text = await until(/did not finish.*\n/);
      assertMatch(text, /vkWaitForFences has not returned in 2 s|vkQueueSubmit has not returned/);
      // Each dispatch is bound first, and a set before all: the fourth is command 9.
      assertMatch(text, /did not finish vkCmdDispatch, command 9 of VkCommandBuffer#1 \(line \d+\)\n/);
      child.kill("SIGTERM");
    });
    const lines = readRecording(`${folder}/${NAME}`).lines, last = lines.at(-1)!;
    assert("command" in last && last.unfinished, JSON.stringify(last));
  });
});

Deno.test("SIGUSR2 has run --black-box write at once, and the program goes on", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const code = await watched(folder, [], ["5", "0", "4", "wait"], async (child, until) => {
      await until(/counted 20/);
      child.kill("SIGUSR2");
      await until(/black-box\.jsonl: SIGUSR2 arrived; the last 4 submissions, to be replayed\n/);
      child.kill("SIGTERM");
    });
    assertEquals(code, 143);
    const { reads, differences } = verifyRecording({ driver: lavapipePath()! }, `${folder}/${NAME}`);
    assertEquals([reads, differences], [4, []]);
    assertEquals(filesIn(folder), [NAME, `${NAME}.data`]);
  });
});

Deno.test(
  "Ctrl-\\ in a terminal has run and exec --black-box write at once, and the program goes on",
  LAVAPIPE,
  async () => {
    const deno = [Deno.execPath(), "run", "-A", "--no-check", `--import-map=${ROOT}tools/offline_import_map.json`];
    const kinds = [
      ["run", "--black-box", `--driver=${lavapipePath()}`, APP, "--", "5", "0", "4", "wait"],
      ["exec", "--black-box", "--", ...deno, APP, "5", "0", "4", "wait"],
    ];
    for (const words of kinds) {
      await withFolderAsync(async (folder) => {
        // A shell that stays between the terminal and the command would be ended by the key, and the terminal with it.
        const line = ["exec", ...deno, `${ROOT}cli.ts`, ...words].join(" ");
        const child = new Deno.Command("script", { // which gives the command a terminal
          args: ["-qfec", line, "/dev/null"],
          cwd: folder,
          env: { NO_COLOR: "1" },
          stdin: "piped",
          stdout: "piped",
        }).spawn();
        const keyboard = child.stdin.getWriter(),
          screen = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        const until = async (wanted: RegExp) => {
          while (!wanted.test(text)) {
            const { value, done } = await screen.read();
            if (done) throw new Error(`ended with ${text}`);
            text += value;
          }
        };
        await until(/counted 20/);
        await keyboard.write(new Uint8Array([0x1c])); // Ctrl-\
        await until(/black-box\.jsonl: Ctrl-\\ was pressed; the last 4 submissions, to be replayed/);
        await keyboard.write(new Uint8Array([0x03])); // Ctrl-C: the program was still there
        await child.status;
        await Promise.allSettled([keyboard.close(), screen.cancel()]);
        assertEquals(filesIn(folder), [NAME, `${NAME}.data`]);
      });
    }
  },
);

Deno.test("a validation error becomes a recording that has the error, and reduce keeps it", VALIDATION, async () => {
  await withFolderAsync(async (folder) => {
    const layer = "--layer=VK_LAYER_KHRONOS_validation";
    const { code, stderr } = run(folder, [layer], WRONG, []);
    assertEquals(code, 1, stderr);
    assertMatch(stderr, /black-box\.jsonl: a validation layer found VUID-vkCmdFillBuffer-size-\d+/);
    const out = `${folder}/small.jsonl`, options = ["--while=message", `--out=${out}`];
    const reduced = await commandLine("reduce", `${folder}/${NAME}`, `--driver=${lavapipePath()}`, ...options);
    assertEquals(reduced.code, 0, reduced.text);
    assertMatch(reduced.text, /VUID-vkCmdFillBuffer-size/);
  });
});

Deno.test("run --black-box says that settings of the user's keep validation errors from it", LAVAPIPE, () => {
  withFolder((folder) => {
    const env = { VK_LAYER_SETTINGS_PATH: `${folder}/own.txt` };
    const { code, stderr } = run(folder, [], APP, ["5", "0", "3"], { env });
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, "VK_LAYER_SETTINGS_PATH is set, so errors of validation layers write no recording");
  });
});

Deno.test("exec --black-box writes what a program of another process did that was killed", LAVAPIPE, () => {
  withFolder((folder) => {
    const deno = [Deno.execPath(), "run", "-A", "--no-check", `--import-map=${ROOT}tools/offline_import_map.json`];
    const env = { VK_ICD_FILENAMES: "", VK_DRIVER_FILES: "" };
    const program = [...deno, APP, "3", "0", "2", "SIGKILL"];
    const { code, stderr } = runProgram("cli.ts", ["exec", "--black-box", "--", ...program], {
      cwd: folder,
      flags: ["--allow-sys"],
      env,
      seconds: 120,
    });
    assertEquals(code, 137, stderr);
    assertMatch(stderr, /black-box\.jsonl: .* was ended by SIGKILL; the last 2 submissions, to be replayed/);
  });
});

Deno.test("a disk that is full is told, where lines are kept and where the recording goes", FULL_DISK, () => {
  withFolder((folder) => {
    for (const place of ["disk", "kept"]) Deno.mkdirSync(`${folder}/${place}`);
    mount(`${folder}/kept`, () => {
      const env = { TMPDIR: `${folder}/kept` },
        { code, stderr, stdout } = run(folder, [], APP, ["5", "0", "700"], { env });
      assertEquals([code, stdout], [1, "counted 3500\n"], stderr);
      assertMatch(
        stderr,
        /black box: not kept to the end: Cannot write on to .*: the system refused; is the disk full\?/,
      );
    });
    mount(`${folder}/disk`, () => {
      const { code, stderr } = run(`${folder}/disk`, [], APP, ["5", "0", "700", "crash"]);
      assertEquals(code, 139, stderr);
      assertMatch(stderr, /black box: .* ended amid its work, .* and the recording cannot be written: .*disk/);
      assertEquals(filesIn(`${folder}/disk`), []);
    });
  });
});

Deno.test("--black-box and --bound that make no sense are refused", async () => {
  for (
    const [words, reason] of [
      [["run", "--black-box=no", APP], "--black-box=no is no number of MiB above 0"],
      [["run", "--bound=3", APP], "--bound is for --black-box, which is missing"],
      [["exec", "--black-box", "--bound=0", "--", "true"], "--bound=0 is no number of seconds above 0"],
      [["exec", "--black-box", "--record=a.jsonl", "--", "true"], "the one has what the other has"],
      [["exec", "--black-box", "--gles", "--", "true"], "--black-box records calls of Vulkan"],
    ] as const
  ) {
    const { code, text } = await commandLine(...words);
    assertEquals(code, 2, text);
    assertStringIncludes(text, reason);
  }
});
