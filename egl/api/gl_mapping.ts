import type { Method } from "../command/method.ts";
import type { Gl } from "./gl_scope.ts";
import { detach } from "./objects.ts";
import type { State } from "./state.ts";

const GL_BUFFER_SIZE = 0x8764;

/** The methods that map buffers: they give views, which are empty once the buffer is unmapped. */
export function mappingMethods(state: State, gl: Gl): Record<string, Method> {
  const view = (target: number, address: bigint, size: number): Uint8Array | null => {
    if (address === 0n) return null;
    const pointer = Deno.UnsafePointer.create(address)!;
    const buffer = Deno.UnsafePointerView.getArrayBuffer(pointer, size) as ArrayBuffer;
    state.current?.context.mapped.set(target, buffer);
    return new Uint8Array(buffer);
  };
  const range = (name: "glMapBufferRange" | "glMapBufferRangeEXT"): Method => (target, offset, length, access) =>
    view(target, gl.raw[name](target, BigInt(offset), BigInt(length), access), Number(length));
  const unmap = (name: "glUnmapBuffer" | "glUnmapBufferOES"): Method => (target) => {
    const mapped = state.current?.context.mapped, buffer = mapped?.get(target);
    if (buffer) detach(buffer);
    mapped?.delete(target);
    return gl.raw[name](target) !== 0;
  };
  return {
    glMapBufferRange: range("glMapBufferRange"),
    glMapBufferRangeEXT: range("glMapBufferRangeEXT"),
    glMapBufferOES: (target, access) =>
      view(target, gl.raw.glMapBufferOES(target, access), gl.glGetBufferParameteriv(target, GL_BUFFER_SIZE) as number),
    glUnmapBuffer: unmap("glUnmapBuffer"),
    glUnmapBufferOES: unmap("glUnmapBufferOES"),
  };
}
