import { ownFlags } from "./own_flags.ts";
import type { GpuTestSpec, NamedDriver } from "./options.ts";
import { outputFolder } from "./places.ts";
import type { GpuTestResult } from "./report.ts";
import { slug } from "./slug.ts";

/** Writes a script that runs a test on a driver again, in one process and without a watchdog; returns the command that runs it. */
export function writeRepro(spec: GpuTestSpec<never>, driver: NamedDriver, result: GpuTestResult): string {
  const folder = outputFolder(spec), path = `${folder}/${slug(spec.name)}.${slug(driver.name)}.repro.ts`;
  const command = ["deno", "run", ...ownFlags(spec.file), path].map(quoted).join(" ");
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(path, reproText(spec, driver, result, command));
  return command;
}

/** The script's text. */
export function reproText(
  spec: GpuTestSpec<never>,
  driver: NamedDriver,
  result: GpuTestResult,
  command: string,
): string {
  const here = JSON.stringify(import.meta.resolve("./mod.ts")),
    loader = JSON.stringify(import.meta.resolve("../../loader/mod.ts"));
  const { status, device = "no device", reason = "" } = result, [first] = reason.split("\n");
  return `// ${JSON.stringify(spec.name)} ${status} on ${driver.name}: ${device}.
// ${first.slice(0, 200)}
//
// Run it again, here or below a debugger (gdb --args …):
//   ${command}
// Words behind that are layers to put on top, such as VK_LAYER_KHRONOS_validation.

import { loadVulkan } from ${loader};
import { gpuTestOf, openGpuTest } from ${here};

const file = ${JSON.stringify(spec.file)};
const name = ${JSON.stringify(spec.name)};
const driver = { name: ${JSON.stringify(driver.name)}, path: ${JSON.stringify(driver.path)} };

// The test as its file has it: options, and the function that is its body.
const test = await gpuTestOf(file, name);
using vulkan = loadVulkan({ driver: driver.path, layers: [...test.options.layers ?? [], ...Deno.args] });
using context = openGpuTest(vulkan, test, driver);
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

function quoted(word: string): string {
  return /^[\w./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
