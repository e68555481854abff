/**
 * A swapchain on any driver, shown in a window of X11 or on a web page.
 *
 * ```sh
 * deno run --allow-ffi --allow-read '--allow-env=DISPLAY,HOME,XDG_*,VK_*' examples/first_window.ts
 * deno run --allow-ffi --allow-read '--allow-env=HOME,XDG_*,VK_*' --allow-net=127.0.0.1 examples/first_window.ts web
 * ```
 *
 * The first opens a window of the X server in DISPLAY, the second prints the
 * address of a page. A triangle turns until the window is closed, thirty seconds
 * at most.
 *
 * @module
 */
import { NativeWindow, openGpu, webViewer, x11Window } from "@pumice/gfx";
import { translate } from "naga-wasm";

const SIZE = { width: 480, height: 360 }, FRAMES = 1800, REFRESH = 1000 / 60;
const source = `
  @group(0) @binding(0) var<uniform> turned: vec4f;
  struct Corner { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @vertex fn corner(@builtin(vertex_index) index: u32) -> Corner {
    let angle = f32(index) * 2.0944 + turned.x;
    let color = vec3f(f32(index == 0), f32(index == 1), f32(index == 2));
    return Corner(vec4f(0.6 * sin(angle), 0.8 * cos(angle), 0, 1), color);
  }
  @fragment fn shade(corner: Corner) -> @location(0) vec4f { return vec4f(corner.color, 1); }`;
const shaders = translate({ from: "wgsl", to: "spirv", source });

const onWeb = Deno.args[0] === "web";
let isOpen = true;
const consumer = onWeb
  ? webViewer()
  : x11Window({ ...SIZE, title: "A turning triangle", onClose: () => isOpen = false });
if ("url" in consumer) console.log(`Open ${consumer.url}`);
using native = new NativeWindow({ ...SIZE, consumer });
using gpu = openGpu({ window: native });
const turned = gpu.buffer(16);

let frames = 0;
for (const start = performance.now(); frames < FRAMES && isOpen; frames++) {
  turned.floats[0] = frames / 60;
  const target = await gpu.swapchain.acquire(); // of the size that the window has now
  gpu.draw({ target, vertex: shaders, fragment: shaders, bindings: [turned], clear: [0.05, 0.05, 0.1, 1] });
  gpu.swapchain.present();
  const due = start + (frames + 1) * REFRESH - performance.now();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, due)));
}
console.log(`${frames} frames were drawn by ${gpu.properties.deviceName}`);
