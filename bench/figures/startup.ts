import { loadVulkan, type Vulkan } from "../../loader/mod.ts";
import type { Figure } from "../figure.ts";
import { compare } from "../measure.ts";
import { measureNative } from "../native.ts";
import type { Parts } from "../parts.ts";

const TIMES = 20;

/** The cost of starting: a warm instance and device beside the system's loader. */
export function startupFigures({ lavapipe, c, system }: Parts): Figure[] {
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
    { name: "startup_vs_c", meaning: "ratio of the two", value: ratio, unit: "×", goal: 0.9 },
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
