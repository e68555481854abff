import { NO_DEVICE, unmetByDriver } from "../../../wsi/gpu/choice.ts";
import type { GpuTestContext } from "./context.ts";
import { findDrivers } from "./find_drivers.ts";
import { checkTestOptions, type GpuTestOptions, type GpuTestSpec, type NamedDriver } from "./options.ts";
import { factsOf, runProbe } from "./probe.ts";
import { addToReport, type GpuTestResult, matrixText, resultText } from "./report.ts";
import { updatesGoldens } from "./places.ts";
import { noteListed, noteSpec } from "./specs.ts";
import { type Listing, ownTask, type Probe, type Task, variable } from "./task.ts";

/** The place of a call: a module's address, a line and a column. */
interface Place {
  /** The address of the module. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
}

/** The place of the `depth`th caller of this function's caller; `undefined` if the stack does not contain the place. */
function callerPlace(depth: number): Place | undefined {
  const frame = new Error().stack?.split("\n")[depth + 2];
  const [, file, line, column] = /(\w+:\/.*?):(\d+):(\d+)\)?$/.exec(frame ?? "") ?? [];
  return file ? { file, line: Number(line), column: Number(column) } : undefined;
}

/**
 * Registers a test as if the call stood at a place. Deno shows the place of the
 * call of `Deno.test` in its list of failures and in JUnit files, which would
 * be a line of this package for every test.
 */
function testAt(place: Place | undefined, definition: Deno.TestDefinition): void {
  if (!place) return Deno.test(definition);
  const { file, line, column } = place;
  // Deno would take a line of the module's own address for a line of the JavaScript that it made of the module. So the
  // address has another spelling here: its last letter as a percent code.
  const filename = file.replace(/\w$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  const code = `(test, definition) =>\n${" ".repeat(column - 1)}test(definition)`;
  const { Script } = globalThis.process.getBuiltinModule("node:vm");
  new Script(code, { filename, lineOffset: line - 2 }).runInThisContext()(Deno.test, definition);
}

/** The body of a test, which gets the device and the helpers of {@linkcode GpuTestContext}. */
export type GpuTestBody = (context: GpuTestContext) => void | Promise<void>;

/** The names of this file's tests, in order. */
const order: string[] = [];
const results: GpuTestResult[] = [];
/** Drivers without a device on this machine that were reported. */
const deviceless = new Set<string>();

/**
 * Defines a test that runs on every driver: a `Deno.test` for each driver, named `NAME (DRIVER)`. Each test runs in a
 * process of its own, so a driver that crashes or hangs fails only its own test. A test that fails leaves pictures and
 * a script that runs the test again in `out/gpu-tests`. After the last test of a file, a table lists all results. Each
 * process loads the test's file again: code outside of the tests runs there, too.
 *
 * @throws when the file already has a test of that name, and a `TypeError` when `body` is no function.
 *
 * @example A buffer that a shader fills
 * ```ts ignore
 * import { gpuTest } from "@pumice/gfx/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const squares = new Uint32Array(Deno.readFileSync("squares.spv").buffer);
 * gpuTest("squares are computed", { budget: { gpu: 5 } }, ({ buffer, compute }) => {
 *   const numbers = buffer(new Uint32Array([1, 2, 3, 4]));
 *   compute({ shader: squares, bindings: [numbers] });
 *   assertEquals([...numbers.words], [1, 4, 9, 16]);
 * });
 * ```
 */
export function gpuTest(name: string, options: GpuTestOptions, body: GpuTestBody): void;
/** Defines a test that runs on every driver, with the defaults of all options. */
export function gpuTest(name: string, body: GpuTestBody): void;
export function gpuTest(name: string, first: GpuTestOptions | GpuTestBody, second?: GpuTestBody): void {
  const [options, body] = typeof first === "function" ? [{}, first] : [first, second];
  if (typeof body !== "function") {
    throw new TypeError(
      `Cannot define the test "${name}": found ${
        String(body)
      } as its function; give a function after the name or the options`,
    );
  }
  checkTestOptions(options);
  const spec = { name, options, body, file: Deno.mainModule }, task = ownTask();
  if (noteSpec(spec)) return;
  const place = callerPlace(1);
  if (task) return runOwnTask(task, spec, place?.line);
  updatesGoldens(); // an odd value is refused once, instead of by each test's process
  reportAtEnd();
  order.push(name);
  register(spec, place);
}

/**
 * Runs the test of this process. Only such a process loads the code that runs tests: the process that starts the others
 * needs no Vulkan loader.
 */
function runOwnTask(task: Task | Probe | Listing, spec: GpuTestSpec<GpuTestContext>, line: number | undefined): void {
  if ("list" in task) noteListed(task, spec, line);
  else if ("probe" in task) runProbe(task);
  else if (task.name === spec.name) void import("./child.ts").then(({ runTask }) => runTask(task, spec));
}

/**
 * Registers the test for each driver with a device. The test is ignored for a device that does not meet the
 * requirements.
 */
function register(spec: GpuTestSpec<GpuTestContext>, place: Place | undefined): void {
  const { name, options: { ignore } } = spec, drivers = findDrivers(spec.options);
  const found = drivers.map((driver) => ({ driver, reason: unmetBy(spec, driver, drivers) }));
  const usable = found.filter(({ reason }) => reason !== NO_DEVICE);
  for (const { driver, reason } of found) if (reason === NO_DEVICE) tellDeviceless(driver, place);
  for (const [index, { driver, reason }] of usable.entries()) {
    if (reason !== undefined && !ignore) note({ ...named(spec, driver), status: "skipped", reason });
    testAt(place, {
      name: `${name} (${driver.name})`,
      ignore: ignore || reason !== undefined,
      fn: () => run(spec, driver, index === 0),
    });
  }
  if (usable.length > 0) return;
  const why = drivers.length === 0 ? "no driver was found" : "no driver has a device";
  testAt(place, { name: `${name} (${why})`, ignore: true, fn() {} });
}

/**
 * The reason to skip a driver. Native layers may add missing features, so a test with layers checks the requirements
 * itself.
 */
function unmetBy(
  { options, file }: GpuTestSpec<never>,
  driver: NamedDriver,
  all: readonly NamedDriver[],
): string | undefined {
  const facts = options.ignore ? undefined : factsOf(file, driver, all);
  if (!facts) return undefined;
  return (options.layers?.length || driver.twin !== undefined) && facts.devices.length > 0
    ? undefined
    : unmetByDriver(facts, options);
}

/** Registers one ignored test for each driver without a device, instead of one for each of the tests. */
function tellDeviceless({ name, path }: NamedDriver, place: Place | undefined): void {
  if (deviceless.has(path)) return;
  deviceless.add(path);
  testAt(place, { name: `${name} ${NO_DEVICE}: no test runs on it`, ignore: true, fn() {} });
}

/**
 * Returns the results of this file's tests so far, in order.
 *
 * @example
 * ```ts ignore
 * import { gpuTest, gpuTestResults, matrixText } from "@pumice/gfx/testing";
 *
 * gpuTest("a fence is made", ({ ownedDevice }) => void ownedDevice.vkCreateFence({}));
 * Deno.test("the outcomes so far", () => console.log(matrixText(gpuTestResults())));
 * ```
 */
export function gpuTestResults(): readonly GpuTestResult[] {
  return results;
}

/** Adds a result and keeps the order of the tests: skipped tests are known before the first test has run. */
function note(result: GpuTestResult): GpuTestResult {
  results.push(result);
  results.sort((one, other) => order.indexOf(one.test) - order.indexOf(other.test));
  return result;
}

async function run(spec: GpuTestSpec<GpuTestContext>, driver: NamedDriver, leads: boolean): Promise<void> {
  const { runOn } = await import("./run_on.ts"); // a process that has a task needs none of that
  const { result, output } = await runOn(spec, { driver, leads });
  if (output !== "") console.log(output.trimEnd());
  note(result!);
  if (result!.status !== "passed" && result!.status !== "skipped") throw new GpuTestFailure(resultText(result!));
}

function named(
  { file, name }: GpuTestSpec<never>,
  driver: NamedDriver,
): Pick<GpuTestResult, "file" | "test" | "driver"> {
  return { file, test: name, driver: driver.name };
}

/** The error of a test that failed in its own process. The message contains the stack from there. */
class GpuTestFailure extends Error {
  override readonly name = "GpuTestFailure";

  constructor(message: string) {
    super(message);
    this.stack = `${this.name}: ${message}`;
  }
}

let reports = false;

/** Prints the table of all results after the last test, and writes the results to the file of PUMICE_GPU_REPORT. */
function reportAtEnd(): void {
  if (reports) return;
  reports = true;
  Deno.test.afterAll(() => {
    if (results.length === 0) return;
    console.log(matrixText(results));
    const path = variable("PUMICE_GPU_REPORT");
    if (path) addToReport(path, Deno.mainModule, results);
  });
}
