import { poke32, poke64, poke8 } from "../../ffi/machine.ts";
import * as gl from "../gen/gl_constants_gen.js";
import type { GlesInfo } from "../info/egl_info.ts";
import type { AnyGlesHook } from "../layers/gles_layer.ts";
import type { GlesFacts } from "./gles_device_twin.ts";

/** Writes a value as a query wants it, and the bytes of one. */
type Write = readonly [size: number, write: (address: bigint, value: number) => void];

const WRITES: Readonly<Record<string, Write>> = {
  glGetIntegerv: [4, (address, value) => poke32(address, Math.min(value, 0x7fffffff))],
  glGetInteger64v: [8, (address, value) => poke64(address, BigInt(value))],
  glGetFloatv: [4, (address, value) => poke32(address, new Int32Array(new Float32Array([value]).buffer)[0])],
  glGetBooleanv: [1, (address, value) => poke8(address, value === 0 ? 0 : 1)],
};
const INDEXED: Readonly<Record<string, Write>> = {
  glGetIntegeri_v: WRITES.glGetIntegerv,
  glGetInteger64i_v: WRITES.glGetInteger64v,
};

const names = Object.entries(gl).filter(([name, value]) => typeof value === "number" && name.startsWith("GL_"));

/** The limits of a context by their numbers. */
function limitsByNumber(limits: GlesInfo["limits"]): Map<number, number | readonly number[]> {
  const numbers = new Map(names as [string, number][]);
  return new Map(
    Object.entries(limits).flatMap(([name, value]) => numbers.has(name) ? [[numbers.get(name)!, value] as const] : []),
  );
}

/** Makes the hooks of the queries for limits, and of the commands that must keep to them. */
export function limitHooks(facts: GlesFacts): Record<string, AnyGlesHook> {
  const known = new Map<GlesInfo, Map<number, number | readonly number[]>>();
  const limitsOf = (context: GlesInfo) => {
    let found = known.get(context);
    if (!found) {
      found = limitsByNumber(context.limits).set(gl.GL_NUM_EXTENSIONS, context.extensions.length);
      known.set(context, found);
    }
    return found;
  };
  const query = ([size, write]: Write): AnyGlesHook =>
    function (next, name, out) {
      next(name, out);
      const context = facts.context(), value = context && limitsOf(context).get(name);
      if (value === undefined || out === 0n) return;
      [value].flat().forEach((each, index) => write(out + BigInt(size * index), each as number));
    };
  const indexed = ([, write]: Write): AnyGlesHook =>
    function (next, name, index, out) {
      next(name, index, out);
      const context = facts.context(), value = context && limitsOf(context).get(name);
      if (Array.isArray(value) && value[index] !== undefined) write(out, value[index]);
    };
  const each = (writes: typeof WRITES, make: (write: Write) => AnyGlesHook) =>
    Object.fromEntries(Object.entries(writes).map(([command, write]) => [command, make(write)]));
  return {
    ...each(WRITES, query),
    ...each(INDEXED, indexed),
    ...sizeHooks(facts, limitsOf),
    glGetError: errorHook(facts),
  };
}

/** The error of a refused command comes before later ones of the driver. */
function errorHook(facts: GlesFacts): AnyGlesHook {
  return (next) => facts.takeError() || next();
}

/** By command, the limit on its sizes and the places of these among the arguments. */
const SIZES: Readonly<Record<string, readonly [limit: number, name: string, ...places: number[]]>> = {
  glTexImage2D: [gl.GL_MAX_TEXTURE_SIZE, "GL_MAX_TEXTURE_SIZE", 3, 4],
  glTexStorage2D: [gl.GL_MAX_TEXTURE_SIZE, "GL_MAX_TEXTURE_SIZE", 3, 4],
  glCompressedTexImage2D: [gl.GL_MAX_TEXTURE_SIZE, "GL_MAX_TEXTURE_SIZE", 3, 4],
  glRenderbufferStorage: [gl.GL_MAX_RENDERBUFFER_SIZE, "GL_MAX_RENDERBUFFER_SIZE", 2, 3],
  glRenderbufferStorageMultisample: [gl.GL_MAX_RENDERBUFFER_SIZE, "GL_MAX_RENDERBUFFER_SIZE", 3, 4],
};

/** A size beyond a limit is an invalid value, and the command does nothing. */
function sizeHooks(
  facts: GlesFacts,
  limitsOf: (context: GlesInfo) => ReadonlyMap<number, number | readonly number[]>,
): Record<string, AnyGlesHook> {
  return Object.fromEntries(
    Object.entries(SIZES).map(([command, [limit, name, ...places]]): [string, AnyGlesHook] => [
      command,
      function (next, ...args) {
        const context = facts.context(), most = context && limitsOf(context).get(limit);
        const size = Math.max(...places.map((place) => args[place] as number));
        if (typeof most !== "number" || size <= most) return next(...args);
        facts.refuse(
          `${command} causes GL_INVALID_VALUE: ${name} is ${most}, and ${size} was asked for`,
          gl.GL_INVALID_VALUE,
        );
      },
    ]),
  );
}
