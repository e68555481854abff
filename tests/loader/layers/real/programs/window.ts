/**
 * Draws the demo's scene into a window below native layers: `window.ts DRIVER
 * FOLDER WIDTHxHEIGHT FRAMES above|below LAYER...`, with an X server in
 * `DISPLAY`. Leaves the pictures in FOLDER and prints what a TypeScript layer
 * above or below the native ones counted.
 *
 * @module
 */
import { counter } from "./counter.ts";
import { show } from "./show.ts";

const [driver, folder, extent, frames, place, ...native] = Deno.args;
const [width, height] = extent.split("x").map(Number);
const { layer, counts } = counter(place);
const layers = place === "above" ? [layer, ...native] : [...native, layer];
show({ driver, folder, size: { width, height }, frames: Number(frames), layers });
console.log(JSON.stringify(counts));
