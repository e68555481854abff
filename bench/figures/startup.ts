import { loadVulkan, type Vulkan } from "../../loader/mod.ts";
import type { Figure } from "../figure.ts";
import { compare, median } from "../measure.ts";
import { measureNative } from "../native.ts";
import type { Parts } from "../parts.ts";

const TIMES = 20, PROCESSES = 15;

/** What it takes to begin: a warm instance and device beside the system's loader, and a cold import in a process of its own. */
export async function startupFigures(parts: Parts): Promise<Figure[]> {
  return [...warmFigures(parts), ...await importFigures(parts)];
}

function warmFigures({ lavapipe, c, system }: Parts): Figure[] {
  using vulkan = loadVulkan({ driver: lavapipe }), joining = loadVulkan({ driver: [lavapipe] });
  const beside = (loader: Vulkan) =>
    compare((times) => startUp(loader, times), (times) => c.system_startup(system, times), TIMES);
  const { ours, theirs, ratio } = beside(vulkan), joined = beside(joining);
  return [
    {
      name: "startup_ms",
      meaning: "instance, devices, device, destroyed again; lavapipe, warm",
      value: ours / 1e6,
      unit: "ms",
    },
    { name: "startup_c_ms", meaning: "the same in C through the system's loader", value: theirs / 1e6, unit: "ms" },
    { name: "startup_vs_c", meaning: "ratio of the two", value: ratio, unit: "×", goal: 0.8 },
    {
      name: "startup_joined_vs_c",
      meaning: 'the same with the driver behind what lets several be one, as with "auto"',
      value: joined.ratio,
      unit: "×",
      goal: 1,
    },
    {
      name: "startup_installed_vs_c",
      meaning: "the same from C through the installed loader, which looks for drivers and layers each time",
      value: measureNative("startup", lavapipe).ratio,
      unit: "×",
      goal: 1,
    },
  ];
}

function startUp(vulkan: Vulkan, times: number): void {
  for (let i = 0; i < times; i++) {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } });
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    using _device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  }
}

/**
 * The tiny driver takes no time of its own, so the difference to an empty
 * program is ours. Most of it is Deno's cost per module, which a script that is
 * bundled into one file does not pay.
 */
async function importFigures({ tiny }: Parts): Promise<Figure[]> {
  const program = new URL("../import_program.ts", import.meta.url).pathname;
  const run = ["run", "--allow-ffi", "--no-check"], bundle = await bundled(program);
  const [empty, ours, one] = await inTurn([["eval", "0"], [...run, program, tiny], [...run, bundle, tiny]]);
  Deno.removeSync(bundle);
  const over = (times: number[]) => median(times.map((time, index) => time - empty[index]));
  const meaning = "import, instance and one buffer in a new process, over `deno eval 0`";
  return [
    { name: "import_ms", meaning, value: over(ours), unit: "ms", goal: 12 },
    {
      name: "import_bundled_ms",
      meaning: "the same, bundled into one file by `deno bundle`",
      value: over(one),
      unit: "ms",
    },
  ];
}

async function bundled(program: string): Promise<string> {
  const path = await Deno.makeTempFile({ suffix: ".js" });
  await milliseconds(["bundle", "--quiet", "--output", path, program]);
  return path;
}

/** Milliseconds of several commands, run in turn; the first two rounds fill the caches. */
async function inTurn(commands: string[][]): Promise<number[][]> {
  const times: number[][] = commands.map(() => []);
  for (let round = 0; round < PROCESSES + 2; round++) {
    for (const [index, args] of commands.entries()) times[index].push(await milliseconds(args));
  }
  return times.map((each) => each.slice(2));
}

async function milliseconds(args: string[]): Promise<number> {
  const start = performance.now();
  const { success } = await new Deno.Command(Deno.execPath(), { args, stdout: "null", stderr: "inherit" }).output();
  if (!success) throw new Error(`Cannot measure: deno ${args.join(" ")} failed`);
  return performance.now() - start;
}
