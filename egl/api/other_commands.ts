import { EGL_BAD_PARAMETER, EGL_EXTENSIONS } from "../gen/egl_constants_gen.js";
import type { RawCommand, State } from "./state.ts";
import { clientExtensions, placeStrings } from "./strings.ts";

/** Errors, strings, time. */
export function otherCommands(state: State): Record<string, RawCommand> {
  const { calls } = state, client = placeStrings([clientExtensions(state)]);
  state.clientExtensions = client.addresses[0];
  state.onClose.push(() => client.memory.close());
  return {
    eglGetError: () => state.takeError(),
    eglQueryString(dpy, name) {
      state.clearError();
      if (dpy === 0n && name === EGL_EXTENSIONS) return state.clientExtensions;
      const display = state.display(dpy);
      if (!display) return 0n;
      return display.strings.get(name as number) ?? state.fail(EGL_BAD_PARAMETER, 0n);
    },
    eglQueryStringImplementationANDROID(dpy, name) {
      state.clearError();
      const display = state.display(dpy);
      return display ? calls.call("eglQueryString", display.handle, name) : 0n;
    },
    eglGetSystemTimeNV: () => systemTime(state),
    eglGetSystemTimeFrequencyNV() {
      state.clearError();
      return calls.has("eglGetSystemTimeFrequencyNV") ? calls.call("eglGetSystemTimeFrequencyNV") : 1_000_000_000n;
    },
  };
}

/** Drivers without the command get nanoseconds since the process began. */
function systemTime(state: State): bigint {
  state.clearError();
  if (state.calls.has("eglGetSystemTimeNV")) return state.calls.call("eglGetSystemTimeNV") as bigint;
  return BigInt(Math.round(performance.now() * 1e6));
}
