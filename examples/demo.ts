/**
 * A whole frame of a Vulkan driver that TypeScript opened, dispatched and
 * profiled: shadow map, world with depth and texture, three compute passes.
 *
 * ```sh
 * deno task demo
 * ```
 *
 * The task installs what is missing first. out/demo.png shows islands of pumice
 * over an evening sea; a table lists each command with its count and time.
 *
 * Options: `--driver PATH` a driver or manifest (default: the best of this
 * machine), `--size WIDTHxHEIGHT` (default 1280x720), `--frames N` frames, a
 * tenth of a second apart (default 1), `--layer NAME` a native layer below ours,
 * `--out FILE` (default out/demo.png). Exit codes: 0 good, 1 a driver or layer
 * could not be used, 2 wrong options.
 *
 * @module
 */
import { dirname } from "node:path";
import { apiProfile } from "@pumice/gfx/layers";
import { DriverError, type Layer, type Vulkan } from "@pumice/gfx/loader";
import { VK_API_VERSION_1_0 } from "@pumice/gfx/vk";
import { encode } from "fast-png";
import { argumentsOf, countOf, sizeOf } from "./arguments.ts";
import { createRenderer } from "./draw/renderer.ts";
import { openVulkan } from "./open_vulkan.ts";
import { table } from "./table.ts";

const options = argumentsOf({
  driver: { type: "string" },
  size: { type: "string", default: "1280x720" },
  frames: { type: "string", default: "1" },
  layer: { type: "string" },
  out: { type: "string", default: "out/demo.png" },
});
const [width, height] = sizeOf(options.size), frames = countOf(options.frames);
const { layer, rows } = apiProfile();
using vulkan = open(options.driver, options.layer ? [layer, options.layer] : [layer]);
for (const finding of vulkan.explain().filter(({ subject }) => subject === "driver" || subject === "layer")) {
  console.log(`${finding.taken ? "+" : "-"} ${finding.path}\n    ${finding.reason}`);
}

const pApplicationInfo = { pApplicationName: "Pumice demo", apiVersion: VK_API_VERSION_1_0 };
using instance = vulkan.vkCreateInstance({ pApplicationInfo });
const [gpu] = instance.vkEnumeratePhysicalDevices();
console.log(`Drawing with ${gpu.vkGetPhysicalDeviceProperties().deviceName}`);

const waiting = () => Deno.stderr.writeSync(new TextEncoder().encode("."));
using renderer = createRenderer(gpu, { width, height }, waiting);
for (let frame = 0; frame < frames; frame++) {
  const start = performance.now();
  const data = renderer.draw(frame / 10);
  const file = frames === 1 ? options.out : options.out.replace(/(\.\w+)?$/, `-${String(frame).padStart(4, "0")}$1`);
  Deno.mkdirSync(dirname(file), { recursive: true });
  Deno.writeFileSync(file, encode({ width, height, data, channels: 4 }));
  console.log(`${file}: ${width}×${height} in ${(performance.now() - start).toFixed(0)} ms`);
}

console.log();
console.log(table(
  ["command", "calls", "ms in all", "µs each"],
  rows().map(({ command, calls, milliseconds }) => [
    command,
    calls,
    Number(milliseconds.toFixed(2)),
    Number((1000 * milliseconds / calls).toFixed(1)),
  ]),
));

/** Opens driver and layers; one that cannot be used ends the demo with a sentence, not with a stack trace. */
function open(driver: string | undefined, layers: (Layer | string)[]): Vulkan {
  try {
    return openVulkan(driver, layers, console.log);
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
}
