import { EglError } from "../error.ts";
import { interpretedMethod, type Method } from "../command/method.ts";
import { planOf } from "../command/plan.ts";
import type { Command } from "../command/spec.ts";
import type { ProcAddresses } from "./proc_address.ts";
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

/** The typed form of an EGL command: throws when it fails. */
export function eglMethod(state: State, command: Command, call: RawCommand, procAddresses: ProcAddresses): Method {
  if (command.name === "eglGetProcAddress") return (name: string) => findProcAddress(state, procAddresses, name);
  const method = interpretedMethod(command, planOf(command), {
    call,
    check: checkOf(state, command),
  });
  return command.name.includes("Supported") ? asBoolean(command, call) : method;
}

/** Commands whose result says yes or no. */
function asBoolean(_command: Command, call: RawCommand): Method {
  return (...args) => call(...args) !== 0;
}

function findProcAddress(state: State, procAddresses: ProcAddresses, name: string): bigint {
  if (typeof name !== "string") throw new TypeError(`Cannot find ${name}: give the name of a command`);
  state.clearError();
  return procAddresses.find(name);
}

function checkOf(state: State, { name, result }: Command) {
  if (MAY_BE_ZERO.has(name) || result === "v") return undefined;
  const isFailure = (value: unknown) =>
    name === "eglDupNativeFenceFDANDROID" ? value === -1 : value === 0 || value === 0n;
  return (value: unknown) => {
    if (!isFailure(value)) return;
    const code = state.takeError(), missing = !state.calls.has(name) && code === 0x3008;
    throw new EglError(name, code, missing ? `this driver has no ${name}: ask egl.supports() first` : undefined);
  };
}
