import { assertEquals, assertStringIncludes } from "@std/assert";
import { NEEDS_TINY, TINY, tinyVariant } from "../loader/tiny.ts";
import { commandLine as cli } from "../support/command_line.ts";

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
  assertEquals((await cli("explain", "--platform=android", "--system-properties=/nowhere")).code, 2);
});

Deno.test(
  "cli ends with 2 when the driver is not there, with 1 when the driver cannot be used",
  NEEDS_TINY,
  async () => {
    const missing = await cli("info", "--driver=/nowhere/libvulkan_x.so");
    assertEquals(missing.code, 2);
    assertStringIncludes(missing.text, "/nowhere/libvulkan_x.so");
    const json = await cli("explain", "--json", "--driver=/nowhere/libvulkan_x.so");
    assertEquals([json.code, Object.keys(JSON.parse(json.stdout))], [2, ["error", "findings"]]);
    const failing = await cli("info", `--driver=${tinyVariant("failing", "-DFAIL_CREATE=-9")}`);
    assertEquals(failing.code, 1);
    assertStringIncludes(failing.text, "VK_ERROR_INCOMPATIBLE_DRIVER");
  },
);

Deno.test("cli ends with 2, a sentence and where the usage is, when used wrongly", async () => {
  for (
    const args of [[], ["dance"], ["explain", "extra"], ["info", "--nope"], ["--json"], ["info", "--driver"], [
      "info",
      "--platform=x",
    ]]
  ) {
    const { code, text } = await cli(...args);
    assertEquals(code, 2, args.join(" "));
    const [sentence, ...rest] = text.split("\n"), command = ["explain", "info"].find((each) => each === args[0]);
    assertEquals([sentence !== "", rest], [true, [`Try: pumice ${command ? `${command} ` : ""}--help`]]);
  }
});

Deno.test("cli --help lists the commands, COMMAND --help says what one takes", async () => {
  const all = await cli("--help"), one = await cli("trace", "--help");
  assertEquals([all.code, one.code], [0, 0]);
  assertStringIncludes(all.text, "  trace SCRIPT [-- ARGS]    write down every call a script makes");
  assertStringIncludes(all.text, "  --driver DRIVER ");
  for (const words of ["Usage: pumice trace SCRIPT [options] [-- ARGS]", "  --out FILE", "  --layer LAYER"]) {
    assertStringIncludes(one.text, words);
  }
  assertStringIncludes(all.text, "  exec -- PROGRAM ARGS      start any program");
  assertStringIncludes((await cli("compose", "--help")).text, "  --kms[=CARD] ");
  assertStringIncludes((await cli("exec", "--help")).text, "Usage: pumice exec [options] -- PROGRAM ARGS\n");
});

Deno.test("cli says what is wrong with a command line", async () => {
  for (
    const [args, words] of [
      [["info", "--platform=x"], `"x" is not a platform: give one of auto, android, linux`],
      [["run"], "run: SCRIPT is missing"],
      [["run", "one.ts", "two.ts"], `run: "two.ts" is one word too many; what is for the script follows "--"`],
      [["exec", "vkcube"], `exec: "vkcube" is one word too many; the program that is started follows "--"`],
      [["compose", "--kms", "--hz=60"], "--hz is for simulated panels"],
      [["info", "--nope"], "info: there is no option --nope; its own are listed by --help"],
      [
        ["exec", "vkcube", "--c"],
        'exec: there is no option --c; write "--" before what is not for this command itself',
      ],
      [["info", "--jsn"], "info: there is no option --jsn; did you mean --json?"],
      [["info", "-json"], "info: there is no option -json; did you mean --json?"],
      [["info", "--driver"], "info: --driver needs a value: --driver=DRIVER"],
      [["info", "--driver", "--json"], "info: --driver needs a value: --driver=DRIVER"],
      [["info", "--json=3"], "info: --json takes no value"],
      [["info", "--", "x"], 'info: nothing takes what follows "--"; leave it out'],
      [["inof"], 'There is no command "inof": did you mean info?'],
      [["--json"], 'There is no command "--json": give explain, info, check'],
      [[], "Give a command: explain, info, check"],
      [["run", "/nowhere.ts"], 'run: "/nowhere.ts" is not there'],
      [["trace", "/nowhere.ts"], 'trace: "/nowhere.ts" is not there'],
      [["record", "/nowhere.ts"], 'record: "/nowhere.ts" is not there'],
      [["replay", "/nowhere.jsonl"], 'replay: "/nowhere.jsonl" is not there'],
      ...["info", "explain", "check", "compose", "deqp"].flatMap((name) => [
        [[name, "--layer=profile"], `${name}: --layer=profile is a layer in TypeScript, which run,`] as const,
        [
          [name, "--layer=limits:a.json"],
          `${name}: --layer=limits:a.json is a layer in TypeScript, which run,`,
        ] as const,
        [[name, "--layer=own.ts"], `${name}: --layer=own.ts is a layer in TypeScript, which run,`] as const,
      ]),
    ] as const
  ) assertStringIncludes((await cli(...args)).text, words);
});

Deno.test("cli --version names the versions of Pumice and Deno", async () => {
  const { code, text } = await cli("--version"), own = JSON.parse(Deno.readTextFileSync("deno.json")).version;
  const { os, arch } = Deno.build;
  assertEquals([code, text], [0, `pumice ${own} (Deno ${Deno.version.deno}, ${os} ${arch})`]);
});
