import { NativeBlock } from "../../ffi/block.ts";
import { bytesOf, type Data, placeData } from "../command/input.ts";
import { type Method, plainValue } from "../command/method.ts";
import { planOf } from "../command/plan.ts";
import type { Command } from "../command/spec.ts";
import type { Gl } from "./gl_scope.ts";
import type { State } from "./state.ts";

const GL_CLIENT_ACTIVE_TEXTURE = 0x84E1;

/**
 * The typed form of a command that names a client array. The driver reads it
 * at each draw from now on, so a typed array is copied to native memory that
 * the context keeps until another one takes its place: later changes need the
 * command again. Who wants to change it in place gives the address of a
 * `NativeBlock`.
 */
export function arrayMethod(state: State, gl: Gl, command: Command): Method | undefined {
  const steps = planOf(command), last = steps.at(-1);
  if (!/Pointer(?:OES|EXT)?$/.test(command.name) || last?.role !== "data") return undefined;
  const name = command.name as "glVertexPointer";
  return (...args) => {
    const values = steps.slice(0, -1).map((step, index) => plainValue(step, args[index]));
    const data = args[values.length] as Data;
    const place = () => `${name}/${steps[0].name === "index" ? args[0] : unitOf(gl, name)}`;
    const address = typeof data === "object" && data !== null ? keep(state, place(), data) : placeData(data, last.name);
    (gl.raw[name] as Method)(...values, address);
  };
}

/** Texture coordinates belong to the active unit. */
function unitOf(gl: Gl, name: string): number {
  return name === "glTexCoordPointer" ? gl.glGetIntegerv(GL_CLIENT_ACTIVE_TEXTURE) as number : 0;
}

function keep({ current }: State, place: string, data: ArrayBufferView | ArrayBufferLike): bigint {
  if (!current) return 0n;
  const { arrays } = current.context, bytes = bytesOf(data), before = arrays.get(place);
  const fits = before !== undefined && before.size >= bytes.length;
  const block = fits ? before : new NativeBlock(Math.max(bytes.length, 1));
  if (!fits) before?.close();
  block.bytes.set(bytes);
  arrays.set(place, block);
  return block.address;
}
