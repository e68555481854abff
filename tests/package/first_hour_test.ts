import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { canBundle } from "../../tools/build/bundle.ts";
import { lavapipePath, swiftshaderPath } from "../../tools/setup/parts.ts";
import { manifestIn } from "../support/pasted.ts";
import { needs } from "../support/require.ts";
import { withFolderAsync } from "../support/temporary.ts";
import { Registry } from "./registry.ts";

const ROOT = new URL("../../", import.meta.url);
const driver = lavapipePath() ?? swiftshaderPath();
const DRIVER = needs("a Vulkan driver", driver);
const BUNDLER = needs("esbuild, which deno bundle fetches", await canBundle() ? "esbuild" : undefined);
/** What README tells to allow. */
const ALLOWED = ["--no-prompt", "--allow-ffi", "--allow-read", "--allow-env=HOME,XDG_*,VK_*", "--allow-write"];

/** The programs of a page. */
function programs(page: string): string[] {
  const text = Deno.readTextFileSync(new URL(page, ROOT));
  return [...text.matchAll(/^```ts(?: ignore)?\n([\s\S]*?)^```$/gm)].map(([, program]) => program);
}

/** An empty folder in which somebody works who has Deno alone. */
class Project {
  constructor(readonly folder: string, readonly env: Record<string, string>) {}

  write(name: string, text: string): string {
    Deno.writeTextFileSync(`${this.folder}/${name}`, text);
    return name;
  }

  /** Runs a command there, which has to end well; returns all that it printed. */
  async run(command: string, ...args: string[]): Promise<string> {
    const { code, output } = await this.output(command, ...args);
    assertEquals(code, 0, `${[command, ...args].join(" ")}\n${output}`);
    return output;
  }

  /** Runs a command there, however it ends. */
  async output(command: string, ...args: string[]): Promise<{ code: number; output: string }> {
    const given = { args, cwd: this.folder, env: this.env };
    const { code, stdout, stderr } = await new Deno.Command(command, given).output();
    return { code, output: [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("") };
  }

  deno(...args: string[]): Promise<string> {
    return this.run(Deno.execPath(), ...args);
  }
}

Deno.test(
  "somebody with an empty folder adds the package, checks and runs README's programs, and installs the command line",
  { ignore: DRIVER.ignore || BUNDLER.ignore },
  () =>
    withFolderAsync(async (folder) => {
      await using registry = await Registry.open(`${folder}/package`);
      for (const name of ["project", "cache"]) Deno.mkdirSync(`${folder}/${name}`);
      const project = new Project(`${folder}/project`, {
        JSR_URL: registry.url,
        DENO_DIR: `${folder}/cache`,
        DENO_NO_UPDATE_CHECK: "1",
        NO_COLOR: "1",
        VK_DRIVER_FILES: manifestIn(folder, driver!),
      });
      await project.deno("add", "jsr:@pumice/gfx");
      const all = programs("README.md").map((program, index) => project.write(`program${index}.ts`, program));
      await project.deno("check", ...all);
      for (const name of all) {
        const output = await project.deno("run", ...ALLOWED, name);
        assert(/llvmpipe|SwiftShader/.test(output), output);
      }
      assert(Deno.statSync(`${project.folder}/triangle.png`).size > 0);

      await project.deno("install", "--quiet", "-g", "-A", "-n", "pumice", "--root", folder, "jsr:@pumice/gfx/cli");
      const pumice = `${folder}/bin/pumice`;
      assertStringIncludes(await project.run(pumice, "--help"), "Commands:");
      assert(/llvmpipe|SwiftShader/.test(await project.run(pumice, "info")));
      const profile = await project.run(pumice, "run", all[1], "--layer=profile");
      assert(/vkCreateBuffer .* 1 ×/.test(profile), profile);
      project.write(
        "fails.ts",
        `import { GraphicsError } from "@pumice/gfx"; throw new TypeError(GraphicsError.name);`,
      );
      const { code, output } = await project.output(pumice, "run", "fails.ts");
      assertEquals(code, 1);
      assertStringIncludes(output, "TypeError: GraphicsError");
      await usesThreadsAndProcesses(project, pumice, all.at(-1)!);
    }),
);

const LAYER = `import { defineLayer } from "@pumice/gfx";
export default defineLayer({
  name: "VK_LAYER_TEST_drops",
  commands: { vkCmdDraw() {} },
});
`;

const COMPOSITION = `import { createThreadedBackend, FORMAT } from "@pumice/gfx/hwc";
import { allocateBuffer, USAGE } from "@pumice/gfx/wsi";
const usage = USAGE.CPU_WRITE_OFTEN | USAGE.CPU_READ_OFTEN;
using backend = createThreadedBackend({ painter: "ts", threads: 3, leastPixels: 0 });
using target = allocateBuffer({ width: 64, height: 64, format: FORMAT.RGBA_8888, usage });
backend.compose(target, [], {});
console.log("composed");
`;

/** What the package runs in other threads and processes comes from the package, too. */
async function usesThreadsAndProcesses(project: Project, pumice: string, triangle: string): Promise<void> {
  project.write("layer.ts", LAYER);
  project.write("composition.ts", COMPOSITION);
  await project.deno("check", "layer.ts", "composition.ts");
  assertEquals(await project.deno("run", "--quiet", "-A", "composition.ts"), "composed\n");
  const checked = await project.output(pumice, "check", `--driver=${driver}`, "--json");
  const [vulkan] = JSON.parse(checked.output.slice(checked.output.indexOf("{"))).parts;
  assert(vulkan.verdicts.length > 20, checked.output); // made by a process of its own
  await project.run(pumice, "record", triangle, "--out=triangle.jsonl");
  const both = [`--driver=${driver}`, `--driver=${driver}`];
  assertStringIncludes(await project.run(pumice, "compare", "triangle.jsonl", ...both), "no difference");
  const dropped = await project.output(pumice, "compare", "triangle.jsonl", ...both, "--layer-b=layer.ts");
  assertEquals(dropped.code, 1, dropped.output);
  assertStringIncludes(dropped.output, "vkCmdDraw(");
}
