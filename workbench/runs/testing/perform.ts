import { driverChoice } from "../../../loader/driver/choice.ts";
import { loadVulkan } from "../../../loader/core.ts";
import type { Layer } from "../../../loader/layer.ts";
import type { Vulkan } from "../../../loader/mod.ts";
import { versionText } from "../../../loader/version.ts";
import { checkBudget } from "./budget.ts";
import { type GpuTestContext, makeContext } from "./context.ts";
import { openDevice } from "../../../wsi/gpu/device.ts";
import { type GoldenPlace, PictureError } from "./golden.ts";
import type { GpuTestSpec, NamedDriver } from "./options.ts";
import type { GpuTestTimes, Outcome } from "./outcome.ts";
import { Unmet } from "../../../wsi/gpu/requirements.ts";
import { type Bench, openBench } from "../../../wsi/gpu/bench.ts";

/** The arguments with which a test runs. */
export interface Performance {
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
export async function perform(spec: GpuTestSpec<GpuTestContext>, how: Performance): Promise<Outcome> {
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
async function load({ driver: { path: driver }, layers }: Performance, native: readonly string[]): Promise<Vulkan> {
  if (native.length === 0 && driverChoice(driver).kind !== "auto") return loadVulkan({ driver, layers });
  const whole = await import("../../../loader/mod.ts");
  return whole.loadVulkan({ driver, layers: [...native, ...layers] });
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
