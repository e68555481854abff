import { withCString } from "../../ffi/library/library.ts";
import { interpretedMethod, type Method, plainValue } from "../command/method.ts";
import { planOf } from "../command/plan.ts";
import type { Command } from "../command/spec.ts";
import { EglError } from "../error.ts";
import { EGL_BAD_DISPLAY, EGL_SUCCESS } from "../gen/egl_constants_gen.js";
import type { RawCommand, State } from "./state.ts";

/** Commands whose 0 is an answer. */
const MAY_BE_ZERO = new Set([
  "eglGetCurrentContext",
  "eglGetCurrentDisplay",
  "eglGetCurrentSurface",
  "eglGetError",
  "eglGetProcAddress",
  "eglGetSystemTimeNV",
  "eglDebugMessageControlKHR",
  "eglLabelObjectKHR",
  "eglGetCompositorTimingSupportedANDROID",
  "eglGetFrameTimestampSupportedANDROID",
]);

/** The typed form of an EGL command: throws when it fails, with the error that `takeError` tells. */
export function eglMethod(state: State, command: Command, call: RawCommand, takeError: () => number): Method {
  if (command.name === "eglGetProcAddress") return (name: string) => findProcAddress(call, name);
  const method = interpretedMethod(command, planOf(command), {
    call,
    check: checkOf(state, command, takeError),
  });
  return command.name.endsWith("SupportedANDROID") ? asBoolean(command, call) : method;
}

/** Commands whose result says yes or no. */
function asBoolean(command: Command, call: RawCommand): Method {
  const steps = planOf(command);
  return (...args) => call(...steps.map((step, index) => plainValue(step, args[index]))) !== 0;
}

function findProcAddress(call: RawCommand, name: string): bigint {
  if (typeof name !== "string") throw new TypeError(`Cannot find ${name}: give the name of a command`);
  return withCString(name, (text) => call(text) as bigint);
}

/** A command without a result fails if it leaves an error. */
function refuseError({ reason }: State, name: string, code: number): void {
  if (code !== EGL_SUCCESS) throw new EglError(name, code, reason);
}

function checkOf(state: State, { name, result }: Command, takeError: () => number) {
  if (MAY_BE_ZERO.has(name)) return undefined;
  if (result === "v") return () => refuseError(state, name, takeError());
  const isFailure = (value: unknown) =>
    name === "eglDupNativeFenceFDANDROID" ? value === -1 : value === 0 || value === 0n;
  return (value: unknown) => {
    if (!isFailure(value)) return;
    const { reason } = state, code = takeError(), missing = !state.calls.has(name) && code === EGL_BAD_DISPLAY;
    throw new EglError(name, code, missing ? `this driver has no ${name}: ask egl.supports() first` : reason);
  };
}
