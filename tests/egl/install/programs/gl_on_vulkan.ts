/**
 * Clears a picture with OpenGL on top of Vulkan, which a loader in a worker
 * serves and records: `gl_on_vulkan.ts DRIVER PATH [ANGLE]`. The OpenGL is Mesa's, or
 * that of ANGLE in a folder. Prints what was drawn and what the recording lacks.
 *
 * @module
 */
import { GL_COLOR_BUFFER_BIT, GL_RENDERER, GL_RGBA, GL_UNSIGNED_BYTE } from "../../../../egl/gl.ts";
import { openLibraries } from "../../../../egl/driver/library_set.ts";
import { openContext, SIDE } from "../../context.ts";
import { angle, mesa } from "../../drivers.ts";
import type { Order } from "./recording_worker.ts";

const [driver, path, folder] = Deno.args;
const open = () => openLibraries(`${folder}/libEGL.so`, "", `${folder}/libGLESv2.so`);
const worker = new Worker(new URL("recording_worker.ts", import.meta.url), { type: "module" });
await ask({ driver, path });
const drawn = draw(), recorded = await ask("end");
worker.terminate();
console.log(JSON.stringify({ ...drawn, ...recorded }));

function draw() {
  using opened = openContext(folder === undefined ? mesa : { ...angle, open });
  const { gl } = opened, pixels = new Uint8Array(4 * SIDE * SIDE);
  const renderer = gl.glGetString(GL_RENDERER);
  gl.glClearColor(0, 1, 0, 1);
  gl.glClear(GL_COLOR_BUFFER_BIT);
  gl.glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
  return { renderer, green: pixels.every((value, index) => value === [0, 255, 0, 255][index % 4]) };
}

function ask(order: Order): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(order);
  });
}
