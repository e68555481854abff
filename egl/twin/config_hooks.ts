import { arena, inFrame } from "../../ffi/arena.ts";
import { peek64, poke32, poke64 } from "../../ffi/machine.ts";
import * as egl from "../gen/egl_constants_gen.js";
import type { EglConfigInfo } from "../info/egl_info.ts";
import type { AnyGlesHook, GlesLayerContext } from "../layers/gles_layer.ts";

/** The attributes in which a configuration of the driver must be that of the source. */
const ALIKE = [
  "EGL_RED_SIZE",
  "EGL_GREEN_SIZE",
  "EGL_BLUE_SIZE",
  "EGL_ALPHA_SIZE",
  "EGL_DEPTH_SIZE",
  "EGL_STENCIL_SIZE",
  "EGL_SAMPLES",
] as const;

/** The attributes of the window system, which knows the driver's visuals and no others. */
const OF_WINDOWS: ReadonlySet<string> = new Set([
  "EGL_NATIVE_VISUAL_ID",
  "EGL_NATIVE_VISUAL_TYPE",
  "EGL_NATIVE_RENDERABLE",
]);

type Named = Readonly<Record<string, number>>;

/**
 * Makes the hooks of the queries for configurations: of those of the driver,
 * there are as many as the source has with the same sizes, and each tells the
 * source's attributes, except those of the window system.
 */
export function configHooks(configs: readonly EglConfigInfo[]): Record<string, AnyGlesHook> {
  const known = new Map<bigint, ReadonlyMap<bigint, EglConfigInfo>>();
  const numbers = new Map(Object.entries(egl as unknown as Named).map(([name, value]) => [name, value]));
  const of = ({ below }: GlesLayerContext, display: bigint) => {
    let found = known.get(display);
    if (!found || found.size === 0) known.set(display, found = matched(below, display, configs, numbers));
    return found;
  };
  const list: AnyGlesHook = function (next, ...args) {
    const [display, out, room, count] = [args[0], ...args.slice(-3)] as [bigint, bigint, number, bigint];
    const all = allOf((handles, size, total) => next(...args.slice(0, -3), handles, size, total)),
      mine = of(this, display);
    if (all === undefined || count === 0n) return next(...args);
    const left = all.filter((config) => mine.has(config)),
      length = out === 0n ? left.length : Math.min(left.length, room);
    if (out !== 0n) left.slice(0, length).forEach((config, index) => poke64(out + BigInt(8 * index), config));
    poke32(count, length);
    return 1;
  };
  const byNumber = new Map([...numbers].map(([name, value]) => [value, name]));
  return {
    eglInitialize(next, display, major, minor) {
      known.delete(display); // another driver may have used the handle
      return next(display, major, minor);
    },
    eglGetConfigs: list,
    eglChooseConfig: list,
    eglGetConfigAttrib(next, display, config, attribute, value) {
      const result = next(display, config, attribute, value), told = of(this, display).get(config);
      const names = told && Object.keys(told).filter((name) => numbers.get(name) === attribute);
      const name = names?.[0] ?? byNumber.get(attribute);
      if (result === 0 || name === undefined || OF_WINDOWS.has(name)) return result;
      if (told?.[name] !== undefined) poke32(value, told[name]);
      return result;
    },
  };
}

/** Reads all handles that a command gives; `undefined` if it fails. */
function allOf(ask: (handles: bigint, room: number, count: bigint) => number): bigint[] | undefined {
  return inFrame((memory) => {
    const count = memory.alloc(8);
    if (ask(0n, 0, memory.address(count)) === 0) return undefined;
    const room = memory.view.getInt32(count, true), list = memory.alloc(8 * room || 8);
    if (ask(memory.address(list), room, memory.address(count)) === 0) return undefined;
    return Array.from(
      { length: memory.view.getInt32(count, true) },
      (_, index) => peek64(memory.address(list + 8 * index)),
    );
  });
}

/** Gives each configuration of the driver the first one of the source with the same sizes that no other has. */
function matched(
  below: GlesLayerContext["below"],
  display: bigint,
  configs: readonly EglConfigInfo[],
  numbers: ReadonlyMap<string, number>,
): Map<bigint, EglConfigInfo> {
  const found = new Map<bigint, EglConfigInfo>(), left = new Set(configs);
  for (const handle of allOf((handles, room, count) => below.eglGetConfigs(display, handles, room, count)) ?? []) {
    const sizes = ALIKE.map((name) => attribute(below, display, handle, numbers.get(name)!));
    const config = [...left].find((each) => ALIKE.every((name, index) => each[name] === sizes[index]));
    if (!config) continue;
    left.delete(config);
    found.set(handle, config);
  }
  return found;
}

function attribute(below: GlesLayerContext["below"], display: bigint, config: bigint, name: number): number {
  return inFrame((memory) => {
    const at = memory.alloc(8);
    below.eglGetConfigAttrib(display, config, name, memory.address(at));
    return arena().view.getInt32(at, true);
  });
}
