/** A program with this loader, which loads the native layer that its arguments name: driver, library, what to draw. */
import * as g from "../../../../egl/gl.ts";
import { angle, mesa } from "../../../egl/drivers.ts";
import { openContext, SIDE } from "../../../egl/context.ts";
import { scene } from "../../../egl/layers/layers.ts";

const [name, library, work, times = "1"] = Deno.args;
using opened = openContext(name === "Mesa" ? mesa : angle, [3, 0], { layers: library ? [library] : [] });
const { gl } = opened;

if (work === "scene") {
  const pixels = scene(gl);
  const floats = gl.glGetFloatv(g.GL_COLOR_CLEAR_VALUE);
  console.log(
    JSON.stringify({ floats: floats, pixels: [...pixels], side: SIDE, said: opened.said }),
  );
} else {
  let buffers = 0;
  for (let time = 0; time < Number(times); time++) {
    buffers += gl.glGenBuffers(3).length;
    gl.glBufferData(g.GL_ARRAY_BUFFER, 16, null, g.GL_STATIC_DRAW);
  }
  console.log(JSON.stringify({ buffers, error: gl.glGetError() }));
}
