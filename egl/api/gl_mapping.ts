import { type Method, plainValue } from "../command/method.ts";
import { planOf } from "../command/plan.ts";
import { glCommands } from "../dispatch/names.ts";
import * as gl from "../gen/gl_constants_gen.js";
import type { Gl } from "./egl.ts";
import type { State } from "./state.ts";

/** The query for the buffer bound to each target. */
const BINDINGS: Readonly<Record<number, number>> = {
  [gl.GL_ARRAY_BUFFER]: gl.GL_ARRAY_BUFFER_BINDING,
  [gl.GL_ELEMENT_ARRAY_BUFFER]: gl.GL_ELEMENT_ARRAY_BUFFER_BINDING,
  [gl.GL_PIXEL_PACK_BUFFER]: gl.GL_PIXEL_PACK_BUFFER_BINDING,
  [gl.GL_PIXEL_UNPACK_BUFFER]: gl.GL_PIXEL_UNPACK_BUFFER_BINDING,
  [gl.GL_UNIFORM_BUFFER]: gl.GL_UNIFORM_BUFFER_BINDING,
  [gl.GL_TEXTURE_BUFFER]: gl.GL_TEXTURE_BUFFER_BINDING,
  [gl.GL_TRANSFORM_FEEDBACK_BUFFER]: gl.GL_TRANSFORM_FEEDBACK_BUFFER_BINDING,
  [gl.GL_COPY_READ_BUFFER]: gl.GL_COPY_READ_BUFFER_BINDING,
  [gl.GL_COPY_WRITE_BUFFER]: gl.GL_COPY_WRITE_BUFFER_BINDING,
  [gl.GL_DRAW_INDIRECT_BUFFER]: gl.GL_DRAW_INDIRECT_BUFFER_BINDING,
  [gl.GL_SHADER_STORAGE_BUFFER]: gl.GL_SHADER_STORAGE_BUFFER_BINDING,
  [gl.GL_DISPATCH_INDIRECT_BUFFER]: gl.GL_DISPATCH_INDIRECT_BUFFER_BINDING,
  [gl.GL_ATOMIC_COUNTER_BUFFER]: gl.GL_ATOMIC_COUNTER_BUFFER_BINDING,
};

/** The methods that map buffers: they give views, which are empty once the buffer is unmapped. */
export function mappingMethods(state: State, gles: Gl): Record<string, Method> {
  const view = (target: number, address: bigint, size: number): Uint8Array | null => {
    if (address === 0n) return null;
    const pointer = Deno.UnsafePointer.create(address)!;
    const buffer = Deno.UnsafePointerView.getArrayBuffer(pointer, size) as ArrayBuffer;
    state.current?.context.mapped.begin(boundTo(gles, target), buffer);
    return new Uint8Array(buffer);
  };
  const range = (name: "glMapBufferRange" | "glMapBufferRangeEXT"): Method => (...args) => {
    const [target, offset, length, access] = plainValues(name, args) as [number, bigint, bigint, number];
    return view(target, gles.raw[name](target, offset, length, access), Number(length));
  };
  const unmap = (name: "glUnmapBuffer" | "glUnmapBufferOES"): Method => (...args) => {
    const [target] = plainValues(name, args) as [number], { mapped } = state.current?.context ?? {};
    if (mapped) mapped.end(boundTo(gles, target));
    return gles.raw[name](target) !== 0;
  };
  return {
    glMapBufferRange: range("glMapBufferRange"),
    glMapBufferRangeEXT: range("glMapBufferRangeEXT"),
    glMapBufferOES: (...args) => {
      const [target, access] = plainValues("glMapBufferOES", args) as [number, number];
      const address = gles.raw.glMapBufferOES(target, access);
      return view(target, address, gles.glGetBufferParameteriv(target, gl.GL_BUFFER_SIZE) as number);
    },
    glUnmapBuffer: unmap("glUnmapBuffer"),
    glUnmapBufferOES: unmap("glUnmapBufferOES"),
  };
}

/** The arguments of a command whose parameters are all values, as the call path takes them. */
function plainValues(name: string, args: readonly unknown[]): (number | bigint)[] {
  return planOf(glCommands.find(name)!).map((step, index) => plainValue(step, args[index]));
}

/** Extends methods of commands that also unmap buffers; returns other methods unchanged. */
export function unmappingMethod(state: State, gles: Gl, name: string, method: Method): Method {
  if (name === "glDeleteBuffers") return deleting(state, method);
  return /^glBuffer(Data|Storage(External)?EXT)$/.test(name) ? replacing(state, gles, method) : method;
}

function deleting(state: State, method: Method): Method {
  return (buffers, ...rest) => {
    const result = method(buffers, ...rest);
    for (const name of Array.from(buffers ?? [], Number)) state.current?.context.mapped.end(name);
    return result;
  };
}

/** New storage for the buffer bound to a target, which is mapped still if the command has failed. */
function replacing(state: State, gles: Gl, method: Method): Method {
  return (target, ...rest) => {
    const result = method(target, ...rest), { mapped } = state.current?.context ?? {};
    if (!mapped || mapped.isEmpty) return result;
    const name = boundTo(gles, target);
    if (mapped.has(name) && !gles.glGetBufferParameteriv(target, gl.GL_BUFFER_MAPPED)) mapped.end(name);
    return result;
  };
}

/** The name of the buffer bound to a target; 0 for none, and for targets there are none of. */
function boundTo(gles: Gl, target: number): number {
  const binding = BINDINGS[target];
  return binding === undefined ? 0 : gles.glGetIntegerv(binding) as number;
}
