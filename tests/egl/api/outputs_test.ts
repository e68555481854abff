import { assert, assertEquals, assertThrows } from "@std/assert";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { openBlocks } from "../../../ffi/block.ts";
import { openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { openContext } from "../context.ts";
import { plainProgram, program } from "../draw.ts";
import { drivers, mesa } from "../drivers.ts";
import { changedDriver } from "../fake_driver.ts";

const onMesa = needs(mesa.part, mesa.found || undefined);

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`queries return one value or several, by their names, on ${driver.name}`, part, () => {
    using opened = openContext(driver, [3, 0]);
    const { gl } = opened;
    gl.glClearColor(0.25, 0.5, 0.75, 1);
    gl.glColorMask(true, false, true, true);
    gl.glScissor(1, 2, 3, 4);
    assertEquals(gl.glGetFloatv(g.GL_COLOR_CLEAR_VALUE), [0.25, 0.5, 0.75, 1]);
    assertEquals(gl.glGetBooleanv(g.GL_COLOR_WRITEMASK), [true, false, true, true]);
    assertEquals(gl.glGetIntegerv(g.GL_SCISSOR_BOX), [1, 2, 3, 4]);
    assertEquals(gl.glGetIntegerv(g.GL_MAX_VIEWPORT_DIMS).length, 2);
    assertEquals([gl.glGetIntegerv(g.GL_MAJOR_VERSION), gl.glGetBooleanv(g.GL_DEPTH_TEST)], [3, false]);
    assert(gl.glGetInteger64v(g.GL_MAX_ELEMENT_INDEX) > 0xffffn);
    assertEquals(
      gl.glGetIntegerv(g.GL_COMPRESSED_TEXTURE_FORMATS).length,
      gl.glGetIntegerv(g.GL_NUM_COMPRESSED_TEXTURE_FORMATS),
    );
    assertEquals(gl.glGetError(), g.GL_NO_ERROR);
    assertEquals([gl.glGetIntegerv(0x7777), gl.glGetError()], [0, g.GL_INVALID_ENUM]);
  });

  Deno.test(`names are made and deleted as arrays on ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { gl } = opened, names = gl.glGenBuffers(3);
    assertEquals(new Set(names).size, 3);
    for (const name of names) gl.glBindBuffer(g.GL_ARRAY_BUFFER, name);
    assertEquals(names.map((name) => gl.glIsBuffer(name)), [true, true, true]);
    gl.glDeleteBuffers(names.slice(1));
    gl.glDeleteBuffers(new Uint32Array([0]));
    assertEquals(names.map((name) => gl.glIsBuffer(name)), [true, false, false]);
  });

  Deno.test(`programs answer queries for their variables on ${driver.name}`, part, () => {
    using opened = openContext(driver, [3, 0]);
    const { gl } = opened, used = plainProgram(gl);
    assertEquals(gl.glGetActiveUniform(used, 0), { size: 1, type: g.GL_FLOAT_VEC4, name: "color" });
    assertEquals(gl.glGetActiveAttrib(used, 0), { size: 1, type: g.GL_FLOAT_VEC4, name: "at" });
    assertEquals(gl.glGetAttachedShaders(used, 8).length, 2);
    const location = gl.glGetUniformLocation(used, "color");
    gl.glUseProgram(used);
    gl.glUniform4f(location, 1, 2, 3, 4);
    assertEquals(gl.glGetUniformfv(used, location), [1, 2, 3, 4]);
    assertEquals(gl.glGetUniformIndices(used, ["color", "none"]), [0, 0xffffffff]);
    assertEquals(gl.glGetUniformLocation(used, "none"), -1);
    assertEquals(gl.glGetShaderPrecisionFormat(g.GL_FRAGMENT_SHADER, g.GL_HIGH_FLOAT).range.length, 2);
  });

  Deno.test(`a shader's errors and long sources come back as strings on ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { gl } = opened, shader = gl.glCreateShader(g.GL_VERTEX_SHADER);
    gl.glShaderSource(shader, ["void main() { ", "oops", " }"]);
    gl.glCompileShader(shader);
    assertEquals(gl.glGetShaderiv(shader, g.GL_COMPILE_STATUS), 0);
    assert(/error/i.test(gl.glGetShaderInfoLog(shader)));
    assertEquals(gl.glGetShaderSource(shader), "void main() { oops }");
    const long = `// ${"x".repeat(5000)}\nvoid main() {}`;
    gl.glShaderSource(shader, long);
    assertEquals(gl.glGetShaderSource(shader), long);
  });

  Deno.test(`glReadPixels() knows how much a format takes on ${driver.name}`, part, () => {
    using opened = openContext(driver, [3, 0]);
    const { gl } = opened, whole = new Uint8Array(16 * 16 * 4), rows = new Uint8Array(16 * 32 * 4);
    assertEquals(gl.glReadPixels(0, 0, 16, 16, g.GL_RGBA, g.GL_UNSIGNED_BYTE).length, whole.length);
    assertEquals(gl.glReadPixels(0, 0, 16, 16, g.GL_RGBA, g.GL_UNSIGNED_BYTE, whole), whole);
    gl.glPixelStorei(g.GL_PACK_ROW_LENGTH, 32);
    assertThrows(
      () => gl.glReadPixels(0, 0, 16, 16, g.GL_RGBA, g.GL_UNSIGNED_BYTE, whole),
      RangeError,
      'Cannot use 1024 elements as "pixels": the command reads 1984',
    );
    gl.glReadPixels(0, 0, 16, 16, g.GL_RGBA, g.GL_UNSIGNED_BYTE, rows);
    assertEquals(gl.glGetError(), g.GL_NO_ERROR);
    assertThrows(
      () => gl.glTexImage2D(g.GL_TEXTURE_2D, 0, g.GL_RGB, 4, 4, 0, g.GL_RGB, g.GL_UNSIGNED_BYTE, new Uint8Array(47)),
      RangeError,
      "the command reads 48",
    );
  });

  Deno.test(`configurations and surfaces answer queries on ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { egl, display, config, surface, context } = opened, configs = egl.eglGetConfigs(display);
    assert(configs.includes(config));
    assertEquals(egl.eglGetConfigAttrib(display, config, e.EGL_RED_SIZE), 8);
    assertEquals([e.EGL_WIDTH, e.EGL_HEIGHT].map((name) => egl.eglQuerySurface(display, surface, name)), [16, 16]);
    assertEquals(egl.eglQueryContext(display, context, e.EGL_CONTEXT_CLIENT_TYPE), e.EGL_OPENGL_ES_API);
    assertEquals(egl.eglChooseConfig(display, { [e.EGL_RED_SIZE]: 77 }), []);
    assertEquals(egl.eglQueryAPI(), e.EGL_OPENGL_ES_API);
  });

  Deno.test(`sync objects work by the commands of EGL 1.5 and of the extension on ${driver.name}`, part, () => {
    using opened = openContext(driver, [3, 0]);
    const { egl, gl, display } = opened;
    for (
      const sync of [egl.eglCreateSync(display, e.EGL_SYNC_FENCE), egl.eglCreateSyncKHR(display, e.EGL_SYNC_FENCE_KHR)]
    ) {
      assertEquals(
        egl.eglClientWaitSync(display, sync, e.EGL_SYNC_FLUSH_COMMANDS_BIT, e.EGL_FOREVER),
        e.EGL_CONDITION_SATISFIED,
      );
      assertEquals(egl.eglGetSyncAttrib(display, sync, e.EGL_SYNC_STATUS), BigInt(e.EGL_SIGNALED));
      assertEquals(egl.eglGetSyncAttribKHR(display, sync, e.EGL_SYNC_STATUS_KHR), e.EGL_SIGNALED);
      egl.eglWaitSync(display, sync, 0);
      egl.eglDestroySync(display, sync);
    }
    const sync = gl.glFenceSync(g.GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.glFlush();
    assert(gl.glClientWaitSync(sync, g.GL_SYNC_FLUSH_COMMANDS_BIT, 1e9) !== g.GL_WAIT_FAILED);
    assertEquals(gl.glGetSynciv(sync, g.GL_SYNC_STATUS, 4), [g.GL_SIGNALED]);
    gl.glDeleteSync(sync);
  });
}

Deno.test("glGetDebugMessageLog() returns separate messages", onMesa, () => {
  using opened = openContext(mesa, [3, 2]);
  const { gl } = opened, kind = [g.GL_DEBUG_SOURCE_APPLICATION, g.GL_DEBUG_TYPE_MARKER] as const;
  gl.glEnable(g.GL_DEBUG_OUTPUT);
  gl.glGetDebugMessageLog(64);
  gl.glDebugMessageInsert(...kind, 7, g.GL_DEBUG_SEVERITY_HIGH, "one");
  gl.glDebugMessageInsert(...kind, 8, g.GL_DEBUG_SEVERITY_HIGH, "two");
  const [source, type] = kind, severity = g.GL_DEBUG_SEVERITY_HIGH;
  assertEquals(gl.glGetDebugMessageLog(8), [
    { source, type, id: 7, severity, message: "one" },
    { source, type, id: 8, severity, message: "two" },
  ]);
});

Deno.test("glDebugMessageCallback() calls a function until the function is replaced", onMesa, () => {
  using opened = openContext(mesa, [3, 2]);
  const { gl, said } = opened, told: string[] = [];
  const insert = (text: string) =>
    gl.glDebugMessageInsert(g.GL_DEBUG_SOURCE_APPLICATION, g.GL_DEBUG_TYPE_MARKER, 1, g.GL_DEBUG_SEVERITY_HIGH, text);
  gl.glEnable(g.GL_DEBUG_OUTPUT);
  gl.glEnable(g.GL_DEBUG_OUTPUT_SYNCHRONOUS);
  gl.glDebugMessageCallback(({ message }) => {
    told.push(message);
    if (message === "bad") throw new Error("oops");
  });
  insert("good");
  insert("bad");
  gl.glDebugMessageCallback(null);
  insert("late");
  assertEquals(told, ["good", "bad"]);
  assertEquals(said, ["a debug callback threw: Error: oops"]);
  assertThrows(() => gl.glDebugMessageCallback("x" as never), TypeError, 'Cannot use x as "callback"');
});

Deno.test("a driver of EGL 1.4 has the sync objects of the extension under both names", onMesa, () => {
  const missing = Object.fromEntries(
    ["CreateSync", "DestroySync", "ClientWaitSync", "GetSyncAttrib", "WaitSync"].map((
      name,
    ) => [`egl${name}`, undefined]),
  );
  using opened = openContext(mesa, [3, 0], { driver: changedDriver(mesa.open(), missing) });
  const { egl, display } = opened, sync = egl.eglCreateSync(display, e.EGL_SYNC_FENCE);
  assertEquals(egl.eglClientWaitSync(display, sync, 0, e.EGL_FOREVER), e.EGL_CONDITION_SATISFIED);
  assertEquals(egl.eglGetSyncAttrib(display, sync, e.EGL_SYNC_TYPE), BigInt(e.EGL_SYNC_FENCE));
  egl.eglWaitSync(display, sync, 0);
  egl.eglDestroySync(display, sync);
  const reusable = egl.eglCreateSync(display, e.EGL_SYNC_REUSABLE_KHR, []);
  egl.eglDestroySync(display, reusable);
});

Deno.test("program binaries can be read and loaded again", onMesa, () => {
  using opened = openContext(mesa, [3, 0]);
  const { gl } = opened, used = plainProgram(gl), size = gl.glGetProgramiv(used, g.GL_PROGRAM_BINARY_LENGTH);
  const { binaryFormat, binary } = gl.glGetProgramBinary(used, size);
  const other = gl.glCreateProgram(), bytes = binary as Uint8Array;
  assert(bytes.length > 0 && bytes.length <= size);
  gl.glProgramBinary(other, binaryFormat, bytes, bytes.length);
  assertEquals(gl.glGetProgramiv(other, g.GL_LINK_STATUS), 1);
});

Deno.test("wrong values are refused with the parameter's name", onMesa, () => {
  using opened = openContext(mesa, [3, 1]);
  const { gl } = opened, wrong = "x" as never;
  assertThrows(() => gl.glClear(wrong), TypeError, 'Cannot use "x" as "mask": give a number');
  assertThrows(() => gl.glBufferSubData(g.GL_ARRAY_BUFFER, 0.5, 4, null), TypeError, 'Cannot use 0.5 as "offset"');
  assertThrows(() => gl.glShaderSource(1, 5 as never), TypeError, 'Cannot use 5 as "string"');
  assertThrows(() => gl.glUniformMatrix4fv(0, false, new Float32Array(15)), TypeError, "give a multiple of 16");
  assertThrows(() => gl.glTexParameterfv(1, 2, wrong), TypeError, 'Cannot use "x" as "params"');
  assertThrows(() => program(gl, [g.GL_VERTEX_SHADER, "oops"]), Error, "error");
});

Deno.test("a closed loader leaves no memory and no file open", onMesa, () => {
  const use = () => {
    using opened = openContext(mesa, [3, 0]);
    const { gl, egl, display, config } = opened, at = 0;
    plainProgram(gl);
    gl.glVertexAttribPointer(at, 2, g.GL_FLOAT, false, 0, new Float32Array(600));
    egl.eglGetProcAddress("eglQueryString");
    egl.eglGetProcAddress("glClear");
    egl.eglCreateContext(display, config, 0n, { [e.EGL_CONTEXT_CLIENT_VERSION]: 2 });
    egl.eglCreatePbufferSurface(display, config, {});
  };
  use();
  const before = [openFiles(), openBlocks()];
  use();
  assertEquals([openFiles(), openBlocks()], before);
});
