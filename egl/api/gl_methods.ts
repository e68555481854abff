import { type Method, type MethodParts, plainValue } from "../command/method.ts";
import type { Command } from "../command/spec.ts";
import { glCommands } from "../dispatch/names.ts";
import { layoutOf, pointerOf, targetOf } from "./client_arrays.ts";
import { drawCommand, limitDraws } from "./draw_limits.ts";
import { mappingMethods } from "./gl_mapping.ts";
import type { Gl } from "./egl.ts";
import type { State } from "./state.ts";
import { bytesOf, type GlData, isMemory, placeData, toBigInt, toNumber } from "../command/input.ts";
import { planOf } from "../command/plan.ts";
import { inFrame } from "../../ffi/arena.ts";
import { imageSize, indexSize, type PixelStore } from "../command/pixels.ts";
import { readCString } from "../../ffi/cstring.ts";
import { createThunk } from "../../ffi/thunk/thunk.ts";
import { readText, readValues } from "../command/output.ts";
import type { GlDebugMessage } from "../command/types.ts";
import type { DebugListener } from "./objects.ts";
import * as g from "../gen/gl_constants_gen.js";

/** Bytes for the texts of all messages that are fetched at once. */
const TEXTS = 65536;

/** glGetDebugMessageLog(count): takes at most `count` messages out of the log. */
function debugLogMethod(gl: Gl, name: "glGetDebugMessageLog" | "glGetDebugMessageLogKHR"): Method {
  return (most: number): GlDebugMessage[] => {
    const count = Math.min(toNumber(most, "count", "u") >>> 0, TEXTS); // each text has a NUL at least
    return inFrame((memory) => {
      const texts = memory.alloc(TEXTS);
      const [sources, types, ids, severities, lengths] = Array.from({ length: 5 }, () => memory.alloc(4 * count));
      const at = [sources, types, ids, severities, lengths].map((each) => memory.address(each));
      const found = gl.raw[name](count, TEXTS, at[0], at[1], at[2], at[3], at[4], memory.address(texts));
      return read(found, [sources, types, ids, severities, lengths], texts);
    });
  };
}

function read(count: number, offsets: readonly number[], texts: number): GlDebugMessage[] {
  const [sources, types, ids, severities, lengths] = offsets.map((at) => readValues("u", at, count) as number[]);
  let at = texts;
  return sources.map((source, index) => {
    const message = readText(at, lengths[index]);
    at += lengths[index];
    return { source, type: types[index], id: ids[index], severity: severities[index], message };
  });
}

/** The receiver of a script's messages: a function, native code at an address, or nothing. */
type Listener = ((message: GlDebugMessage) => void) | bigint | null;

/**
 * glDebugMessageCallback(callback): the context keeps the callback until
 * another one takes its place. Messages from threads of the driver's own are
 * left out: with GL_DEBUG_OUTPUT_SYNCHRONOUS there are none. An error that the
 * callback throws goes to the log, because the command that caused the message
 * knows nothing of the callback.
 */
function debugCallbackMethod(
  state: State,
  gl: Gl,
  name: "glDebugMessageCallback" | "glDebugMessageCallbackKHR",
): Method {
  return (listener: Listener, userParam = 0n) => {
    if (listener !== null && typeof listener !== "bigint" && typeof listener !== "function") {
      throw new TypeError(`Cannot use ${String(listener)} as "callback": give a function, an address or null`);
    }
    const context = state.current?.context, data = toBigInt(userParam, "userParam");
    if (typeof listener === "function" && context) {
      const kept = context.listener ??= listenerOf(state);
      kept.told = listener;
      return gl.raw[name](kept.thunk.address, data);
    }
    gl.raw[name](typeof listener === "bigint" ? toBigInt(listener, "callback") : 0n, data);
    if (context?.listener) context.listener.told = undefined;
  };
}

// void callback(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length, const GLchar *message, const void *userParam)
function listenerOf(state: State): DebugListener {
  const thunk = createThunk("v:wwwwsqq", (source, type, id, severity, length, text) => {
    const message = readCString(text as bigint, (length as number) > 0 ? length as number : undefined);
    try {
      listener.told?.({ source, type, id, severity, message } as GlDebugMessage);
    } catch (error) {
      state.say(`a debug callback threw: ${error}`);
    }
  });
  const listener: DebugListener = { thunk };
  return listener;
}

/**
 * A typed method that is not made from the tables: commands that map, that keep
 * data beyond the call, or that take data in several pieces.
 */
export function handMadeMethod(state: State, gl: Gl, name: string): Method | undefined {
  if (name === "glGetDebugMessageLog" || name === "glGetDebugMessageLogKHR") return debugLogMethod(gl, name);
  if (name === "glDebugMessageCallback" || name === "glDebugMessageCallbackKHR") {
    return debugCallbackMethod(state, gl, name);
  }
  if (/^gl(?:Map|Unmap)Buffer/.test(name)) return mappingMethods(state, gl)[name];
  return arrayMethod(state, gl, glCommands.find(name)!);
}

/** Returns the parts, besides the tables, of a generated method. */
export function partsOf(state: State, gl: Gl, command: Command): Omit<MethodParts, "call"> {
  const draw = drawCommand(command);
  return { bytes: bytesOfCommand(state, gl, command), before: draw && { guard: state.draws, what: draw } };
}

/**
 * The typed form of a command that names a client array. The driver reads the
 * array at each later draw, so a typed array is copied to native memory, which
 * the context keeps until another array takes its place: later changes need the
 * command again. To change an array in place, give the address of a
 * `NativeBlock`.
 */
function arrayMethod(state: State, gl: Gl, command: Command): Method | undefined {
  const steps = planOf(command), last = steps.at(-1);
  if (!/Pointer(?:OES|EXT)?$/.test(command.name) || last?.role !== "data") return undefined;
  const name = command.name as "glVertexPointer";
  return (...args) => {
    const values = steps.slice(0, -1).map((step, index) => plainValue(step, args[index]));
    const data = args[values.length] as GlData, arrays = state.current?.context.arrays;
    const tell = (address: bigint) => void (gl.raw[name] as Method)(...values, address);
    if (!arrays) return tell(0n);
    const target = targetOf(gl, name, args[0] as number), told = () => pointerOf(gl, target);
    if (isMemory(data)) {
      limitDraws(state, gl);
      arrays.set(bytesOf(data), layoutOf(gl, command, values), tell, told);
    } else arrays.leave(() => tell(placeData(data, last.name)), told);
  };
}

/** Names of glPixelStorei: alignment, row length, pixels and rows skipped, image height, images skipped. */
const PACK = [g.GL_PACK_ALIGNMENT, g.GL_PACK_ROW_LENGTH, g.GL_PACK_SKIP_PIXELS, g.GL_PACK_SKIP_ROWS, 0, 0],
  UNPACK = [
    g.GL_UNPACK_ALIGNMENT,
    g.GL_UNPACK_ROW_LENGTH,
    g.GL_UNPACK_SKIP_PIXELS,
    g.GL_UNPACK_SKIP_ROWS,
    g.GL_UNPACK_IMAGE_HEIGHT,
    g.GL_UNPACK_SKIP_IMAGES,
  ];

/** Works out how many bytes a command reads or writes behind a `void` pointer; `undefined` for commands where nothing tells. */
function bytesOfCommand(state: State, gl: Gl, { params }: Command): MethodParts["bytes"] {
  const at = (name: string) => params.findIndex((each) => each.name === name);
  const data = params.find(({ code, stars }) => code === "v" && stars === 1),
    [format, type] = [at("format"), at("type")];
  if (!data || data.len[0] !== "@" && data.name !== "pixels") return undefined;
  if (format >= 0 && type >= 0 && at("width") >= 0) {
    const sides = [at("width"), at("height"), at("depth")];
    const names = data.isConst ? UNPACK : PACK;
    return (values) => {
      const [width, height, depth] = sides.map((index) => index < 0 ? 1 : Number(values[index]));
      return imageSize(
        [width, height, depth],
        Number(values[format]),
        Number(values[type]),
        pixelStore(state, gl, names),
      );
    };
  }
  const count = at("count");
  if (data.name !== "indices" || count < 0 || type < 0) return undefined;
  return (values) => {
    const size = indexSize(Number(values[type]));
    return size === undefined ? undefined : Number(values[count]) * size;
  };
}

/** The values that glPixelStorei() has set; before 3.0 only the alignment existed. */
function pixelStore({ current }: State, gl: Gl, names: readonly number[]): PixelStore {
  const modern = (current?.context.facts?.version[0] ?? 0) >= 3;
  const [alignment, rowLength, pixels, rows, imageHeight, images] = inFrame((memory) => {
    const at = memory.alloc(16), address = memory.address(at);
    return names.map((name, index) => {
      const fallback = index === 0 ? 4 : 0;
      memory.view.setInt32(at, fallback, true);
      if (name !== 0 && (fallback !== 0 || modern)) gl.raw.glGetIntegerv(name, address);
      return memory.view.getInt32(at, true);
    });
  });
  return { alignment, rowLength, imageHeight, skip: [pixels, rows, images] };
}
