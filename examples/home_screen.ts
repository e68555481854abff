/**
 * A telephone's home screen: five layers, a simulated panel, and who composes
 * each layer.
 *
 * ```sh
 * deno run --allow-ffi --allow-write=out examples/home_screen.ts
 * ```
 *
 * out/home_screen.png shows the panel. For each layer a line says which plane
 * shows the layer, or why the client composes it: first with four planes, then
 * with one. The picture is the same.
 *
 * @module
 */
import {
  createReferenceComposer,
  fourPlane,
  ManualClock,
  onePlane,
  SurfaceFlinger,
  watchFrames,
} from "@pumice/gfx/hwc";
import { callbackConsumer, CpuWindow, encodePng } from "@pumice/gfx/wsi";

const PANEL = { width: 360, height: 640, refreshRate: 60 }, BAR = 40, TWO_VSYNCS = 40_000_000n;

const clock = new ManualClock();
using composer = createReferenceComposer({ clock, panels: [{ modes: [PANEL], planes: fourPlane() }] });
using flinger = new SurfaceFlinger({ composer });
using watch = watchFrames({ composer, flinger });
let shown = new Uint8Array();
using end = new DisposableStack();
const [{ handle }] = flinger.displays;
end.defer(composer.showOn(handle!, callbackConsumer((frame) => void (shown = frame.toRgba().data))));

// Colours are 0xAABBGGRR.
painted("wallpaper", 0, 0, PANEL.height, (x, y) => 0xff000000 | (y / 3 + 40) << 16 | (x / 4 + 60) << 8 | 90);
painted("app", 1, 120, 360, (x, y) => (x >> 5 ^ y >> 5) & 1 ? 0xfff0f0f0 : 0xffd0e8ff);
painted("status bar", 2, 0, BAR, () => 0xa0000000);
painted("navigation bar", 3, PANEL.height - BAR, BAR, (x) => Math.abs(x - 180) < 40 ? 0xffffffff : 0xa0000000);
flinger.createLayer({
  name: "notification",
  z: 4,
  color: { r: 0.1, g: 0.4, b: 0.2, a: 1 },
  alpha: 0.8,
  position: { x: 20, y: 60 },
  size: { width: 320, height: 80 },
});

const before = frame("four planes");
composer.setPlanes(handle!, onePlane());
flinger.layers[1].set({ alpha: 1 }); // any change wakes the flinger
const after = frame("one plane");
console.log(`the pictures are ${before.every((byte, index) => byte === after[index]) ? "the same" : "different"}`);
Deno.mkdirSync("out", { recursive: true });
Deno.writeFileSync("out/home_screen.png", encodePng({ ...PANEL, data: after }));

/** A layer as wide as the panel that the processor paints once. */
function painted(name: string, z: number, top: number, height: number, color: (x: number, y: number) => number): void {
  const window = { width: PANEL.width, height };
  const layer = flinger.createLayer({ name, z, position: { x: 0, y: top }, window });
  new CpuWindow(layer.window!).drawPixels((pixels, stride) => {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < PANEL.width; x++) pixels[y * stride + x] = color(x, y);
    }
  });
}

/** Lets the panel show what there is, and says who composed what. */
function frame(title: string): Uint8Array {
  clock.advance(TWO_VSYNCS);
  console.log(`${title}:`);
  for (const { name, reason } of watch.report()[0].layers) console.log(`  ${name}: ${reason}`);
  return shown;
}
