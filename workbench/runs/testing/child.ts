import { driverChoice } from "../../../loader/driver/choice.ts";
import { loadVulkan } from "../../../loader/core.ts";
import type { Layer } from "../../../loader/layer.ts";
import { commandNames, defineLayer } from "../../../loader/layers/define/define_layer.ts";
import type { Vulkan } from "../../../loader/mod.ts";
import { versionText } from "../../../loader/version.ts";
import { type Bench, openBench } from "../../../wsi/gpu/bench.ts";
import { openDevice } from "../../../wsi/gpu/device.ts";
import { Unmet } from "../../../wsi/gpu/requirements.ts";
import { endWithParent } from "../../process/end_with_parent.ts";
import { checkBudget, type GpuTestTimes, type Outcome } from "./outcome.ts";
import { type GpuTestContext, makeContext } from "./context.ts";
import { type GoldenPlace, PictureError } from "./golden.ts";
import type { GpuTestSpec, NamedDriver } from "./options.ts";
import { goldenPlace } from "./places.ts";
import { type Task, Where } from "./task.ts";

// Loaded when they are needed: Deno would read all files of a plain import("PATH") at the start.
type LoaderModule = typeof import("../../../loader/mod.ts");
type TwinOptionModule = typeof import("../../process/twin_option.ts");

/** Commands that may take long, or for ever, and commands in which drivers crash. */
const NOTED = [
  "vkCreateDevice",
  "vkCreateShaderModule",
  "vkCreateComputePipelines",
  "vkCreateGraphicsPipelines",
  "vkCreateRayTracingPipelinesKHR",
  "vkAllocateMemory",
  "vkQueueSubmit",
  "vkQueueSubmit2",
  "vkQueueSubmit2KHR",
  "vkQueueBindSparse",
  "vkQueuePresentKHR",
  "vkQueueWaitIdle",
  "vkDeviceWaitIdle",
  "vkWaitForFences",
  "vkWaitSemaphores",
  "vkWaitSemaphoresKHR",
  "vkGetQueryPoolResults",
  "vkAcquireNextImageKHR",
  "vkAcquireNextImage2KHR",
  "vkDestroyDevice",
  "vkDestroyInstance",
];

/** A layer that notes commands in a file before they are called: those that may take long, or all. */
function notingLayer(where: Where, all = false): Layer {
  const hook = (command: string) => (next: (...args: unknown[]) => unknown, ...args: unknown[]) => {
    where.note(`in ${command}`);
    const result = next(...args);
    where.rest();
    return result;
  };
  const noted = all ? commandNames() : NOTED;
  const commands = Object.fromEntries(noted.map((command) => [command, hook(command)]));
  return defineLayer({ name: "VK_LAYER_PUMICE_where", commands: commands as Layer["commands"] });
}

/** Runs this process's test, writes the outcome to a file, and ends the process. */
export async function runTask(task: Task, spec: GpuTestSpec<GpuTestContext>): Promise<never> {
  using where = new Where(task.where);
  if (!endWithParent(task.parent)) Deno.exit(1);
  const outcome = await perform(spec, {
    driver: task.driver,
    place: goldenPlace(spec, task.driver, task.leads),
    layers: [notingLayer(where, task.notesAll)],
    begin: () => where.begin(),
  });
  Deno.writeTextFileSync(task.result, JSON.stringify(outcome));
  Deno.exit(0);
}

/** The arguments with which a test runs. */
interface Performance {
  /** The driver. */
  readonly driver: NamedDriver;
  /** The place of golden files. */
  readonly place: GoldenPlace;
  /** Layers between the test's own and the driver. */
  readonly layers: readonly Layer[];
  /** Called when the driver is open and the test begins. */
  readonly begin: () => void;
}

/** Runs a test on a driver in this process, and closes everything. Never throws. */
async function perform(spec: GpuTestSpec<GpuTestContext>, how: Performance): Promise<Outcome> {
  const facts: { device?: string; measured?: GpuTestTimes } = {};
  try {
    using vulkan = await load(how, spec.options.layers ?? []);
    const bench = openBench(openDevice(vulkan, spec.options, "gpuTest"));
    using _owned = bench.owned;
    const { deviceName, apiVersion } = bench.properties;
    facts.device = `${deviceName}, Vulkan ${versionText(apiVersion)}`;
    await timed(bench, spec, how, (measured) => facts.measured = measured);
    checkBudget(facts.measured!, spec.options.budget);
    return { status: "passed", ...facts };
  } catch (error) {
    if (error instanceof Unmet) return { status: "skipped", reason: error.message, ...facts };
    const picture = error instanceof PictureError ? { picture: error.picture } : {};
    return { status: "failed", reason: reasonOf(error), ...picture, ...facts };
  }
}

/**
 * Opens the lean loader, which starts quickly; the whole loader for native layers and for a driver that is searched
 * for.
 */
async function load(
  { driver: { path: driver, twin }, layers }: Performance,
  native: readonly string[],
): Promise<Vulkan> {
  if (twin !== undefined) layers = [...layers, await twinLayer(twin)];
  if (native.length === 0 && driverChoice(driver).kind !== "auto") return loadVulkan({ driver, layers });
  const whole = await import("../../../loader/mod.ts" as string) as LoaderModule;
  return whole.loadVulkan({ driver, layers: [...native, ...layers] });
}

/** The twin of a test stands below all other layers. */
async function twinLayer(twin: string): Promise<Layer> {
  const { twinNamed } = await import("../../process/twin_option.ts" as string) as TwinOptionModule;
  return twinNamed(twin, console.error).layer;
}

async function timed(
  bench: Bench,
  spec: GpuTestSpec<GpuTestContext>,
  { place, begin }: Performance,
  done: (measured: GpuTestTimes) => void,
): Promise<void> {
  const context = makeContext(bench, place, spec.name, spec.options.tolerance);
  begin();
  const cpu = globalThis.process.cpuUsage(), wall = performance.now();
  try {
    await spec.body(context);
    bench.device.vkDeviceWaitIdle();
  } finally {
    const { user, system } = globalThis.process.cpuUsage(cpu);
    done({ gpu: bench.clock.milliseconds, cpu: (user + system) / 1000, wall: performance.now() - wall });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.stack ?? `${error.name}: ${error.message}`;
}
