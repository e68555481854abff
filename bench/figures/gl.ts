import { NativeBlock } from "../../ffi/block.ts";
import { NameBlob } from "../../ffi/machine.ts";
import { resolveAll } from "../../egl/dispatch/fill.ts";
import { eglCommands, glCommands } from "../../egl/dispatch/names.ts";
import type { Gl, UsableDriver } from "../../egl/mod.ts";
import { openContext } from "../../tests/egl/context.ts";
import { mesa } from "../../tests/egl/drivers.ts";
import { compileC } from "../../tests/support/compile.ts";
import type { Figure } from "../figure.ts";
import { type Clock, compare, type Comparison, type Work } from "../measure.ts";
import { runBench } from "../native.ts";
import type { Parts } from "../parts.ts";
import { glLayerFigures } from "./gl_layers.ts";

const CALLS = 2_000_000, FILLS = 20, UPLOADS = 100;
const DRAWS = 1000, FRAMES = 5;
const GL_VERTEX_SHADER = 0x8B31, GL_FRAGMENT_SHADER = 0x8B30, GL_FLOAT = 0x1406;
const VERTEX = "attribute vec4 at; void main() { gl_Position = at; }";
const FRAGMENT = "precision mediump float; uniform vec4 color; void main() { gl_FragColor = color; }";
const GL_LEQUAL = 0x0203, GL_ARRAY_BUFFER = 0x8892, GL_STATIC_DRAW = 0x88E4, UPLOAD = 1 << 20;

const SYMBOLS = {
  gl_calls: { parameters: ["u64", "u32", "u32"], result: "void" }, // (command, uint32_t value, uint32_t times)
  gl_mixed: { parameters: ["u64", "u64", "u32", "u32"], result: "void" }, // (commands, order, length, times)
  gl_frames: { parameters: ["u64", "i32", "u32", "u32"], result: "void" }, // (functions, location, draws, times)
  gl_fill: { parameters: ["u64", "u64", "u64", "u64", "u32"], result: "void" }, // (library, get, names, table, count)
} as const satisfies Deno.ForeignLibraryInterface;

/** The cost of OpenGL ES commands on Mesa: beside a plain symbol, beside C, with data; and of filling every hook. */
export function glFigures({ c: { thread_milliseconds } }: Parts): Figure[] {
  const path = compileC(new URL("../c/gl.c", import.meta.url));
  if (!path || !mesa.found) {
    throw new Error(`Cannot measure without a C compiler and ${mesa.part}: run deno task setup`);
  }
  const c = Deno.dlopen(path, SYMBOLS);
  using opened = openContext(mesa);
  using driver = mesa.open();
  const figures = [
    ...callFigures(opened.gl, driver, c.symbols),
    ...frameFigures(opened.gl, driver, c.symbols),
    uploadFigure(opened.gl),
    ...fillFigures(driver, c.symbols, thread_milliseconds),
    ...glLayerFigures(c.symbols.gl_mixed),
    ...nativeFigures(),
  ];
  c.close();
  return figures;
}

type C = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

function callFigures(gl: Gl, driver: UsableDriver, c: C): Figure[] {
  const library = Deno.dlopen("libGLESv2.so.2", { glDepthFunc: { parameters: ["u32"], result: "void" } });
  const plain = loop("symbols.glDepthFunc(value)", library.symbols), address = driver.find("glDepthFunc", "gles2");
  const raw = compare(loop("symbols.glDepthFunc(value)", gl.raw), plain, CALLS);
  const typed = compare(loop("symbols.glDepthFunc(value)", gl), plain, CALLS);
  const native = compare(
    loop("symbols.glDepthFunc(value)", gl.raw),
    (times) => c.gl_calls(address, GL_LEQUAL, times),
    CALLS,
  );
  library.close();
  return [
    { name: "gl_call_ns", meaning: "cheap OpenGL ES command, raw form", value: raw.ours, unit: "ns" },
    { name: "gl_call_dlopen_ns", meaning: "the same as a plain dlopened symbol", value: raw.theirs, unit: "ns" },
    { name: "gl_call_vs_dlopen", meaning: "ratio of the two", value: raw.ratio, unit: "×", goal: 1.3 },
    { name: "gl_typed_vs_dlopen", meaning: "ratio of its typed form", value: typed.ratio, unit: "×" },
    { name: "gl_call_vs_c", meaning: "ratio to C", value: native.ratio, unit: "×", goal: 2.5 },
  ];
}

/** A thousand small triangles, each in a color of its own, as raw calls and as typed ones, beside C. */
function frameFigures(gl: Gl, driver: UsableDriver, c: C): Figure[] {
  using functions = new NativeBlock(32);
  ["glClear", "glUniform4f", "glDrawArrays", "glFinish"].forEach((name, index) =>
    functions.view.setBigUint64(8 * index, driver.find(name, "gles2"), true)
  );
  const location = prepareFrame(gl), inC = (times: number) => c.gl_frames(functions.address, location, DRAWS, times);
  const raw = compare(frame(gl.raw, location), inC, FRAMES), typed = compare(frame(gl, location), inC, FRAMES);
  return [
    { name: "gl_frame_us", meaning: `a frame of ${DRAWS} draws, raw form`, value: raw.ours / 1000, unit: "µs" },
    { name: "gl_frame_vs_c", meaning: "ratio to C", value: raw.ratio, unit: "×", goal: 1.3 },
    { name: "gl_frame_typed_vs_c", meaning: "ratio of the typed form", value: typed.ratio, unit: "×" },
  ];
}

function prepareFrame(gl: Gl): number {
  const program = gl.glCreateProgram(), corners = new Float32Array([-1, -1, -0.9, -1, -1, -0.9]);
  for (const [type, text] of [[GL_VERTEX_SHADER, VERTEX], [GL_FRAGMENT_SHADER, FRAGMENT]] as const) {
    const shader = gl.glCreateShader(type);
    gl.glShaderSource(shader, [text]);
    gl.glCompileShader(shader);
    gl.glAttachShader(program, shader);
  }
  gl.glBindAttribLocation(program, 0, "at");
  gl.glLinkProgram(program);
  gl.glUseProgram(program);
  const [buffer] = gl.glGenBuffers(1);
  gl.glBindBuffer(GL_ARRAY_BUFFER, buffer);
  gl.glBufferData(GL_ARRAY_BUFFER, corners.byteLength, corners, GL_STATIC_DRAW);
  gl.glVertexAttribPointer(0, 2, GL_FLOAT, false, 0, 0n);
  gl.glEnableVertexAttribArray(0);
  return gl.glGetUniformLocation(program, "color");
}

function frame(gl: object, location: number): Work {
  const text = `for (let i = 0; i < times; i++) {
    gl.glClear(0x4000);
    for (let at = 0; at < ${DRAWS}; at++) {
      gl.glUniform4f(location, (at & 15) / 16, 0.5, 0.25, 1);
      gl.glDrawArrays(4, 0, 3);
    }
    gl.glFinish();
  } // ${loops++}`;
  const run = new Function("gl", "location", "times", text);
  return (times) => run(gl, location, times);
}

let loops = 0;

/** A loop with a call site of its own; see `rawCalls()` of the Vulkan figures. */
function loop(call: string, symbols: object): Work {
  const run = new Function("symbols", "value", "times", `for (let i = 0; i < times; i++) ${call}; // gl ${loops++}`);
  return (times) => run(symbols, GL_LEQUAL, times);
}

/** A megabyte that lies in a typed array, used where it is, beside the same in native memory. */
function uploadFigure(gl: Gl): Figure {
  using native = new NativeBlock(UPLOAD);
  const [buffer] = gl.glGenBuffers(1), data = new Uint8Array(UPLOAD);
  gl.glBindBuffer(GL_ARRAY_BUFFER, buffer);
  gl.glBufferData(GL_ARRAY_BUFFER, UPLOAD, null, GL_STATIC_DRAW);
  const upload = (from: Uint8Array | bigint): Work => (times) => {
    for (let i = 0; i < times; i++) gl.glBufferSubData(GL_ARRAY_BUFFER, 0, UPLOAD, from);
  };
  const { ratio } = compare(upload(data), upload(native.address), UPLOADS);
  gl.glDeleteBuffers([buffer]);
  return {
    name: "gl_upload_vs_native",
    meaning: "1 MiB of a typed array, over native memory",
    value: ratio,
    unit: "×",
  };
}

/** The cost of commands that native code calls now and then, beside the system's loader. */
function nativeFigures(): Figure[] {
  const { attributes, addresses } = runBench("egl_program.ts") as Record<"attributes" | "addresses", Comparison>;
  return [
    {
      name: "egl_attribute_vs_system",
      meaning: "eglGetConfigAttrib from native code, over the system's libEGL",
      value: attributes.ratio,
      unit: "×",
      goal: 1.5,
    },
    {
      name: "egl_address_vs_system",
      meaning: "eglGetProcAddress from native code, likewise",
      value: addresses.ratio,
      unit: "×",
      goal: 1.5,
    },
  ];
}

/** Every EGL and OpenGL ES command of a driver. */
function fillFigures(driver: UsableDriver, c: C, clock: Clock): Figure[] {
  const get = driver.find("eglGetProcAddress", "egl");
  using egl = new NameBlob(eglCommands.names);
  using gl = new NameBlob(glCommands.names);
  using table = new NativeBlock(8 * gl.count);
  const { ours, theirs, ratio } = compare(
    (times) => {
      for (let i = 0; i < times; i++) {
        resolveAll(driver, "egl", eglCommands.names);
        resolveAll(driver, "gles2", glCommands.names);
      }
    },
    (times) => {
      for (let i = 0; i < times; i++) {
        c.gl_fill(driver.handle!("egl")!, get, egl.address, table.address, egl.count);
        c.gl_fill(driver.handle!("gles2")!, get, gl.address, table.address, gl.count);
      }
    },
    FILLS,
    clock,
  );
  const meaning = `finding all ${egl.count + gl.count} commands of EGL and OpenGL ES`;
  return [
    { name: "egl_table_us", meaning, value: ours / 1000, unit: "µs" },
    { name: "egl_table_c_us", meaning: "the same in C", value: theirs / 1000, unit: "µs" },
    { name: "egl_table_vs_c", meaning: "ratio of the two", value: ratio, unit: "×", goal: 1.05 },
  ];
}
