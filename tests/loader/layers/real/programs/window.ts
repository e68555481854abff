/**
 * Draws the demo's scene into a window below native layers: `window.ts DRIVER
 * FOLDER FRAMES above|below LAYER...`, with an X server in `DISPLAY`. Leaves
 * the pictures in FOLDER and prints what a TypeScript layer above or below the
 * native ones counted.
 *
 * @module
 */
import { counter } from "./counter.ts";
import { show } from "./show.ts";

const [driver, folder, frames, place, ...native] = Deno.args;
const { layer, counts } = counter(place);
show({ driver, folder, frames: Number(frames), layers: place === "above" ? [layer, ...native] : [...native, layer] });
console.log(JSON.stringify(counts));
