/**
 * Maps buffers and tells how long their views are after each way to unmap one.
 *
 * deno run … tests/egl/api/programs/mapping.ts DRIVER
 */
import * as g from "../../../../egl/gl.ts";
import { EGL_CONTEXT_MAJOR_VERSION } from "../../../../egl/mod.ts";
import { carryOutRows } from "../../../support/rows.ts";
import { openContext } from "../../context.ts";
import { drivers } from "../../drivers.ts";

const SIZE = 16;
const opened = openContext(drivers.find(({ name }) => name === Deno.args[0])!, [3, 0]);
const { egl, gl, display, config, surface } = opened;

/** A new buffer on a target, mapped. */
function mapped(target: number): { name: number; view: Uint8Array } {
  const [name] = gl.glGenBuffers(1);
  gl.glBindBuffer(target, name);
  gl.glBufferData(target, SIZE, null, g.GL_STATIC_DRAW);
  return { name, view: gl.glMapBufferRange(target, 0, SIZE, g.GL_MAP_WRITE_BIT)! };
}

await carryOutRows({
  "two buffers on one target": () => {
    const first = mapped(g.GL_ARRAY_BUFFER), second = mapped(g.GL_ARRAY_BUFFER);
    gl.glUnmapBuffer(g.GL_ARRAY_BUFFER);
    const before = `${first.view.length} and ${second.view.length}`;
    gl.glBindBuffer(g.GL_ARRAY_BUFFER, first.name);
    gl.glUnmapBuffer(g.GL_ARRAY_BUFFER);
    return `${before}, then ${first.view.length} and ${second.view.length}`;
  },
  "another target": () => {
    const { name, view } = mapped(g.GL_COPY_READ_BUFFER);
    gl.glBindBuffer(g.GL_UNIFORM_BUFFER, name);
    gl.glUnmapBuffer(g.GL_UNIFORM_BUFFER);
    return view.length;
  },
  "a deleted buffer": () => {
    const first = mapped(g.GL_ARRAY_BUFFER), second = mapped(g.GL_ARRAY_BUFFER);
    gl.glDeleteBuffers([first.name]);
    const lengths = `${first.view.length} and ${second.view.length}`;
    gl.glDeleteBuffers([second.name]);
    return lengths;
  },
  "new data": () => {
    const { view } = mapped(g.GL_ARRAY_BUFFER);
    gl.glBufferData(g.GL_ARRAY_BUFFER, 64, null, g.GL_STATIC_DRAW);
    return view.length;
  },
  "a command that fails": () => {
    const { name, view } = mapped(g.GL_ARRAY_BUFFER);
    gl.glBufferData(g.GL_ARRAY_BUFFER, 64, null, 77);
    gl.glGetError();
    const { length } = view;
    gl.glDeleteBuffers([name]);
    return length;
  },
  "a context that shares buffers": () => {
    const { name, view } = mapped(g.GL_ARRAY_BUFFER);
    const other = egl.eglCreateContext(display, config, opened.context, { [EGL_CONTEXT_MAJOR_VERSION]: 3 });
    egl.eglMakeCurrent(display, surface, surface, other);
    gl.glDeleteBuffers([name]);
    egl.eglMakeCurrent(display, surface, surface, opened.context);
    egl.eglDestroyContext(display, other);
    return view.length;
  },
  "writing to what is gone": () => {
    const views = Array.from({ length: 50 }, () => mapped(g.GL_ARRAY_BUFFER));
    gl.glDeleteBuffers(views.map(({ name }) => name));
    for (const { view } of views) view[0] = view[SIZE - 1] = 255;
    return "written nowhere";
  },
});
opened[Symbol.dispose]();
