import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { commandLine } from "../../support/command_line.ts";
import { needs } from "../../support/require.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { APPLICATION, BACK, CHANGES, type Line, LOOKS, play, setting } from "./phone_play.ts";
import { type Running, starting } from "./serving.ts";

const NEEDS_SERVING = needs("Linux on x86-64", Deno.build.arch === "x86_64");
const STARTED = /was started under the layers.*\n/;

/** Starts the command with a stand-in for `adb`, and temporary files in a folder of their own. */
function phone(folder: string, adb: string, ...more: string[]): Running {
  const TMPDIR = `${folder}/tmp`;
  Deno.mkdirSync(TMPDIR);
  return starting(folder, ["phone", APPLICATION, "--layer=profile", `--adb=${adb}`, ...more], { TMPDIR });
}

/** Checks that nothing of this machine is left. */
function assertTidy(folder: string): void {
  assertEquals([...Deno.readDirSync(`${folder}/tmp`)], []);
}

Deno.test(
  "cli phone does what a phone takes, in order, and takes all of it back at Ctrl-C",
  NEEDS_SERVING,
  () =>
    withFolderAsync(async (folder) => {
      const stage = play(folder, [...LOOKS, ...CHANGES, ...BACK]), running = phone(folder, stage.adb);
      await running.until(STARTED);
      const { code, stdout, stderr } = await running.end();
      assertMatch(stderr, /^com\.example\.game: the layer library did not connect\..*INTERNET.*\n$/);
      assertEquals(code, 0);
      stage.assertOver();
      assertTidy(folder);
      assertStringIncludes(stdout, `adb -s PHONE1 shell run-as ${APPLICATION} rm -f libVkLayer_pumice.so\n`);
      const [, here, there] = /reverse --no-rebind tcp:(\d+) tcp:(\d+)/.exec(stdout)!;
      assert(here === there && Number(here) > 0, `${here} ${there}`);
    }),
);

Deno.test("cli phone puts back the settings that there were", NEEDS_SERVING, () =>
  withFolderAsync(async (folder) => {
    const changes = CHANGES.map((line) =>
      typeof line === "object" && line.words.endsWith("get global gpu_debug_app")
        ? { ...line, says: "com.example.other" }
        : line
    );
    const back = BACK.map((words) =>
      words.replace("delete global gpu_debug_app", "put global gpu_debug_app com.example.other")
    );
    const stage = play(folder, [...LOOKS, ...changes, ...back]), running = phone(folder, stage.adb);
    await running.until(STARTED);
    assertEquals((await running.end("SIGTERM")).code, 0);
    stage.assertOver();
  }));

Deno.test(
  "cli phone --gles --activity takes the folder of builds for development if the application cannot be debugged",
  NEEDS_SERVING,
  () =>
    withFolderAsync(async (folder) => {
      const file = "libGLES_pumice.so", there = `/data/local/debug/gles/${file}`, at = "-s PHONE2";
      const named = (lines: readonly Line[]) =>
        JSON.parse(JSON.stringify(lines).replaceAll("PHONE1", "PHONE2")) as Line[];
      const looks = named([LOOKS[0], ...LOOKS.slice(2, -1)]);
      (looks[0] as { words: string }).words = `${at} get-state`;
      const stage = play(folder, [
        ...looks,
        {
          words: `${at} shell run-as ${APPLICATION} true`,
          code: 1,
          says: `run-as: package not debuggable: ${APPLICATION}`,
        },
        { words: `${at} shell getprop ro.debuggable`, says: "1" },
        `${at} reverse --no-rebind tcp:7107 tcp:7107`,
        `${at} push */${file} ${there}`,
        ...named([
          ...setting("gpu_debug_layers_gles", file),
          ...setting("gpu_debug_app", APPLICATION),
          ...setting("enable_gpu_debug_layers", "1"),
        ]),
        `${at} shell am force-stop ${APPLICATION}`,
        `${at} shell am start -n ${APPLICATION}/.Main`,
        `${at} shell settings delete global enable_gpu_debug_layers`,
        `${at} shell settings delete global gpu_debug_app`,
        `${at} shell settings delete global gpu_debug_layers_gles`,
        `${at} shell rm -f ${there}`,
        `${at} reverse --remove tcp:7107`,
      ]);
      const running = phone(folder, stage.adb, "--gles", "--activity=.Main", "--serial=PHONE2", "--port=7107");
      await running.until(STARTED);
      assertEquals((await running.end()).code, 0);
      stage.assertOver();
      assertTidy(folder);
    }),
);

/** A failure: the place in all lines, what `adb` says, the exit code of the command, and what it tells. */
type Row = readonly [at: number, says: string, code: 1 | 2, tells: string, answers?: number];

const ROWS: Readonly<Record<string, Row>> = {
  "no phone is there": [0, "error: no devices/emulators found", 2, "there is no phone: connect one"],
  "several phones are there": [0, "error: more than one device/emulator", 2, "give --serial=SERIAL"],
  "the phone lets nobody in": [
    0,
    "error: device unauthorized.\\nThis adb server is not authorized",
    1,
    "unlock it, and allow USB debugging in its dialog",
  ],
  "the phone is offline": [0, "error: device offline", 1, "take the cable out and in again"],
  "the user may not use the port": [0, "error: insufficient permissions for device", 1, "install udev rules"],
  "the application is not there": [2, "", 2, "com.example.game is not on the phone: install it"],
  "the processor is another one": [3, "x86_64", 1, "The phone has x86_64; layer libraries are for arm64-v8a", 0],
  "the port is in use": [
    5,
    "adb: error: cannot bind listener: Address already in use",
    1,
    "give another one by --port",
  ],
  "the folder takes no file": [
    6,
    "adb: error: failed to copy: remote couldn't create file: Permission denied",
    1,
    "the phone takes no file there",
  ],
  "the application's folder takes no file": [
    7,
    "cp: ./libVkLayer_pumice.so: No space left on device",
    1,
    "No space left",
  ],
  "a setting is refused": [9, "Exception occurred: java.lang.SecurityException", 1, "SecurityException"],
  "the application has no activity": [15, "** No activities found to run, monkey aborted.", 1, "give --activity=NAME"],
};

const ALL = [...LOOKS, ...CHANGES];
/** Lines of {@linkcode ALL}: the reason of each line of {@linkcode BACK}; a reverse that fails is somebody else's. */
const REASONS = [13, 11, 9, 7, 6, 6];

for (const [name, [at, says, code, tells, answers = 1]] of Object.entries(ROWS)) {
  Deno.test(
    `cli phone says what to do if ${name}, and leaves nothing behind`,
    NEEDS_SERVING,
    () =>
      withFolderAsync(async (folder) => {
        const line = ALL[at], words = typeof line === "string" ? line : line.words;
        const back = BACK.filter((_, index) => at >= REASONS[index]);
        const stage = play(folder, [...ALL.slice(0, at), { words, says, code: answers }, ...back]);
        const ended = await phone(folder, stage.adb).end("SIGCONT");
        assertEquals(ended.code, code, ended.stderr);
        assertStringIncludes(ended.stderr, tells);
        assertEquals(ended.stderr.trim().split("\n").length <= 2, true, ended.stderr);
        stage.assertOver();
        assertTidy(folder);
      }),
  );
}

Deno.test(
  "cli phone says that an application cannot be debugged on a build for users",
  NEEDS_SERVING,
  () =>
    withFolderAsync(async (folder) => {
      const stage = play(folder, [
        ...LOOKS.slice(0, -1),
        { words: LOOKS.at(-1) as string, code: 1, says: `run-as: package not debuggable: ${APPLICATION}` },
        { words: "-s PHONE1 shell getprop ro.debuggable", says: "0" },
      ]);
      const ended = await phone(folder, stage.adb).end("SIGCONT");
      assertEquals(ended.code, 1);
      assertStringIncludes(ended.stderr, 'android:debuggable="true" only (adb: run-as: package not debuggable');
      stage.assertOver();
    }),
);

Deno.test(
  "cli phone takes back what it has done so far if Ctrl-C comes amid a step",
  NEEDS_SERVING,
  () =>
    withFolderAsync(async (folder) => {
      const [reverse, push] = CHANGES, words = push as string;
      const stage = play(folder, [
        ...LOOKS,
        reverse,
        { words, does: `touch "$here/pushing"; sleep 1` },
        ...BACK.slice(-2),
      ]);
      const running = phone(folder, stage.adb);
      await running.until(/push .*\n/);
      const ended = await running.end();
      assertEquals([ended.code, ended.stderr], [0, ""]);
      stage.assertOver();
      assertTidy(folder);
    }),
);

Deno.test(
  "cli phone says what is left on a phone that was unplugged, and how to remove it",
  NEEDS_SERVING,
  () =>
    withFolderAsync(async (folder) => {
      const stage = play(folder, [...LOOKS, ...CHANGES]), running = phone(folder, stage.adb);
      await running.until(STARTED);
      stage.unplug();
      await running.until(/reverse --remove tcp:\d+\n/);
      const ended = await running.end("SIGCONT"), lines = ended.stderr.trim().split("\n");
      assertEquals(ended.code, 1);
      assertStringIncludes(ended.stderr, "phone: the phone is gone");
      const left = lines.slice(-BACK.length).map((line) => line.replace(/^adb /, "").replace(/tcp:\d+$/, "tcp:*"));
      assertEquals(left, [...BACK]);
      assertTidy(folder);
    }),
);

Deno.test("cli phone --dry-run prints the steps and runs nothing, and without adb they are printed, too", async () => {
  const dry = await commandLine("phone", APPLICATION, "--layer=profile", "--dry-run", "--adb=/nowhere/adb");
  assertEquals(dry.code, 0);
  const steps = [...LOOKS.slice(2), ...CHANGES, ...BACK].map((line) => typeof line === "string" ? line : line.words)
    .filter((words) => !words.includes("settings get"))
    .map((words) => words.replace("-s PHONE1 ", "").replaceAll("tcp:*", "tcp:PORT").replace("*/", ""));
  assertEquals(
    dry.text.split("\n").filter((line) => !line.startsWith("#")),
    ["get-state", ...steps].map((words) => `adb ${words}`),
  );
  const without = await commandLine("phone", APPLICATION, "--layer=profile", "--adb=/nowhere/adb");
  assertEquals(without.code, 2);
  assertStringIncludes(without.text, 'phone: "/nowhere/adb" cannot be run');
  assertStringIncludes(without.text, "install Debian's package adb, or give --adb=PATH");
  assertStringIncludes(without.text, dry.text);
});

Deno.test("cli phone refuses names that are none, before it asks a phone", async () => {
  const rows = [
    [["game; reboot"], '"game; reboot" is no name of an application'],
    [[APPLICATION, "--activity=a b"], "--activity=a b is no name of an activity"],
    [[APPLICATION, "--port=70000"], "--port=70000 is no port"],
  ] as const;
  for (const [args, why] of rows) {
    const { code, text } = await commandLine("phone", ...args, "--layer=profile", "--adb=/nowhere/adb");
    assertEquals([code, text.includes(why)], [2, true], text);
  }
  assertStringIncludes((await commandLine("phone", APPLICATION)).text, "phone: --layer=LAYER is missing");
});
