import { writeWhole } from "../../../ffi/file/whole_file.ts";
import { ownFlags } from "../../process/own_flags.ts";
import type { GpuTestOutline, NamedDriver } from "./options.ts";
import { outputFolder, slug } from "./places.ts";
import type { GpuTestResult } from "./report.ts";
import { bundledRepro, type ReproWords } from "./repro_bundle.ts";

/** The files with which a failed test can run again. */
export interface Repro {
  /** The command that runs the script. */
  readonly command: string;
  /**
   * The script as one file that needs nothing of this machine but a driver; `undefined` if the script could not be
   * bundled.
   */
  readonly bundle: string | undefined;
}

/** The path of the scripts of a test on a driver, without an extension. */
function reproPath(spec: GpuTestOutline, driver: NamedDriver): string {
  return `${outputFolder(spec)}/${slug(spec.name)}.${slug(driver.name)}.repro`;
}

/** Writes a script that runs a test on a driver again, in one process and without a watchdog, and bundles it. */
export async function writeRepro(
  spec: GpuTestOutline,
  driver: NamedDriver,
  result: GpuTestResult,
): Promise<Repro> {
  const base = reproPath(spec, driver), path = `${base}.ts`, flags = ownFlags(spec.file);
  const command = ["deno", "run", ...flags, path].map(quoted).join(" ");
  Deno.mkdirSync(outputFolder(spec), { recursive: true });
  writeWhole(path, reproText(spec, driver, result, command));
  const bundle = `${base}.js`,
    text = await bundledRepro(programOf(spec.file, driver.twin), wordsOf(spec, driver), flags);
  if (text === undefined) return { command, bundle: undefined };
  writeWhole(bundle, text);
  return { command, bundle };
}

/** Removes the files of an earlier failure of a test. */
export function removeRepro(spec: GpuTestOutline, driver: NamedDriver): void {
  for (const ending of ["ts", "js"]) {
    try {
      Deno.removeSync(`${reproPath(spec, driver)}.${ending}`);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/** The text of the script. */
export function reproText(
  spec: GpuTestOutline,
  driver: NamedDriver,
  result: GpuTestResult,
  command: string,
): string {
  const { status, device = "no device", reason = "" } = result, [first] = reason.split("\n");
  return `// ${JSON.stringify(spec.name)} ${status} on ${driver.name}: ${device}.
// ${first.slice(0, 200)}
//
// Run it again, here or below a debugger (gdb --args …):
//   ${command}
// Words behind that are layers to put on top, such as VK_LAYER_KHRONOS_validation.
// The file of the same name that ends in .js runs on other machines: deno run -A FILE --driver=LIBRARY

${programOf(spec.file, driver.twin)(wordsOf(spec, driver))}`;
}

function wordsOf(spec: GpuTestOutline, driver: NamedDriver): ReproWords {
  return { test: spec.name, driver: driver.name, library: driver.path };
}

/** Returns the script without the comment about the failure, by the words that tests of a file differ in. */
function programOf(file: string, twin: string | undefined): (words: ReproWords) => string {
  const here = JSON.stringify(import.meta.resolve("./mod.ts")),
    loader = JSON.stringify(import.meta.resolve("../../../loader/mod.ts"));
  const option = JSON.stringify(import.meta.resolve("../../process/twin_option.ts"));
  const [twinImport, twinLayer] = twin === undefined
    ? ["", ""]
    : [`import { twinNamed } from ${option};\n`, `, twinNamed(${JSON.stringify(twin)}, console.error).layer`];
  return ({ test, driver, library }) =>
    `import { loadVulkan } from ${loader};
${twinImport}import { gpuTestOf, openGpuTest } from ${here};

const file = ${JSON.stringify(file)};
const name = ${JSON.stringify(test)};
const [own, ...layers] = Deno.args[0]?.startsWith("--driver=") ? Deno.args : ["", ...Deno.args];
const driver = { name: ${JSON.stringify(driver)}, path: own.slice("--driver=".length) || ${JSON.stringify(library)} };

// The test as its file has it: options, and the function that is its body.
const test = await gpuTestOf(file, name, () => import(${JSON.stringify(file)}));
using vulkan = loadVulkan({ driver: driver.path, layers: [...test.options.layers ?? [], ...layers${twinLayer}] });
using context = openGpuTest(vulkan, test, driver, import.meta.dirname);
console.log(context.properties.deviceName);

const start = performance.now();
try {
  await test.body(context);
  context.device.vkDeviceWaitIdle();
  console.log("passed");
} catch (error) {
  console.error(error);
  Deno.exitCode = 1;
}
console.log(\`\${(performance.now() - start).toFixed(1)} ms, of the device \${context.deviceTime()?.toFixed(2)} ms\`);
`;
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
