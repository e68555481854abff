import { assert, assertEquals } from "@std/assert";
import { loadVulkan } from "../../loader/mod.ts";
import { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES } from "../../loader/vk.ts";
import { lavapipePath, swiftshaderPath } from "../../tools/setup/parts.ts";
import { commandLine as cli } from "../support/command_line.ts";
import { count } from "../support/counts.ts";
import { needs } from "../support/require.ts";
import { runDeno } from "../support/subprocess.ts";
import { withFolder } from "../support/temporary.ts";

const FOLDER = "docs/internals/found", ROOT = new URL("../../", import.meta.url).pathname;
const PAGE = Deno.readTextFileSync(`${ROOT}docs/internals/found.md`);
const DRIVERS = [lavapipePath(), swiftshaderPath()];
const BOTH = needs("Mesa lavapipe and SwiftShader", DRIVERS.every((path) => path !== undefined) || undefined);
const DENO_TEST = ["test", "-A", "--no-check", "--import-map=tools/offline_import_map.json"];
/** The number of random programs that are compared: the faults of the page were found in many more. */
const PROGRAMS = count(2, 10, 25);
/** The versions that the page is about. */
const VERSIONS = ["Mesa 22.3", "5.0.0"];

/** The files of tests that the page's table names, each with the driver that is wrong. */
const ROWS = [...PAGE.matchAll(/^\| .*\| (\w+) +\| \[(\w+\.ts)\]\(found\/\2\) +\|$/gm)]
  .map(([, wrong, file]) => ({ wrong, file }));

/** A driver's words about its version. */
function versionOf(driver: string): string {
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: vulkan.vkEnumerateInstanceVersion() } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const { pNext: [{ driverInfo }], properties: { driverVersion: version } } = gpu.vkGetPhysicalDeviceProperties2([
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
  ]);
  return `${driverInfo} ${version >>> 22}.${version >>> 12 & 0x3ff}.${version & 0xfff}`;
}

const found = BOTH.ignore ? [] : DRIVERS.map((path) => versionOf(path!));
const other = found.find((version, index) => !version.includes(VERSIONS[index]));
const options = { ignore: BOTH.ignore || other !== undefined };
/** Says in a test's name why the test is left out. */
const unless = other === undefined ? "" : `, which this machine does not have but ${other}`;

Deno.test("each test of the page about faults is in its table", () => {
  const files = [...Deno.readDirSync(`${ROOT}${FOLDER}`)].map(({ name }) => name);
  const tests = files.filter((name) => name.endsWith(".ts") && name !== "parts.ts");
  assertEquals(ROWS.map(({ file }) => file).sort(), tests.sort());
});

Deno.test(`each fault of the page shows on the driver that is wrong, and there alone${unless}`, options, () => {
  withFolder((folder) => {
    const env = { PUMICE_DRIVERS: DRIVERS.join(":"), PUMICE_GPU_OUT: folder };
    const { output } = runDeno([...DENO_TEST, ...ROWS.map(({ file }) => `${FOLDER}/${file}`)], { env });
    for (const { wrong, file } of ROWS) {
      const [, text] = output.split(`running 2 tests from ./${FOLDER}/${file}\n`);
      const outcomes = [...(text ?? "").matchAll(/ \((lvp|swiftshader)\) \.\.\. (ok|FAILED) /g)].slice(0, 2);
      const right = wrong === "lavapipe" ? ["FAILED", "ok"] : ["ok", "FAILED"];
      assertEquals(outcomes.map(([, driver, outcome]) => [driver, outcome]), [
        ["lvp", right[0]],
        ["swiftshader", right[1]],
      ], `${file}: ${output}`);
    }
  });
});

Deno.test(`cli fuzz is quiet about the faults of the page with its file of known ones${unless}`, options, async () => {
  const args = ["fuzz", ...DRIVERS.map((path) => `--driver=${path}`), `--known=${ROOT}${FOLDER}/known.txt`, "--json"];
  const { code, text } = await cli(...args, `--programs=${PROGRAMS}`, "--seed=0", "--actions=8"),
    outcome = JSON.parse(text);
  assertEquals([code, outcome.programs, outcome.findings], [0, PROGRAMS, []], text);
  assert(outcome.known > 0, text);
});
