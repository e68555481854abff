import { inFrame } from "../../ffi/arena.ts";
import { poke32, poke64 } from "../../ffi/machine.ts";
import type { Command } from "../command/spec.ts";
import { eglCommands } from "../dispatch/names.ts";
import { EGL_BAD_DISPLAY, EGL_BAD_SURFACE } from "../gen/egl_constants_gen.js";
import { withWidth } from "./attributes.ts";
import type { Display } from "./display.ts";
import type { Word } from "./driver_calls.ts";
import type { RawCommand, State } from "./state.ts";

/** Commands of EGL 1.5 and those of the extensions they came from. */
const OLDER: Readonly<Record<string, string>> = {
  eglCreateImage: "eglCreateImageKHR",
  eglDestroyImage: "eglDestroyImageKHR",
  eglCreateSync: "eglCreateSyncKHR",
  eglDestroySync: "eglDestroySyncKHR",
  eglClientWaitSync: "eglClientWaitSyncKHR",
  eglGetSyncAttrib: "eglGetSyncAttribKHR",
  eglWaitSync: "eglWaitSyncKHR",
};
const NEWER = new Map(Object.entries(OLDER).map(([newer, older]) => [older, newer]));
/** Commands that drivers have by an older name alone, which does the same. */
const SAME: Readonly<Record<string, string>> = {
  eglQueryDisplayAttribKHR: "eglQueryDisplayAttribEXT",
  eglQueryDisplayAttribNV: "eglQueryDisplayAttribEXT",
};

/**
 * A command that is the driver's business: its handles are checked and become
 * the driver's, and where the driver has it under an older or newer name alone,
 * that one is called.
 */
export function forwarded(state: State, name: string): RawCommand {
  const command = eglCommands.find(name)!;
  return (...args) => {
    state.clearError();
    const own = unwrapped(state, command, args);
    return own ? callDriver(state, command, own) : failureOf(command);
  };
}

/** Whether the driver has a command, under its name or that of another version. */
export function isOfDriver({ calls }: State, name: string): boolean {
  const other = otherName(name);
  return calls.has(name) || other !== undefined && calls.has(other);
}

/** Calls the driver's command with unchanged arguments, under the first of its names that the driver has. */
export function passed(state: State, command: Command, args: Word[]): Word {
  const display = state.driverDisplays.get(args[0] as bigint);
  return state.calls.has(command.name)
    ? state.calls.call(command.name, ...args)
    : callDriver(state, command, { display, args });
}

/**
 * The address of the driver's function for a command, under its name or under
 * another name with the same arguments; 0n if the driver has none.
 */
export function driversAddress({ calls }: State, name: string): bigint {
  if (name === "eglQueryStringImplementationANDROID") return calls.address("eglQueryString");
  const other = otherName(name), own = calls.address(name);
  return own || (other !== undefined && isAlike(name, other) ? calls.address(other) : 0n);
}

/** Returns another name under which a driver may have a command. */
function otherName(name: string): string | undefined {
  return OLDER[name] ?? NEWER.get(name) ?? SAME[name];
}

/** Whether two commands take and give the same. */
function isAlike(name: string, other: string): boolean {
  const shapes = [name, other].map((each) => {
    const { result, params } = eglCommands.find(each)!;
    return [result, ...params.map(({ code, stars }) => `${stars}${code}`)].join();
  });
  return shapes[0] === shapes[1];
}

/** Returns the result of a command that fails. */
export function failureOf({ name, result }: Command): Word {
  if (name === "eglDupNativeFenceFDANDROID") return -1;
  return result.length > 1 || "PLlzS".includes(result) ? 0n : 0;
}

function unwrapped(
  state: State,
  { params }: Command,
  args: readonly Word[],
): { display?: Display; args: Word[] } | undefined {
  let display: Display | undefined;
  const own = [...args];
  for (let index = 0; index < params.length; index++) {
    const { code, stars } = params[index], given = args[index];
    if (stars > 0) continue;
    if (code === "EGLDisplay") {
      display = state.display(given);
      if (!display) return undefined;
    } else if ((code === "EGLContext" || code === "EGLSurface") && given !== 0n && display) {
      const object = code === "EGLContext" ? state.context(display, given) : state.surface(display, given);
      if (!object) return undefined;
      own[index] = object.driver;
    } else if (code === "EGLSurface") {
      return state.fail(EGL_BAD_SURFACE, 0), undefined;
    }
  }
  return { display, args: own };
}

function callDriver(state: State, command: Command, { display, args }: { display?: Display; args: Word[] }): Word {
  const { calls } = state, { name } = command, other = otherName(name);
  const prefersOther = other !== undefined && (!calls.has(name) || OLDER[name] !== undefined && !display?.is15);
  if (!prefersOther) {
    return calls.has(name) ? calls.call(name, ...args) : state.fail(EGL_BAD_DISPLAY, failureOf(command));
  }
  if (!calls.has(other)) {
    return calls.has(name) ? calls.call(name, ...args) : state.fail(EGL_BAD_DISPLAY, failureOf(command));
  }
  return callOther(state, command, other, args);
}

/** The same command under its other name, with values of the other width where that takes such. */
function callOther(state: State, { name, params }: Command, other: string, args: Word[]): Word {
  if (isAlike(name, other)) return state.calls.call(other, ...args);
  const target = eglCommands.find(other)!, narrow = name in OLDER;
  const list = params.findIndex(({ len }, index) =>
    len === "attribs" && params[index].code !== target.params[index].code
  );
  const value = params.findIndex(({ name, stars }) => name === "value" && stars === 1);
  if (value >= 0) return queryOther(state, other, args, { value, narrow });
  if (list < 0) return state.calls.call(other, ...args);
  return withWidth(
    args[list] as bigint,
    narrow ? "wide" : "narrow",
    (address) => state.calls.call(other, ...args.with(list, address)),
  );
}

function queryOther(
  state: State,
  other: string,
  args: Word[],
  { value, narrow }: { value: number; narrow: boolean },
): Word {
  return inFrame((memory) => {
    const at = memory.alloc(16);
    memory.view.setBigInt64(at, 0n, true);
    const done = state.calls.call(other, ...args.with(value, memory.address(at)));
    if (done !== 0 && narrow) poke64(args[value] as bigint, BigInt(memory.view.getInt32(at, true)));
    if (done !== 0 && !narrow) poke32(args[value] as bigint, memory.view.getInt32(at, true));
    return done;
  });
}
