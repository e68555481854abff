import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { canBundle, inPlace } from "../../tools/build/bundle.ts";
import { entryStub } from "../../tools/build/entry.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../tools/setup/parts.ts";
import { walk } from "../../tools/walk.ts";
import { manifestIn } from "../support/pasted.ts";
import { needs } from "../support/require.ts";
import { ServedPackage } from "./served.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const driver = lavapipePath() ?? swiftshaderPath();
const DRIVER = needs("a Vulkan driver and the Khronos validation layer", driver && validationManifest());
const BUNDLER = needs("esbuild, which deno bundle fetches", await canBundle() ? "esbuild" : undefined);
const PARTS = { ignore: DRIVER.ignore || BUNDLER.ignore };
const RUN = ["--no-prompt", "--allow-ffi", "--allow-read", "--allow-env"];

const TYPED = `
import { defineLayer, loadVulkan } from "@pumice/gfx/core";
const layer = defineLayer({
  name: "VK_LAYER_TEST_typed",
  commands: { vkQueueSubmit: (next, queue, count, submits, fence) => next(queue, count, submits, fence) },
});
using vulkan = loadVulkan({ driver: Deno.args[0], layers: [layer] });
using instance = vulkan.vkCreateInstance({});
const name: string = instance.vkEnumeratePhysicalDevices()[0].vkGetPhysicalDeviceProperties().deviceName;
console.log(name);
`;

/** The README's TypeScript programs. */
function readme(): string[] {
  const text = Deno.readTextFileSync(`${ROOT}README.md`);
  return [...text.matchAll(/^```ts(?: ignore)?\n([\s\S]*?)^```$/gm)].map(([, program]) => program);
}

async function withPackage(use: (served: ServedPackage) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "pumice-package-" });
  try {
    await using served = await ServedPackage.open(folder);
    await use(served);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test(
  "the built package: programs are checked against its declarations, and run on its bundle alone",
  PARTS,
  async () => {
    await withPackage(async (served) => {
      const right = await served.run("check", TYPED);
      assertEquals(right.code, 0, right.output);
      assert(served.asked.includes("/types/loader/core.d.ts"), served.asked.join());
      assertEquals(served.asked.filter((path) => !/^\/(exports|types|built)\//.test(path)), []);
      const wrong = await served.run("check", TYPED.replace("name: string", "name: number"));
      assertEquals(wrong.code, 1);
      assertStringIncludes(wrong.output, "Type 'string' is not assignable to type 'number'");

      const env = { VK_DRIVER_FILES: manifestIn(served.folder, driver!) };
      for (const program of readme()) {
        const here = program.replace('"triangle.png"', JSON.stringify(`${served.folder}/triangle.png`));
        const { code, output } = await served.run("run", here, [...RUN, `--allow-write=${served.folder}`], env);
        assertEquals(code, 0, output);
        assert(/llvmpipe|SwiftShader/.test(output), output);
        assertEquals(served.asked.filter((path) => !/^\/(exports|built)\//.test(path)), []);
      }
      const help = `import { main } from "@pumice/gfx/cli"; Deno.exit(await main(["info", "--help"], console.log));`;
      const { code, output } = await served.run("run", help, ["--allow-read"]);
      assertEquals(code, 0, output);
      assertStringIncludes(output, "Usage: pumice info [FILE]");

      const texts = [...walk(`${served.folder}/package/built`)].map((path) => Deno.readTextFileSync(path));
      assertEquals(
        texts.filter((text) => text.includes(ROOT) || text.includes("/.cache/")),
        [],
        "no path of this machine",
      );
    });
  },
);

Deno.test("a bundled module finds what lies beside its source, and the programs of threads in the bundle", () => {
  const text = [
    "// hwc/backends/painter.ts",
    'const thread = new URL("./thread.ts", import.meta.url).href;',
    "// workbench/runs/testing/repro.ts",
    'const here = import.meta.resolve("./mod.ts");',
    "// cli/scene.ts",
    'const folder = new URL("../examples/spin/", import.meta.url);',
    "const own = import.meta.url;",
  ].join("\n");
  const places = new Map([["hwc/backends/thread.ts", "built/hwc/backends/thread.js"], [
    "workbench/runs/testing/mod.ts",
    "a.ts",
  ]]);
  const addresses = (path: string) =>
    inPlace(path, text, places).replaceAll("import.meta.url", JSON.stringify(`file:///package/built/${path}`))
      .split("\n").filter((line) => line.startsWith("const"))
      .map((line) => `${Function(`${line}; return ${line.split(" ")[1]}`)()}`);
  const wanted = ["built/hwc/backends/thread.js", "a.ts", "examples/spin/", "cli/scene.ts"].map((path) =>
    `file:///package/${path}`
  );
  assertEquals(addresses("chunk-A.js"), wanted);
  assertEquals(addresses("hwc/mod.js"), wanted);
  assertThrows(() => inPlace("chunk-A.js", text, new Map()), Error, "hwc/backends/thread.ts, which is not among");
});

Deno.test("entryStub() names the declarations, the bundle, and what a program does", () => {
  const doc = "/**\n * About it.\n *\n * @module\n */\n";
  assertEquals(entryStub("./core", "loader/core.ts", `${doc}export {};\n`), {
    path: "exports/core.ts",
    text: `${doc}// @ts-types="../types/loader/core.d.ts"\nexport * from "../built/loader/core.js";\n`,
  });
  assertEquals(entryStub(".", "mod.ts", "export {};\n").path, "exports/mod.ts");
  const program = entryStub("./cli", "cli.ts", "if (import.meta.main) main();\n").text;
  assertStringIncludes(program, "if (import.meta.main) runProgram();");
});
