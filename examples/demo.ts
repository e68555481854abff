/**
 * A whole frame of a Vulkan driver that TypeScript opened, dispatched and
 * profiled: shadow map, world with depth and texture, three compute passes.
 *
 * ```sh
 * deno task demo
 * ```
 *
 * The task installs what is missing first. out/demo.png shows islands of pumice
 * over an evening sea; five lines name the driver, the picture, the time, the
 * commands that took longest, and what to try next.
 *
 * Options:
 *
 * - `--driver PATH`: a driver or manifest (default: the best of this machine)
 * - `--size WIDTHxHEIGHT` (default 1280x720)
 * - `--frames N`: frames, a tenth of a second apart (default 1)
 * - `--layer NAME`: a native layer below ours
 * - `--out FILE` (default out/demo.png)
 * - `--table`: lists where driver and layers were found, and each command with its count and time
 *
 * Exit codes: 0 good, 1 a driver or layer could not be used, 2 wrong options.
 *
 * @module
 */
import { dirname } from "node:path";
import { apiProfile } from "@pumice/gfx/layers";
import { DriverError, type Layer, type Vulkan, VulkanError } from "@pumice/gfx/loader";
import { VK_API_VERSION_1_0, type VkPhysicalDevice } from "@pumice/gfx/vk";
import { encode } from "fast-png";
import { argumentsOf, countOf, sizeOf } from "./arguments.ts";
import { createRenderer, type Renderer } from "./draw/renderer.ts";
import { openVulkan } from "./open_vulkan.ts";
import { table } from "./table.ts";

const options = argumentsOf({
  driver: { type: "string" },
  size: { type: "string", default: "1280x720" },
  frames: { type: "string", default: "1" },
  layer: { type: "string" },
  out: { type: "string", default: "out/demo.png" },
  table: { type: "boolean", default: false },
});
const [width, height] = sizeOf(options.size), frames = countOf(options.frames);
const { layer, rows } = apiProfile();
using vulkan = open(options.driver, options.layer ? [layer, options.layer] : [layer]);
const pApplicationInfo = { pApplicationName: "Pumice demo", apiVersion: VK_API_VERSION_1_0 };
using instance = vulkan.vkCreateInstance({ pApplicationInfo });
const [gpu] = instance.vkEnumeratePhysicalDevices();
const driver = vulkan.explain().filter(({ subject, taken }) => subject === "driver" && taken)[0];
console.log(`driver   ${gpu.vkGetPhysicalDeviceProperties().deviceName}, ${driver.path}`);

const waiting = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text));
let dots = 0;
using renderer = rendererOf(gpu);
const start = performance.now(), files: string[] = [];
for (let frame = 0; frame < frames; frame++) {
  const data = renderer.draw(frame / 10);
  const file = frames === 1 ? options.out : options.out.replace(/(\.\w+)?$/, `-${String(frame).padStart(4, "0")}$1`);
  Deno.mkdirSync(dirname(file), { recursive: true });
  Deno.writeFileSync(file, encode({ width, height, data, channels: 4 }));
  files.push(file);
}
const milliseconds = performance.now() - start;
if (dots > 0) waiting("\r"); // the next line takes the place of the dots

console.log(`picture  ${[...new Set([files[0], files.at(-1)])].join(" to ")}, ${width}×${height}`);
console.log(`time     ${milliseconds.toFixed(0)} ms`);
console.log(
  `longest  ${rows().slice(0, 3).map((row) => `${row.command} ${row.milliseconds.toFixed(1)} ms`).join(", ")}`,
);
console.log("next     --table lists every command; examples/README.md has the other programs");
if (options.table) showTable(vulkan);

/** Lists where driver and layers were looked for and found, and each command. */
function showTable(vulkan: Vulkan): void {
  console.log();
  for (const finding of vulkan.explain().filter(({ subject }) => subject === "driver" || subject === "layer")) {
    console.log(`${finding.taken ? "+" : "-"} ${finding.path}\n    ${finding.reason}`);
  }
  const cells = rows().map(({ command, calls, milliseconds }) => [
    command,
    calls,
    Number(milliseconds.toFixed(2)),
    Number((1000 * milliseconds / calls).toFixed(1)),
  ]);
  console.log(`\n${table(["command", "calls", "ms in all", "µs each"], cells)}`);
}

/** Makes the renderer; a device that cannot draw the picture ends the demo with a sentence, too. */
function rendererOf(gpu: VkPhysicalDevice): Renderer {
  try {
    return createRenderer(gpu, { width, height }, () => {
      dots++;
      waiting(".");
    });
  } catch (error) {
    if (!(error instanceof VulkanError)) throw error;
    console.error(`Cannot draw the picture on this device: ${error.message}`);
    Deno.exit(1);
  }
}

/** Opens driver and layers; one that cannot be used ends the demo with a sentence, not with a stack trace. */
function open(driver: string | undefined, layers: (Layer | string)[]): Vulkan {
  try {
    return openVulkan(driver, layers, console.error);
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
}
