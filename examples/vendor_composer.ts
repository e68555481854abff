/**
 * A vendor's composer module behind hwcomposer2.h, brought up with Android's
 * client. Without a module, a simulated composer is exported as one, so that
 * every call goes through C and back.
 *
 * ```sh
 * deno run --allow-ffi --allow-read --allow-write=out examples/vendor_composer.ts
 * ```
 *
 * It prints the module's display and the functions that the module lacks, and
 * shows ten frames. out/vendor_composer.png is the panel of the simulated
 * composer. `examples/vendor_composer.ts /vendor/lib64/hw/hwcomposer.x.so` opens
 * a module of yours.
 *
 * @module
 */
import { createReferenceComposer, exportHwc2, missingFunctions, openHwc2, SurfaceFlinger } from "@pumice/gfx/hwc";
import { callbackConsumer, CpuWindow, encodePng } from "@pumice/gfx/wsi";

const PANEL = { width: 320, height: 240, refreshRate: 60 }, FRAMES = 10, ORANGE = 0xff0080ff, DARK = 0xff402010;

const [path] = Deno.args;
using simulated = path ? undefined : createReferenceComposer({ panels: [{ modes: [PANEL] }] });
using exported = simulated && exportHwc2(simulated);
await using composer = openHwc2(path ?? exported!.module);
const lacking = missingFunctions((descriptor) => composer.getFunction(descriptor) !== undefined);
console.log(`required functions that are missing: ${lacking.join(", ") || "none"}`);

await using flinger = new SurfaceFlinger({ composer, log: console.error });
await flinger.settled();
const [display] = flinger.displays;
console.log(`display "${display.name}": ${display.width} × ${display.height}`);
using end = new DisposableStack();
let panel: Uint8Array | undefined;
if (simulated) {
  const consumer = callbackConsumer((frame) => void (panel = frame.toRgba().data));
  end.defer(simulated.showOn(display.handle!, consumer));
}

const { width, height } = display, bar = Math.floor(width / FRAMES);
const layer = flinger.createLayer({ name: "growing bar", window: { width, height } });
const painter = new CpuWindow(layer.window!);
for (let frame = 0; frame < FRAMES;) {
  const isDrawn = painter.drawPixels((pixels, stride) => {
    for (let at = 0; at < pixels.length; at++) pixels[at] = at % stride < (frame + 1) * bar ? ORANGE : DARK;
  });
  if (isDrawn) frame++;
  do await new Promise((done) => setTimeout(done, 1)); while (flinger.statistics.latched < frame);
}
await flinger.settled();
console.log(`${flinger.statistics.latched} frames were shown`);
if (panel) {
  Deno.mkdirSync("out", { recursive: true });
  Deno.writeFileSync("out/vendor_composer.png", encodePng({ ...PANEL, data: panel }));
}
