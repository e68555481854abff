import { assertEquals } from "@std/assert";
import plugin from "../../../tools/lint/plugin.ts";

const ROOT = decodeURIComponent(new URL("../../..", import.meta.url).pathname);

function messages(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, ROOT + file, source).map((diagnostic) => diagnostic.message);
}

function rules(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, ROOT + file, source).map((diagnostic) => diagnostic.id);
}

Deno.test("pumice/floors reports an import from a higher floor", () => {
  assertEquals(messages("ffi/arena.ts", `import { x } from "../loader/mod.ts";`), [
    "ffi/ (floor 0) cannot import from loader/ (floor 1)",
  ]);
});

Deno.test("pumice/floors lets a floor import from below and from itself", () => {
  assertEquals(
    messages("hwc/viewer/a.ts", `import "../../egl/mod.ts"; import "../../ffi/mod.ts"; import "./b.ts";`),
    [],
  );
  assertEquals(messages("mod.ts", `export * from "./loader/mod.ts";`), []);
});

Deno.test("pumice/floors sees re-exports, dynamic imports and imports of types", () => {
  const sources = [
    `export * from "../egl/mod.ts";`,
    `export { x } from "../egl/mod.ts";`,
    `await import("../egl/mod.ts");`,
    `await import("../egl/mod.ts" as string);`,
    `import type { X } from "../egl/mod.ts";`,
  ];
  for (const source of sources) assertEquals(rules("wsi/surface.ts", source), ["pumice/floors"], source);
});

Deno.test("pumice/floors sees through the package's own name", () => {
  assertEquals(rules("ffi/arena.ts", `import { load } from "@pumice/gfx/loader";`), ["pumice/floors"]);
  assertEquals(rules("hwc/client.ts", `import { load } from "@pumice/gfx";`), ["pumice/floors"]);
  assertEquals(rules("examples/demo.ts", `import { load } from "@pumice/gfx/loader";`), []);
});

Deno.test("pumice/floors knows every entry of the package", async () => {
  const { exports } = JSON.parse(await Deno.readTextFile(ROOT + "deno.json"));
  for (const [name, path] of Object.entries<string>(exports)) {
    const isBelow = path.startsWith("./ffi/");
    const expected = isBelow ? [] : ["pumice/floors"];
    assertEquals(rules("ffi/mod.ts", `import "@pumice/gfx${name.slice(1)}";`), expected, name);
  }
});

Deno.test("pumice/floors gives files beside the rooms a place of their own", () => {
  assertEquals(messages("loader/codec/encode.ts", `import "../drivers.ts"; import "../version.ts";`), [
    "loader/codec/ cannot import from loader/drivers.ts, which is built on it",
  ]);
  assertEquals(messages("loader/version.ts", `import "./codec/encode.ts";`), [
    "loader/version.ts cannot import from loader/codec/, which is built on it",
  ]);
  assertEquals(messages("loader/chain/device.ts", `import "../helpers.ts";`), [
    "loader/helpers.ts has no place on its floor: list it in tools/lint/floors.ts",
  ]);
});

Deno.test("every room and every file beside the rooms has a place", () => {
  for (const floor of ["loader", "wsi", "egl", "hwc", "workbench"]) {
    for (const { name, isFile } of Deno.readDirSync(ROOT + floor)) {
      const found = messages(`${floor}/${name}${isFile ? "" : "/a.ts"}`, `import "./mod.ts"; import "../mod.ts";`)
        .filter((message) => message.includes("has no place"));
      assertEquals(found.filter((message) => message.includes(`/${name} has`)), [], `${floor}/${name}`);
    }
  }
});

Deno.test("pumice/floors keeps the order of the rooms inside loader", () => {
  assertEquals(messages("loader/codec/encode.ts", `import "../chain/device.ts";`), [
    "loader/codec/ cannot import from loader/chain/, which is built on it",
  ]);
  assertEquals(messages("loader/chain/device.ts", `import "../mod.ts";`), [
    "loader/chain/ cannot import from loader/mod.ts, which is built on it",
  ]);
  assertEquals(messages("loader/api/device.ts", `import "../chain/device.ts"; import "../error.ts";`), []);
  assertEquals(messages("loader/driver/open.ts", `import "../command/compile.ts";`), []);
});

Deno.test("pumice/floors keeps the order of the rooms inside egl", () => {
  assertEquals(messages("egl/dispatch/fill.ts", `import "../api/state.ts"; import "../../loader/error.ts";`), [
    "egl/dispatch/ cannot import from egl/api/, which is built on it",
  ]);
  assertEquals(messages("egl/layers/layer.ts", `import "../api/scope.ts"; import "../error.ts";`), []);
});

Deno.test("pumice/floors keeps tests, benchmarks and tools out of what is published", () => {
  assertEquals(rules("loader/mod.ts", `import "../tools/setup/parts.ts";`), ["pumice/floors"]);
  assertEquals(rules("examples/demo.ts", `import "../tools/setup/parts.ts";`), []);
  assertEquals(rules("tests/ffi/arena_test.ts", `import "../../hwc/mod.ts";`), []);
});

Deno.test("pumice/floors ignores packages and folders it does not know", () => {
  assertEquals(messages("ffi/arena.ts", `import "node:zlib"; import "npm:txml"; import "../assets/x.ts";`), []);
});

Deno.test("pumice/file-length reports a file of 501 lines and passes one of 500", () => {
  assertEquals(rules("ffi/long.ts", "f();\n".repeat(500)), []);
  assertEquals(rules("ffi/long.ts", "f();\n".repeat(501)), ["pumice/file-length"]);
});

Deno.test("pumice/file-length passes generated files of any length", () => {
  assertEquals(rules("loader/gen/structs_gen.js", "f();\n".repeat(900)), []);
  assertEquals(rules("examples/scene/shaders_gen.ts", "f();\n".repeat(900)), []);
});

Deno.test("pumice/frames wants published code to free the arena's memory by inFrame()", () => {
  const source = `const mark = memory.mark(); memory.release(mark);`;
  assertEquals(rules("loader/api/scope.ts", source), ["pumice/frames"]);
  for (const file of ["ffi/arena.ts", "tests/ffi/arena_test.ts", "bench/main.ts"]) {
    assertEquals(rules(file, source), [], file);
  }
  assertEquals(rules("loader/api/scope.ts", `performance.mark("a"); inFrame((memory) => memory.alloc(8));`), []);
});

Deno.test("pumice/api-words keeps Vulkan, EGL and OpenGL out of the ground floor's code", () => {
  for (
    const source of [
      `say(VK_INCOMPLETE);`,
      `code.begin("vkCreateDevice");`,
      "say(`no swapchain in ${name}`);",
      `type Exchanged = "physicalDevice" | "instance";`,
      `const glFlush = 0n;`,
    ]
  ) {
    assertEquals(rules("ffi/emit/lists.ts", source), ["pumice/api-words"], source);
    assertEquals(rules("loader/emit/lists.ts", source), [], source);
  }
  assertEquals(rules("ffi/emit/lists.ts", `/** As vkCreateDevice does. */\nconst glance = globalThis.event;`), []);
});

Deno.test("pumice/plain-comments wants a subject and short sentences in comments of all code that is no test", () => {
  const long = `/** ${"word ".repeat(41).trim()}. */\nexport {};`;
  const asList = `/**\n * ${"word ".repeat(30)}\n *\n * - ${"item ".repeat(30)}\n */\nexport {};`;
  const faulty = [
    "That it is so.",
    "What a run needs.",
    "It has returned.",
    "Of a queue: its name.",
    "Who is told.",
    "How many.",
  ];
  for (
    const word of [...faulty, "There is none.", "Which to open.", "Those of colours.", "Whoever calls.", "Asked once."]
  ) {
    assertEquals(messages("loader/a.ts", `/** ${word} */\nexport {};`), [
      `Comment begins with "${word.split(" ")[0]}", which has no subject`,
    ]);
  }
  assertEquals(rules("loader/a.ts", `/** Whether a run ended. Its name stays. */\nexport {};`), []);
  assertEquals(rules("ffi/a.ts", long), ["pumice/plain-comments"]);
  assertEquals(rules("ffi/a.ts", asList), []);
  assertEquals(
    rules("ffi/a.ts", `/**\n * Fits.\n *\n * \`\`\`ts\n * ${"code ".repeat(50)}\n * \`\`\`\n */\nexport {};`),
    [],
  );
  assertEquals(rules("loader/gen/a_gen.ts", long), []);
  for (const path of ["examples/a.ts", "bench/a.ts", "tests/support/a.ts"]) {
    assertEquals(rules(path, long), ["pumice/plain-comments"]);
  }
  assertEquals(rules("tests/ffi/a_test.ts", long), []);
});

Deno.test("pumice/registry-facts wants values and members' places generated", () => {
  for (const source of ["const VK_INCOMPLETE = 5;", "export const VK_ERROR_DEVICE_LOST = -4;", "peek64(info + 24n);"]) {
    assertEquals(rules("wsi/swapchain/present.ts", source), ["pumice/registry-facts"], source);
    assertEquals(rules("tests/wsi/swapchain/present_test.ts", source), [], source);
  }
  assertEquals(rules("wsi/consumer/x11/connection.ts", "peek16(setup + 6n);"), []);
  assertEquals(rules("wsi/swapchain/present.ts", "peek64(info + PLACES.handle); poke32(list + 4n * index, 0);"), []);
});

Deno.test("pumice/registry-facts wants enums of EGL and OpenGL ES by their names", () => {
  assertEquals(messages("egl/api/state.ts", "const code = 0x3008;"), [
    "0x3008 is an enum that the registry names, such as EGL_BAD_DISPLAY",
  ]);
  for (const source of ["const SIZES = { 0x1403: 2 };", "raw.glEnable(0xde1);", "const RANGE = 0x3282n;"]) {
    assertEquals(rules("egl/window/texels.ts", source), ["pumice/registry-facts"], source);
    assertEquals(rules("egl/gen/gl_constants_gen.ts", source), [], source);
    assertEquals(rules("wsi/buffer/usage.ts", source), [], source);
  }
  // Bits, numbers of other registries, and values that no registry has.
  const others = ["word >>> 16 & 0x8000;", "const ANGLE = 0x3202;", "const MAGIC = 0x244c4745;", "const size = 0x100;"];
  for (const source of others) assertEquals(rules("egl/window/packing.ts", source), [], source);
});

Deno.test("pumice/registry-facts sees tables of places, unless the comment above names their header or says they are ours", () => {
  const tables = [
    "const GROUP = { size: 288, count: 16n, devices: 24n, subset: 280n };",
    "const INFO = { size: 32, getInstanceProcAddr: 24n } as const;",
    "export const OBJECT = { type: 16, handle: 24, size: 40 };",
    "const AT = { next: 8, application: 24 };",
    "const QUEUE = { flags: 16n, family: 20n }, OTHER = 1;",
  ];
  for (const table of tables) {
    for (const file of ["loader/scripted/a.ts", "hwc/hwc2/a.ts"]) {
      assertEquals(rules(file, table), ["pumice/registry-facts"], table);
      assertEquals(rules(file, `/** Offsets in \`linux/sync_file.h\`. */\n${table}`), [], table);
      assertEquals(rules(file, `/** Offsets in a block of ours. */\n${table}`), [], table);
      assertEquals(rules(file, `/** VkDeviceQueueInfo2. */\n${table}`), ["pumice/registry-facts"], table);
    }
    assertEquals([rules("ffi/emit/layout.ts", table), rules("tests/loader/a.ts", table)], [[], []], table);
  }
  for (
    const table of [
      "const STOCK = { thunks: 64, lookups: 16 };",
      "const BITS = { READ: 4, WRITE: 8, RUN: 16 };",
      "const VERSIONS = { V1_0: 0x400000, V1_1: 0x401000, V1_2: 0x402000 };",
      "const NOTHING = { count: 0, semaphores: 0n };",
      "const AT = { next: PLACES.pNext, application: PLACES.pApplicationInfo };",
      "const given = { width: 12, height: 24 };",
    ]
  ) assertEquals(rules("loader/scripted/a.ts", table), [], table);
});

Deno.test("pumice/registry-facts sees values that extensions number", () => {
  for (const value of ["1000128004", "1_000_128_004", "-1000072003", "-1_000_000_000"]) {
    assertEquals(rules("loader/a.ts", `find(chain, ${value});`), ["pumice/registry-facts"], value);
    assertEquals(rules("egl/a.ts", `const info = { sType: ${value} };`), ["pumice/registry-facts"], value);
    assertEquals([rules("tests/a.ts", `f(${value});`), rules("loader/gen/a_gen.ts", `f(${value});`)], [[], []], value);
  }
  assertEquals(rules("loader/a.ts", "export type Info = { sType: 1000128004 };"), ["pumice/registry-facts"]);
  assertEquals(rules("loader/a.ts", "sleep(1_000_000_000n, 1_000_000_000, 1_001_000_000, 999_999_999);"), []);
});

Deno.test("pumice/preload refuses an import of what runs before each test file, by its old names, too", () => {
  for (const name of ["preload", "warm", "warm_loader", "warm_egl"]) {
    const source = `import "../support/${name}.ts";`;
    assertEquals(rules("tests/ffi/a_test.ts", source), ["pumice/preload"], name);
  }
  assertEquals(rules("tests/ffi/a_test.ts", 'import { needs } from "../support/require.ts";'), []);
});
