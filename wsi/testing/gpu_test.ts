import { runTask } from "./child.ts";
import type { GpuTestContext } from "./context.ts";
import { findDrivers } from "./find_drivers.ts";
import { checkTestOptions, type GpuTestOptions, type GpuTestSpec, type NamedDriver } from "./options.ts";
import { NO_DEVICE } from "../gpu/device.ts";
import { type GpuTestResult, matrixText, resultText } from "./report.ts";
import { writeRepro } from "./repro.ts";
import { type Ending, supervise } from "./supervise.ts";
import { ownTask, variable } from "./task.ts";
import { noteSpec } from "./specs.ts";

/** How long a test may take by default, in milliseconds. */
const TIMEOUT = 60_000;

const results: GpuTestResult[] = [];
/** Drivers that have no device on this machine: the next tests need not try. */
const deviceless = new Map<string, string>();

/**
 * Defines a test that runs on every driver: a `Deno.test` for each driver, named `NAME (DRIVER)`. Each test runs in a
 * process of its own, so a driver that crashes or hangs fails only its own test. A test that fails leaves pictures and
 * a script that runs the test again in `out/gpu-tests`. After the last test of a file, a table lists all results. Each
 * process loads the test's file again: code outside of the tests runs there, too.
 *
 * @throws when the file already has a test of that name.
 *
 * @example A buffer that a shader fills
 * ```ts ignore
 * import { gpuTest } from "@pumice/gfx/testing";
 * import { assertEquals } from "@std/assert";
 * import { squares } from "./shaders.ts";
 *
 * gpuTest("squares are computed", { budget: { gpu: 5 } }, ({ buffer, compute }) => {
 *   const numbers = buffer(new Uint32Array([1, 2, 3, 4]));
 *   compute({ shader: squares, bindings: [numbers] });
 *   assertEquals([...numbers.words], [1, 4, 9, 16]);
 * });
 * ```
 */
export function gpuTest(
  name: string,
  options: GpuTestOptions,
  body: (context: GpuTestContext) => void | Promise<void>,
): void {
  checkTestOptions(options);
  const spec = { name, options, body, file: Deno.mainModule }, task = ownTask();
  if (noteSpec(spec)) return;
  if (task) {
    if (task.name === name) queueMicrotask(() => runTask(task, spec));
    return;
  }
  reportAtEnd();
  const drivers = findDrivers(options);
  if (drivers.length === 0) noDriver(name);
  for (const [index, driver] of drivers.entries()) {
    Deno.test({
      name: `${name} (${driver.name})`,
      ignore: options.ignore,
      fn: (test) => run(test, spec, driver, index === 0),
    });
  }
}

/** Returns the results of this file's tests so far, in order. */
export function gpuTestResults(): readonly GpuTestResult[] {
  return results;
}

function noDriver(name: string): void {
  Deno.test({ name: `${name} (no driver was found)`, ignore: true, fn() {} });
}

async function run(
  test: Deno.TestContext,
  spec: GpuTestSpec<GpuTestContext>,
  driver: NamedDriver,
  leads: boolean,
): Promise<void> {
  const without = deviceless.get(driver.path);
  const ending: Ending = without
    ? { outcome: { status: "skipped", reason: without }, output: "" }
    : await supervise(spec.file, { name: spec.name, driver, leads }, spec.options.timeout ?? TIMEOUT);
  if (ending.output !== "") console.log(ending.output.trimEnd());
  const result = resultOf(spec, driver, ending);
  results.push(result);
  if (result.status === "skipped") return skip(test, driver, result.reason!);
  if (result.status !== "passed") throw new GpuTestFailure(resultText(result));
}

function resultOf(spec: GpuTestSpec<never>, driver: NamedDriver, { outcome, died }: Ending): GpuTestResult {
  const { how: status, reason } = died ?? {}, name = { test: spec.name, driver: driver.name };
  const result: GpuTestResult = outcome ? { ...name, ...outcome } : { ...name, status: status!, reason };
  if (result.status === "passed" || result.status === "skipped") return result;
  return { ...result, repro: writeRepro(spec, driver, result) };
}

/** Deno knows no test that finds out that it is not to run; a step that is ignored says why. */
async function skip(test: Deno.TestContext, driver: NamedDriver, reason: string): Promise<void> {
  if (reason === NO_DEVICE) deviceless.set(driver.path, reason);
  await test.step({ name: `skipped: ${driver.name} ${reason}`, ignore: true, fn() {} });
}

/** A test that failed in its own process; the stack there is in the message. */
class GpuTestFailure extends Error {
  override readonly name = "GpuTestFailure";

  constructor(message: string) {
    super(message);
    this.stack = `${this.name}: ${message}`;
  }
}

let reports = false;

/** The table of all comes behind the last test; data go where PUMICE_GPU_REPORT says. */
function reportAtEnd(): void {
  if (reports) return;
  reports = true;
  Deno.test.afterAll(() => {
    if (results.length === 0) return;
    console.log(matrixText(results));
    const path = variable("PUMICE_GPU_REPORT");
    if (path) Deno.writeTextFileSync(path, JSON.stringify(results, null, 2));
  });
}
