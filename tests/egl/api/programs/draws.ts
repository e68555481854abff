/**
 * Draws from typed arrays, within and beyond them.
 *
 * deno run … tests/egl/api/programs/draws.ts DRIVER
 */
import * as g from "../../../../egl/gl.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { carryOutRows, type Trial } from "../../../support/rows.ts";
import { openContext } from "../../context.ts";
import { pixel, program } from "../../draw.ts";
import { drivers } from "../../drivers.ts";

const driver = drivers.find(({ name }) => name === Deno.args[0])!, FULL = [-1, -1, 3, -1, -1, 3];
const MANY = 3_000_000;

function open(version: readonly number[]) {
  const opened = openContext(driver, version), { gl } = opened;
  if (version[0] > 1) {
    const linked = program(gl, [
      g.GL_VERTEX_SHADER,
      "attribute vec2 a; void main() { gl_Position = vec4(a, 0.0, 1.0); }",
    ], [
      g.GL_FRAGMENT_SHADER,
      "precision mediump float; void main() { gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0); }",
    ]);
    gl.glBindAttribLocation(linked, 0, "a");
    gl.glLinkProgram(linked);
    gl.glUseProgram(linked);
  } else gl.glColor4f(1, 0, 0, 1);
  const drawn = (draw: () => void) => {
    gl.glClear(g.GL_COLOR_BUFFER_BIT);
    draw();
    const error = gl.glGetError();
    return `${pixel(gl, 3, 3)} ${error === 0 ? "fine" : error.toString(16)}`;
  };
  return { ...opened, drawn, gl };
}

const three = open([3, 0]), { gl, drawn } = three;
gl.glVertexAttribPointer(0, 2, g.GL_FLOAT, false, 0, new Float32Array(FULL));
gl.glEnableVertexAttribArray(0);
const shorts = (...indices: number[]) => new Uint16Array(indices);
const elements = (indices: Uint16Array | Uint8Array | Uint32Array, type: number = g.GL_UNSIGNED_SHORT) => () =>
  gl.glDrawElements(g.GL_TRIANGLES, indices.length, type, indices);
const trials: Record<string, Trial> = {
  "what fits": () => drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 0, 3)),
  "far beyond": () => drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 0, MANY)),
  "one beyond": () => drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 1, 3)),
  "from far": () => drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 2 ** 31 - 4, 3)),
  "nothing": () => drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 2 ** 30, 0)),
  "instances": () => drawn(() => gl.glDrawArraysInstanced(g.GL_TRIANGLES, 0, 3, 1000)),
  "instances beyond": () => drawn(() => gl.glDrawArraysInstanced(g.GL_TRIANGLES, 0, MANY, 2)),
  "indices": () => drawn(elements(shorts(0, 1, 2))),
  "an index beyond": () => drawn(elements(shorts(0, 1, 60000))),
  "a byte beyond": () => drawn(elements(new Uint8Array([0, 1, 255]), g.GL_UNSIGNED_BYTE)),
  "a word beyond": () => drawn(elements(new Uint32Array([0, 1, 2 ** 31]), g.GL_UNSIGNED_INT)),
  "many indices beyond": () => drawn(elements(new Uint16Array(60_000).fill(0).with(59_999, 50_000))),
  "a range beyond": () =>
    drawn(() => gl.glDrawRangeElements(g.GL_TRIANGLES, 0, 2, 3, g.GL_UNSIGNED_SHORT, shorts(0, 1, 60000))),
  "indices in a buffer": () => {
    const [buffer] = gl.glGenBuffers(1);
    gl.glBindBuffer(g.GL_ELEMENT_ARRAY_BUFFER, buffer);
    gl.glBufferData(g.GL_ELEMENT_ARRAY_BUFFER, 12n, shorts(0, 1, 2, 0, 1, 60000), g.GL_STATIC_DRAW);
    return drawn(() => gl.glDrawElements(g.GL_TRIANGLES, 3, g.GL_UNSIGNED_SHORT, 0));
  },
  "an index beyond in a buffer": () => drawn(() => gl.glDrawElements(g.GL_TRIANGLES, 3, g.GL_UNSIGNED_SHORT, 6)),
  "several draws beyond": () => {
    gl.glBindBuffer(g.GL_ELEMENT_ARRAY_BUFFER, 0);
    return drawn(() => gl.glMultiDrawArraysEXT(g.GL_TRIANGLES, [0, 1], [3, MANY]));
  },
  "several indexed draws": () => {
    using block = new NativeBlock(16);
    new Uint16Array(block.bytes.buffer, block.bytes.byteOffset, 6).set([0, 1, 2, 0, 1, 60000]);
    const draw = (...at: bigint[]) =>
      drawn(() => gl.glMultiDrawElementsEXT(g.GL_TRIANGLES, at.map(() => 3), g.GL_UNSIGNED_SHORT, at as never));
    const within = draw(block.address);
    try {
      return draw(block.address, block.address + 6n);
    } catch (error) {
      return `${within}${(error as Error).message}`;
    }
  },
  "a restart": () => {
    gl.glBindBuffer(g.GL_ELEMENT_ARRAY_BUFFER, 0);
    gl.glEnable(g.GL_PRIMITIVE_RESTART_FIXED_INDEX);
    return drawn(elements(shorts(0, 1, 2, 65535)));
  },
  "a divisor": () => {
    gl.glDisable(g.GL_PRIMITIVE_RESTART_FIXED_INDEX);
    gl.glVertexAttribDivisor(0, 1);
    return drawn(() => gl.glDrawArraysInstanced(g.GL_TRIANGLES, 0, MANY, 3)).slice(-4);
  },
  "a divisor beyond": () => drawn(() => gl.glDrawArraysInstanced(g.GL_TRIANGLES, 0, 3, MANY)),
  "a disabled array": () => {
    gl.glVertexAttribDivisor(0, 0);
    gl.glDisableVertexAttribArray(0);
    return drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 0, 3000)).slice(-4);
  },
  "a stride beyond": () => {
    gl.glEnableVertexAttribArray(0);
    gl.glVertexAttribPointer(0, 2, g.GL_FLOAT, false, 2048, new Float32Array(FULL));
    return drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 0, 3));
  },
  "a buffer in its place": () => {
    const [buffer] = gl.glGenBuffers(1);
    gl.glBindBuffer(g.GL_ARRAY_BUFFER, buffer);
    gl.glBufferData(g.GL_ARRAY_BUFFER, 24n, new Float32Array(FULL), g.GL_STATIC_DRAW);
    gl.glVertexAttribPointer(0, 2, g.GL_FLOAT, false, 0, 0n);
    return drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 0, 3));
  },
  "ES 1": () => {
    const { gl, drawn } = open([1, 1]);
    gl.glEnableClientState(g.GL_VERTEX_ARRAY);
    gl.glVertexPointer(2, g.GL_FLOAT, 0, new Float32Array(FULL));
    return drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 0, 3));
  },
  "ES 1 beyond": () => {
    const { gl, drawn } = open([1, 1]);
    gl.glEnableClientState(g.GL_VERTEX_ARRAY);
    gl.glVertexPointer(2, g.GL_FLOAT, 0, new Float32Array(FULL));
    return drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 0, MANY));
  },
  "ES 1, texture coordinates of another unit beyond": () => {
    const { gl, drawn } = open([1, 1]);
    gl.glEnableClientState(g.GL_VERTEX_ARRAY);
    gl.glVertexPointer(2, g.GL_FLOAT, 0, new Float32Array(20000));
    gl.glClientActiveTexture(g.GL_TEXTURE1);
    gl.glEnableClientState(g.GL_TEXTURE_COORD_ARRAY);
    gl.glTexCoordPointer(2, g.GL_FLOAT, 0, new Float32Array(FULL));
    gl.glClientActiveTexture(g.GL_TEXTURE0);
    return drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 0, 9000));
  },
  "another context without arrays": () => {
    const { drawn, gl } = open([2, 0]);
    return drawn(() => gl.glDrawArrays(g.GL_TRIANGLES, 0, 3)).slice(-4);
  },
};
await carryOutRows(trials);
three[Symbol.dispose]();
