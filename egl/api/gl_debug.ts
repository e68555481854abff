import { inFrame } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import { createThunk } from "../../ffi/thunk/thunk.ts";
import { toBigInt, toNumber } from "../command/input.ts";
import type { Method } from "../command/method.ts";
import { readText, readValues } from "../command/output.ts";
import type { GlDebugMessage } from "../command/types.ts";
import type { Gl } from "./gl.ts";
import type { DebugListener } from "./objects.ts";
import type { State } from "./state.ts";

/** Bytes for the texts of all messages that are fetched at once. */
const TEXTS = 65536;

/** glGetDebugMessageLog(count): takes at most `count` messages out of the log. */
export function debugLogMethod(gl: Gl, name: "glGetDebugMessageLog" | "glGetDebugMessageLogKHR"): Method {
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
export function debugCallbackMethod(
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
