import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { NEEDS_TINY, TINY } from "../loader/tiny.ts";
import { commandLine as cli } from "../support/command_line.ts";
import { needs } from "../support/require.ts";
import { runProgram } from "../support/subprocess.ts";
import { withFolder, withFolderAsync } from "../support/temporary.ts";

const ROOT = new URL("../../", import.meta.url).pathname, PROGRAMS = "tests/programs/";
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());

const LAYER_OF_EGL = `import { defineGlesLayer } from ${JSON.stringify(`${ROOT}egl/mod.ts`)};
export default defineGlesLayer({ name: "asked", commands: { eglQueryString(next, display, name) {
  console.log("the layer saw 0x" + name.toString(16));
  return next(display, name);
} } });`;
const SCRIPT_OF_EGL = `import * as egl from ${JSON.stringify(`${ROOT}egl/mod.ts`)};
using loader = egl.loadEgl();
loader.eglQueryString(egl.EGL_NO_DISPLAY, egl.EGL_EXTENSIONS);
console.log("the script asked");`;

/** Runs a command line in a process of its own. */
function runCli(...args: string[]) {
  return runProgram("cli.ts", args.map((arg) => arg.replace(PROGRAMS, ROOT + PROGRAMS)), { env: { TINY: TINY! } });
}

Deno.test("cli run puts layers, modules and native ones, on top of a script's loaders", NEEDS_TINY, () => {
  const { code, output } = runCli("run", `${PROGRAMS}script.ts`, `--layer=${PROGRAMS}layer.ts`);
  assertEquals([code, output.trim().split("\n")], [0, ["layer: vkGetEventStatus", "script: 41"]]);
});

Deno.test("cli run puts a layer of OpenGL ES on a script's loader of EGL, and refuses what would do nothing", () =>
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/layer.ts`, LAYER_OF_EGL);
    Deno.writeTextFileSync(`${folder}/script.ts`, SCRIPT_OF_EGL);
    const layer = `--layer=${folder}/layer.ts`, { code, output } = runCli("run", `${folder}/script.ts`, layer);
    assertEquals([code, output.trim().split("\n")], [0, ["the layer saw 0x3055", "the script asked"]], output);
    const watched = runCli("run", `${folder}/script.ts`, layer, "--watch");
    assertEquals([watched.code, watched.output.includes('of OpenGL ES: leave "--watch" out')], [2, true]);
    Deno.writeTextFileSync(`${folder}/empty.jsonl`, "");
    const replayed = runCli("replay", `${folder}/empty.jsonl`, layer);
    assertEquals([replayed.code, replayed.output.includes("which is of OpenGL ES: leave it out")], [2, true]);
  }));

Deno.test("cli trace writes down what a script calls", NEEDS_TINY, () => {
  withFolder((folder) => {
    const { code, output } = runCli("trace", `${PROGRAMS}script.ts`, `--out=${folder}/calls.jsonl`);
    assertEquals([code, output.includes("script: 3"), output.includes("calls.jsonl: the calls")], [0, true, true]);
    const lines = Deno.readTextFileSync(`${folder}/calls.jsonl`).trim().split("\n").map((line) => JSON.parse(line));
    const commands = lines.map(({ command }) => command);
    for (const command of ["vkCreateInstance", "vkCreateDevice", "vkGetEventStatus", "vkDestroyInstance"]) {
      assertEquals(commands.includes(command), true, command);
    }
  });
});

Deno.test("cli run says what is wrong with a script or a layer, and exits with 2", NEEDS_TINY, () => {
  assertEquals(runCli("run").code, 2);
  const missing = runCli("run", "/nowhere.ts");
  assertEquals([missing.code, missing.stderr], [2, `run: "/nowhere.ts" is not there\nTry: pumice run --help\n`]);
  const none = runCli("run", `${PROGRAMS}script.ts`, `--layer=${PROGRAMS}script.ts`);
  assertEquals([none.code, none.output.includes("export what defineLayer() returns")], [2, true]);
});

Deno.test("a layer's module that cannot be loaded is told in a sentence, with the place, and exits with 2", async () => {
  await withFolderAsync(async (folder) => {
    const recording = `${folder}/empty.jsonl`,
      script = `${folder}/empty.ts`,
      place = (index: number) => `${folder}/layer${index}.ts`;
    const rows = [
      ['\nthrow new Error("too early");', `: Error: too early\n    at file://${place(0)}:2:7`],
      ["export const layer = 3;", ": TypeError: Cannot use"],
      ["export const layer = ;", ": TypeError: SyntaxError: Expression expected"],
    ];
    for (const path of [recording, script]) Deno.writeTextFileSync(path, "");
    for (const [index, [text, words]] of rows.entries()) {
      const layer = `--layer=${place(index)}`;
      Deno.writeTextFileSync(place(index), text);
      for (const args of [["run", script, layer], ["replay", recording, layer], ["exec", layer, "--", "true"]]) {
        const outcome = await cli(...args);
        assertEquals(outcome.code, 2, outcome.text);
        assertStringIncludes(outcome.text, `--layer: "${place(index)}" cannot be loaded${words}`);
      }
    }
  });
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
    const { code, output } = runCli("run", `${PROGRAMS}saving_script.ts`, `--layer=${path}`, "--watch", "--", path);
    assertEquals(code, 0, output);
    assertStringIncludes(output, `${path}: VK_LAYER_TEST_module is in use as saved`);
    assertStringIncludes(output, "script: 42");
  });
});

const TELLING = `${PROGRAMS}telling_script.ts`;

Deno.test(
  "cli run gives a script what follows `--`, and loaders the driver where the script names none",
  NEEDS_TINY,
  () => {
    const { code, stdout, stderr } = runCli("run", TELLING, `--driver=${TINY}`, "--", "one", "--layer=x", "--", "-2");
    const args = ["one", "--layer=x", "--", "-2"];
    const [told, device] = stdout.split("\n");
    assertEquals([code, stderr, JSON.parse(told)], [0, "", { deno: args, node: args }]);
    assertMatch(device, /^Tiny driver, \d+ sets$/);
    const none = runCli("run", TELLING, `--driver=${TINY}`);
    assertEquals(JSON.parse(none.stdout.split("\n")[0]), { deno: [], node: [] });
  },
);

Deno.test("cli run prints the stack of what a script throws, with the cause", NEEDS_TINY, () => {
  const { code, stdout, stderr } = runCli("run", TELLING, "--", "throw");
  assertEquals([code, stdout], [1, ""]);
  assertMatch(stderr, /^.*telling_script\.ts: RangeError: too far\n {4}at throwing .*telling_script\.ts:\d+/);
  assertStringIncludes(stderr, "[cause]: Error: the reason");
});

Deno.test("cli run says that a script is not the main module where the script asks", NEEDS_TINY, () => {
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/main.ts`, `if (import.meta.main) console.log("main");\n`);
    const { code, output } = runCli("run", `${folder}/main.ts`);
    assertEquals([code, output], [
      0,
      `${folder}/main.ts: import.meta.main is false here; what depends on import.meta.main is not run\n`,
    ]);
  });
});

Deno.test("cli run takes the package's own layers by name, and prints what they found at the end", NEEDS_TINY, () => {
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/limits.json`, `{ "limits": { "maxBoundDescriptorSets": 5 } }`);
    Deno.writeTextFileSync(`${folder}/faults.json`, `{ "seed": 1, "rules": [] }`);
    const layers = ["profile", "leaks", "limits:FILE", "faults:FILE", "trace:OUT", "record:OUT", "spirv:OUT"];
    const options = layers.map((layer) => {
      const [name] = layer.split(":");
      return `--layer=${layer.replace("FILE", `${folder}/${name}.json`).replace("OUT", `${folder}/${name}`)}`;
    });
    for (const [end, wanted] of [["return", 0], ["exit", 3]] as const) {
      const { code, stdout, stderr } = runCli("run", TELLING, `--driver=${TINY}`, ...options, "--", end);
      assertEquals([code, stderr], [wanted, ""]);
      assertMatch(stdout, /\nTiny driver, 5 sets\n/);
      assertMatch(stdout, /\n\d+ calls of \d+ commands, .*\nvkCreateInstance /);
      assertStringIncludes(stdout, end === "exit" ? "VkInstance  vkCreateInstance main" : "no object was leaked");
      assertStringIncludes(Deno.readTextFileSync(`${folder}/trace`), `"command":"vkCreateInstance"`);
      assertMatch(Deno.readTextFileSync(`${folder}/record`), /\n\{"lines":\d+,"crc32":"\w+"\}\n$/);
      Deno.removeSync(`${folder}/spirv`, { recursive: true });
    }
  });
});

Deno.test("cli run says what is wrong with a layer's name or value", NEEDS_TINY, () => {
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/bad.json`, `{ "limit": {} }`);
    for (
      const [layer, words] of [
        ["profil", `--layer: there is no layer "profil"; did you mean profile?`],
        ["prof", `--layer: there is no layer "prof"; did you mean profile?`],
        ["limit:x", `--layer: there is no layer "limit" that takes a value; did you mean limits:FILE?`],
        ["limits", "--layer: write limits:FILE"],
        ["profile:x", "--layer: write profile"],
        ["limits:/nowhere", `--layer: "/nowhere" is not there`],
        [`limits:${folder}/bad.json`, `did you mean "limits"?`],
        ["/nowhere/layer.ts", `--layer: "/nowhere/layer.ts" is not there`],
      ]
    ) {
      const { code, stdout, stderr } = runCli("run", `${PROGRAMS}script.ts`, `--layer=${layer}`);
      assertEquals([code, stdout], [2, ""], layer);
      assertStringIncludes(stderr.split("\n")[0], words);
    }
  });
});

Deno.test("cli trace --text prints each call, or writes the calls to a file", NEEDS_TINY, () => {
  const printed = runCli("trace", `${PROGRAMS}script.ts`, "--text");
  assertEquals(printed.code, 0);
  assertMatch(
    printed.stdout,
    /\n#\d+ frame 0: vkGetEventStatus\(device=0x\w+, event=0x8\) = VK_EVENT_SET .*\nscript: 3\n/,
  );
  withFolder((folder) => {
    const { code, stdout } = runCli("trace", `${PROGRAMS}script.ts`, "--text", `--out=${folder}/calls.txt`);
    assertEquals([code, stdout], [0, `script: 3\n${folder}/calls.txt: the calls of the script\n`]);
    assertMatch(Deno.readTextFileSync(`${folder}/calls.txt`), /^#1 frame 0: vkCreateInstance\(.*\n(#.*\n)+$/);
  });
});

Deno.test("cli record writes what cli replay does again", NEEDS_TINY, () => {
  withFolder((folder) => {
    const path = `${folder}/calls.jsonl`, driver = `--driver=${TINY}`;
    const { code, output } = runCli("record", TELLING, `--out=${path}`, driver, "--", "some");
    assertEquals(code, 0, output);
    assertStringIncludes(output, `"deno":["some"]`);
    assertStringIncludes(output, `${path}: what the script did, to be replayed`);
    const replayed = runCli("replay", path, driver, "--layer=leaks");
    assertMatch(replayed.output, /^no device: 0 calls, nothing was read\nno object was leaked, none is live\n$/);
    assertEquals(JSON.parse(runCli("replay", path, driver, "--json").stdout).reads, 0);
    assertEquals(runCli("replay", path, "--driver=/nowhere.so").code, 2);
    Deno.writeTextFileSync(path, "{}\n");
    const broken = runCli("replay", path, driver);
    assertEquals([broken.code, broken.stdout], [2, ""]);
    assertStringIncludes(broken.stderr, path);
  });
});

Deno.test("cli record --frames says which contents a part lacks, and exits with 1", LAVAPIPE, () => {
  withFolder((folder) => {
    const script = `${folder}/samples.ts`, path = `${folder}/part.jsonl`;
    Deno.writeTextFileSync(
      script,
      `import { openGpu } from "${ROOT}wsi/gpu/open_gpu.ts";
import { zeroImage } from "${ROOT}wsi/gpu/barriers.ts";
import * as vk from "${ROOT}loader/vk.ts";
using gpu = openGpu({ driver: ${JSON.stringify(lavapipePath())} });
const extent = { width: 4, height: 4 }, samples = Number(Deno.args[0]);
const usage = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT | vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
const image = gpu.bareImage({ format: vk.VK_FORMAT_R8G8B8A8_UNORM, extent, usage, samples });
for (let frame = 0; frame < 3; frame++) gpu.submit((commands) => zeroImage(commands, image, vk.VK_IMAGE_LAYOUT_GENERAL));
`,
    );
    for (const [samples, code, lack] of [[1, 0, ""], [4, 1, "; the contents of VkImage#1 are not saved: an image"]]) {
      const { code: ended, output } = runCli("record", script, `--out=${path}`, "--frames=3..3", "--", `${samples}`);
      assertEquals(ended, code, output);
      assertStringIncludes(output, `${path}: frames 3 to 3, to be replayed${lack}`);
    }
  });
});
