import "../support/warm_loader.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { NEEDS_TINY, TINY, tinyVariant } from "../loader/tiny.ts";
import { commandLine as cli } from "../support/command_line.ts";
import { runProgram } from "../support/subprocess.ts";
import { withFolder } from "../support/temporary.ts";

const ROOT = new URL("../../", import.meta.url).pathname, PROGRAMS = "tests/programs/";

/** Runs a command line in a process of its own. */
function runCli(...args: string[]) {
  return runProgram("cli.ts", args.map((arg) => arg.replace(PROGRAMS, ROOT + PROGRAMS)), { env: { TINY: TINY! } });
}

Deno.test("cli explain tells what was looked at and why", NEEDS_TINY, async () => {
  const { code, text } = await cli("explain", "--driver", TINY!);
  const reason = "named by the caller, opened as icd (driver option)";
  assertEquals([code, text.replace(/\n? +/g, " ")], [0, `Drivers taken ${TINY} ${reason}`]);
});

Deno.test("cli explain --json prints the findings as data", NEEDS_TINY, async () => {
  const { code, text } = await cli("explain", `--driver=${TINY}`, "--json");
  const reason = "named by the caller, opened as icd";
  const finding = { subject: "driver", origin: "driver option", path: TINY, taken: true, reason };
  assertEquals([code, JSON.parse(text)], [0, { driver: TINY, findings: [finding] }]);
});

Deno.test("cli explain follows Android's rules below a root", async () => {
  const { code, text } = await cli("explain", "--platform=android", "--root=/nowhere");
  assertEquals(code, 0);
  for (const words of ["android  asked for by the caller", "unset  ro.board.platform", "taken    stub HAL"]) {
    assertStringIncludes(text, words);
  }
  assertEquals((await cli("explain", "--platform=android", "--properties=/nowhere")).code, 1);
});

Deno.test("cli ends with 1 when the driver cannot be used", NEEDS_TINY, async () => {
  const missing = await cli("info", "--driver=/nowhere/libvulkan_x.so");
  assertEquals(missing.code, 1);
  assertStringIncludes(missing.text, "/nowhere/libvulkan_x.so");
  const json = await cli("explain", "--json", "--driver=/nowhere/libvulkan_x.so");
  assertEquals([json.code, Object.keys(JSON.parse(json.text))], [1, ["error", "findings"]]);
  const failing = await cli("info", `--driver=${tinyVariant("failing", "-DFAIL_CREATE=-9")}`);
  assertEquals(failing.code, 1);
  assertStringIncludes(failing.text, "VK_ERROR_INCOMPATIBLE_DRIVER");
});

Deno.test("cli ends with 2 and shows its usage when used wrongly", async () => {
  for (
    const args of [[], ["dance"], ["explain", "extra"], ["info", "--nope"], ["--json"], ["info", "--driver"], [
      "info",
      "--platform=x",
    ]]
  ) {
    const { code, text } = await cli(...args);
    assertEquals(code, 2, args.join(" "));
    assertStringIncludes(text, "Usage: cli.ts ");
  }
});

Deno.test("cli --help lists the commands, COMMAND --help says what one takes", async () => {
  const all = await cli("--help"), one = await cli("trace", "--help");
  assertEquals([all.code, one.code], [0, 0]);
  assertStringIncludes(all.text, "  trace SCRIPT  write down every call a script makes");
  assertStringIncludes(all.text, "  --driver PATH ");
  for (const words of ["Usage: cli.ts trace SCRIPT [options]", "  --out FILE", "  --layer NAME"]) {
    assertStringIncludes(one.text, words);
  }
});

Deno.test("cli says what is wrong with a command line", async () => {
  for (
    const [args, words] of [
      [["info", "--platform=x"], `"x" is no platform: give one of auto, android, linux`],
      [["run"], "run: SCRIPT is missing"],
      [["run", "one.ts", "two.ts"], `run: "two.ts" is one word too many`],
      [["info", "--nope"], "--nope"],
    ] as const
  ) assertStringIncludes((await cli(...args)).text, words);
});

Deno.test("cli.ts as a program exits with main()'s code", NEEDS_TINY, () => {
  const good = runProgram("cli.ts", ["info", "--json", `--driver=${TINY}`]);
  assertEquals([good.code, JSON.parse(good.stdout).devices[0].properties.deviceName, good.stderr], [
    0,
    "Tiny driver",
    "",
  ]);
  assertEquals(runProgram("cli.ts", ["info", "--driver=/nowhere.so"]).code, 1);
  assertEquals(runProgram("cli.ts", ["dance"]).code, 2);
});

Deno.test("cli run puts layers, modules and native ones, on top of a script's loaders", NEEDS_TINY, () => {
  const { code, output } = runCli("run", `${PROGRAMS}script.ts`, `--layer=${PROGRAMS}layer.ts`);
  assertEquals([code, output.trim().split("\n")], [0, ["layer: vkGetEventStatus", "script: 41"]]);
});

Deno.test("cli trace writes down what a script calls", NEEDS_TINY, () => {
  withFolder((folder) => {
    const { code, output } = runCli("trace", `${PROGRAMS}script.ts`, `--out=${folder}/calls.jsonl`);
    assertEquals([code, output.includes("script: 3"), output.includes("calls.jsonl: what")], [0, true, true]);
    const lines = Deno.readTextFileSync(`${folder}/calls.jsonl`).trim().split("\n").map((line) => JSON.parse(line));
    const commands = lines.map(({ command }) => command);
    for (const command of ["vkCreateInstance", "vkCreateDevice", "vkGetEventStatus", "vkDestroyInstance"]) {
      assertEquals(commands.includes(command), true, command);
    }
  });
});

Deno.test("cli run says what is wrong with a script or a layer, and exits with 1 or 2", NEEDS_TINY, () => {
  assertEquals(runCli("run").code, 2);
  const missing = runCli("run", "/nowhere.ts");
  assertEquals([missing.code, missing.output.includes("/nowhere.ts")], [1, true]);
  const none = runCli("run", `${PROGRAMS}script.ts`, `--layer=${PROGRAMS}script.ts`);
  assertEquals([none.code, none.output.includes("export what defineLayer() returns")], [1, true]);
});

Deno.test("cli run --dump writes the source of generated code", NEEDS_TINY, () => {
  withFolder((folder) => {
    const { code, output } = runCli("run", `${PROGRAMS}script.ts`, `--layer=${PROGRAMS}layer.ts`, `--dump=${folder}`);
    assertEquals([code, output.trim().split("\n").at(-1)], [0, "script: 41"]);
    const folders = [...Deno.readDirSync(folder)].map(({ name }) => name);
    for (const title of ["direct", "link"]) assertEquals(folders.includes(title), true, `${title}: ${folders}`);
  });
});

Deno.test("cli run --watch takes a layer as it is saved", NEEDS_TINY, () => {
  withFolder((folder) => {
    const path = `${folder}/layer.ts`, layer = Deno.readTextFileSync(`${ROOT}${PROGRAMS}layer.ts`);
    Deno.writeTextFileSync(path, layer);
    const { code, output } = runCli("run", `${PROGRAMS}saving_script.ts`, `--layer=${path}`, "--watch");
    assertEquals(code, 0, output);
    assertStringIncludes(output, `${path}: VK_LAYER_TEST_module is in use as saved`);
    assertStringIncludes(output, "script: 42");
  });
});
