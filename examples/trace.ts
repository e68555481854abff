/**
 * Every Vulkan command that a script calls, with its arguments by name.
 *
 * ```sh
 * deno run --allow-ffi --allow-read '--allow-env=HOME,XDG_*,VK_*' examples/trace.ts
 * ```
 *
 * It prints a line for each command of a small submission: recording, submit,
 * wait. `deno run -A cli.ts trace --text SCRIPT` traces a script that knows
 * nothing of layers.
 *
 * @module
 */
import { openGpu } from "@pumice/gfx";
import { apiTrace, traceText } from "@pumice/gfx/layers";

const FILLED = 7;

const lines: string[] = [];
using trace = apiTrace({ write: (line) => lines.push(line) });
trace.enabled = false; // opening the device is not traced
using gpu = openGpu({ layers: [trace.layer] });
const buffer = gpu.buffer(64);

trace.enabled = true;
gpu.submit((commands) => commands.vkCmdFillBuffer(buffer.buffer, 0n, 64n, FILLED));
trace.enabled = false;

for (const line of await traceText(lines)) console.log(line);
console.log(`The buffer holds ${buffer.words[0]} on ${gpu.properties.deviceName}`);
