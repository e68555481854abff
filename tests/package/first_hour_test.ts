import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { canBundle } from "../../tools/build/bundle.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../tools/setup/parts.ts";
import { mesa } from "../egl/drivers.ts";
import { inTurn, programsOf, saidInTurn } from "../support/pages.ts";
import { manifestIn } from "../support/pasted.ts";
import { needs } from "../support/require.ts";
import { shellLines, words } from "../support/shell_lines.ts";
import { withFolderAsync } from "../support/temporary.ts";
import { Project } from "./project.ts";
import { Registry } from "./registry.ts";

const ROOT = new URL("../../", import.meta.url);
const driver = lavapipePath() ?? swiftshaderPath();
const PARTS = [
  needs("a Vulkan driver", driver),
  needs("the Khronos validation layer", validationManifest()),
  needs(mesa.part, mesa.found || undefined),
  needs("esbuild, which deno bundle fetches", await canBundle() ? "esbuild" : undefined),
];

/** Pages whose programs other tests run: for `deno test`, from a clone, with windows, and on cards. */
const OTHERS = ["driver-tests", "first-hour", "layers-elsewhere", "kms"];
/** The page whose other sections have programs that end with errors, and the section with a program for each symptom. */
const ERRORS = "errors", SYMPTOMS = "Symptoms without a message";
/** The arguments of a page's programs; the program of docs/recordings.md writes the file. */
const ARGUMENTS: Readonly<Record<string, string[]>> = {
  hal: [driver!],
  "where-drivers-part": ["fill.jsonl", driver!, "VK_LAYER_KHRONOS_validation"],
};
/** The permissions of a page's programs beside README's, as docs/permissions.md says. */
const MORE: Readonly<Record<string, string[]>> = { "where-drivers-part": ["--allow-run"] };

/** The permissions that README gives to its programs. */
function permissions(): string[] {
  const { line } = shellLines().find(({ page, line }) => page === "README.md" && line.endsWith("SCRIPT.ts"))!;
  return ["--no-prompt", ...words(line).filter((word) => word.startsWith("--allow-")), "--allow-write"];
}

/** Writes the programs of all pages into files; returns each with what it shall print, if a block of text follows. */
function programsOfPages(project: Project): { page: string; file: string; prints: string | undefined }[] {
  const pages = [...Deno.readDirSync(new URL("docs", ROOT))].map(({ name }) => name).filter((name) =>
    name.endsWith(".md")
  );
  return pages.sort().map((name) => name.slice(0, -3)).flatMap((page) =>
    programsOf(page, page === ERRORS ? SYMPTOMS : undefined).map(({ source, prints }, index) => ({
      page,
      file: project.write(`${page}_${index}.ts`, source),
      prints,
    }))
  );
}

async function followReadme(project: Project, bin: string): Promise<void> {
  const all = programsOf("../README").map(({ source }, index) => project.write(`program${index}.ts`, source));
  await project.deno("check", ...all);
  for (const name of all) {
    const output = await project.deno("run", ...permissions(), name);
    assert(/llvmpipe|SwiftShader/.test(output), output);
  }
  assert(Deno.statSync(`${project.folder}/triangle.png`).size > 0);

  await project.deno("install", "--quiet", "-g", "-A", "-n", "pumice", "--root", bin, "jsr:@pumice/gfx/cli");
  const pumice = `${bin}/bin/pumice`;
  assertStringIncludes(await project.run(pumice, "--help"), "Commands:");
  assertStringIncludes(await project.run(pumice, "--version"), `(Deno ${Deno.version.deno}, `);
  assert(/llvmpipe|SwiftShader/.test(await project.run(pumice, "info")));
  const profile = await project.run(pumice, "run", all[1], "--layer=profile");
  assert(/vkCreateInstance .* 1 ×/.test(profile), profile); // always among the rows that are shown
  project.write("fails.ts", `import { GraphicsError } from "@pumice/gfx"; throw new TypeError(GraphicsError.name);`);
  const { code, output } = await project.output(pumice, "run", "fails.ts");
  assertEquals(code, 1);
  assertStringIncludes(output, "TypeError: GraphicsError");
}

async function followPages(project: Project): Promise<void> {
  const all = programsOfPages(project);
  const right = all.map(({ file }) => file);
  const map = JSON.parse(Deno.readTextFileSync(new URL("tools/offline_import_map.json", ROOT)));
  const own = JSON.parse(Deno.readTextFileSync(`${project.folder}/deno.json`));
  own.imports["@std/assert"] = map.imports["@std/assert"]; // as `deno add jsr:@std/assert` of docs/driver-tests.md
  project.write("deno.json", JSON.stringify(own));
  await project.deno("check", ...right, ...OWN); // at once: each check reads all declarations
  await followSymptoms(project, all.filter(({ page }) => page === ERRORS));
  for (const { page, file, prints } of all) {
    if (page === ERRORS || OTHERS.includes(page)) continue;
    const flags = [...permissions(), ...MORE[page] ?? []];
    const output = await project.deno("run", "--quiet", ...flags, file, ...ARGUMENTS[page] ?? []);
    if (prints !== undefined) assertEquals(output, prints, file);
  }
}

/** The many programs of this page are made to run one after the other in one process. */
async function followSymptoms(project: Project, all: readonly { file: string; prints: string | undefined }[]) {
  const together = project.write("all_symptoms.ts", inTurn(all.map(({ file }) => file)));
  const output = await project.deno("run", "--quiet", ...permissions(), together);
  assertEquals(saidInTurn(output), all.map(({ prints }) => prints));
}

/** The programs of this test that are right, beside those of the pages. */
const OWN = ["layer.ts", "composition.ts"];

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

const DRIVER_TEST = `import { gpuTest } from "@pumice/gfx/testing";
gpuTest("a buffer can be made", ({ buffer }) => void buffer(256));
`;

async function usesThreadsAndProcesses(project: Project, pumice: string, triangle: string): Promise<void> {
  project.write("layer.ts", LAYER);
  project.write("composition.ts", COMPOSITION);
  assertEquals(await project.deno("run", "--quiet", "-A", "composition.ts"), "composed\n");
  const checked = await project.output(pumice, "check", `--driver=${driver}`, "--json");
  const [vulkan] = JSON.parse(checked.output.slice(checked.output.indexOf("{"))).parts;
  assert(vulkan.verdicts.length > 20, checked.output); // made by a process of its own
  await project.run(pumice, "exec", "--layer=layer.ts", "--", "true");
  project.write("driver_test.ts", DRIVER_TEST);
  assertStringIncludes(
    await project.run(pumice, "test", "driver_test.ts", `--driver=${driver}`),
    "a buffer can be made",
  );
  await project.run(pumice, "record", triangle, "--out=triangle.jsonl");
  const both = [`--driver=${driver}`, `--driver=${driver}`];
  assertStringIncludes(await project.run(pumice, "compare", "triangle.jsonl", ...both), "no difference");
  const dropped = await project.output(pumice, "compare", "triangle.jsonl", ...both, "--layer-b=layer.ts");
  assertEquals(dropped.code, 1, dropped.output);
  assertStringIncludes(dropped.output, "vkCmdDraw(");
}

Deno.test("somebody with an empty folder adds the package and follows the pages word by word", {
  ignore: PARTS.some(({ ignore }) => ignore),
}, (test) =>
  withFolderAsync(async (folder) => {
    await using registry = await Registry.open(`${folder}/package`);
    const project = Project.in(folder, registry.url, { VK_DRIVER_FILES: manifestIn(folder, driver!) });
    await project.deno("add", "jsr:@pumice/gfx");
    await test.step(
      "README's programs are right and run, and the command line is installed",
      () => followReadme(project, folder),
    );
    await test.step(
      "what the package runs in other threads and processes comes from the package, too",
      () => usesThreadsAndProcesses(project, `${folder}/bin/pumice`, "program2.ts"),
    );
    await test.step("the pages' programs are right and run with README's permissions", () => followPages(project));
  }));
