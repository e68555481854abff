/**
 * An OpenGL ES scene, and a layer that shows the triangles it is made of.
 *
 * ```sh
 * deno run --allow-ffi --allow-read --allow-write=out '--allow-env=__EGL_*' examples/gles_layer.ts
 * ```
 *
 * out/gles_layer.png shows a ball twice: at the left as the scene draws it, at
 * the right below a layer that draws the edges of each triangle instead. The
 * scene knows nothing of the layer, which is attached in between.
 *
 * @module
 */
import * as egl from "@pumice/gfx/egl";
import * as g from "@pumice/gfx/gl";
import { encodePng } from "@pumice/gfx";

const SIDE = 320, RINGS = 12, SECTORS = 24, FLOATS = 3;

let triangles = 0;
const wires = egl.defineGlesLayer({
  name: "wires",
  commands: {
    glDrawArrays(next, mode, first, count) {
      if (mode !== g.GL_TRIANGLES) return next(mode, first, count);
      for (let corner = first; corner < first + count; corner += 3) next(g.GL_LINE_LOOP, corner, 3);
      triangles += count / 3;
    },
  },
});

using loader = egl.loadEgl();
const { gl } = loader, display = loader.eglGetPlatformDisplay(egl.EGL_PLATFORM_ANDROID_KHR, 0n);
loader.eglInitialize(display);
const [config] = loader.eglChooseConfig(display, {
  [egl.EGL_SURFACE_TYPE]: egl.EGL_PBUFFER_BIT,
  [egl.EGL_RENDERABLE_TYPE]: egl.EGL_OPENGL_ES2_BIT,
  [egl.EGL_RED_SIZE]: 8,
  [egl.EGL_DEPTH_SIZE]: 16,
});
const size = { [egl.EGL_WIDTH]: 2 * SIDE, [egl.EGL_HEIGHT]: SIDE };
const surface = loader.eglCreatePbufferSurface(display, config, size);
const context = loader.eglCreateContext(display, config, egl.EGL_NO_CONTEXT, { [egl.EGL_CONTEXT_MAJOR_VERSION]: 2 });
loader.eglMakeCurrent(display, surface, surface, context);

const program = linked(
  `attribute vec3 at; varying vec3 normal;
   void main() { normal = at; gl_Position = vec4(at.xy * 0.9, at.z * -0.9, 1.0); }`,
  `precision mediump float; varying vec3 normal;
   void main() {
     float light = 0.3 + 0.7 * max(dot(normalize(normal), vec3(0.48, 0.6, 0.64)), 0.0);
     gl_FragColor = vec4(vec3(0.95, 0.6, 0.35) * light, 1.0);
   }`,
);
const corners = ball();
gl.glUseProgram(program);
gl.glBindBuffer(g.GL_ARRAY_BUFFER, gl.glGenBuffers(1)[0]);
gl.glBufferData(g.GL_ARRAY_BUFFER, corners.byteLength, corners, g.GL_STATIC_DRAW);
const at = gl.glGetAttribLocation(program, "at");
gl.glEnableVertexAttribArray(at);
gl.glVertexAttribPointer(at, FLOATS, g.GL_FLOAT, false, 0, 0);
gl.glEnable(g.GL_DEPTH_TEST);
gl.glClearColor(0.1, 0.12, 0.2, 1);
gl.glClear(g.GL_COLOR_BUFFER_BIT | g.GL_DEPTH_BUFFER_BIT);
draw(0);
loader.attach(wires);
draw(SIDE);
const data = upright(gl.glReadPixels(0, 0, 2 * SIDE, SIDE, g.GL_RGBA, g.GL_UNSIGNED_BYTE));
Deno.mkdirSync("out", { recursive: true });
Deno.writeFileSync("out/gles_layer.png", encodePng({ width: 2 * SIDE, height: SIDE, data }));
console.log(`out/gles_layer.png was drawn by ${gl.glGetString(g.GL_RENDERER)}; the layer saw ${triangles} triangles`);
loader.eglTerminate(display);

/** The scene: it does not know whether there is a layer. */
function draw(left: number): void {
  gl.glViewport(left, 0, SIDE, SIDE);
  gl.glDrawArrays(g.GL_TRIANGLES, 0, corners.length / FLOATS);
}

/** Two triangles for each field between two rings and two sectors. */
function ball(): Float32Array<ArrayBuffer> {
  const point = (ring: number, sector: number) => {
    const down = Math.PI * ring / RINGS, around = 2 * Math.PI * sector / SECTORS;
    return [Math.sin(down) * Math.cos(around), Math.cos(down), Math.sin(down) * Math.sin(around)];
  };
  const fields = Array.from({ length: RINGS * SECTORS }, (_, field) => {
    const ring = Math.floor(field / SECTORS), sector = field % SECTORS;
    const [a, b, c, d] = [[0, 0], [0, 1], [1, 0], [1, 1]].map(([down, right]) => point(ring + down, sector + right));
    return [a, c, b, b, c, d].flat();
  });
  return new Float32Array(fields.flat());
}

function linked(...sources: readonly [vertex: string, fragment: string]): number {
  const program = gl.glCreateProgram();
  for (const [index, type] of [g.GL_VERTEX_SHADER, g.GL_FRAGMENT_SHADER].entries()) {
    const shader = gl.glCreateShader(type);
    gl.glShaderSource(shader, sources[index]);
    gl.glCompileShader(shader);
    if (!gl.glGetShaderiv(shader, g.GL_COMPILE_STATUS)) throw new Error(gl.glGetShaderInfoLog(shader));
    gl.glAttachShader(program, shader);
  }
  gl.glLinkProgram(program);
  return program;
}

/** OpenGL has the rows from the bottom. */
function upright(pixels: Uint8Array): Uint8Array {
  const row = 8 * SIDE,
    rows = Array.from({ length: SIDE }, (_, y) => pixels.subarray((SIDE - 1 - y) * row).subarray(0, row));
  return new Uint8Array(rows.flatMap((bytes) => [...bytes]));
}
