import { DispatchFollower } from "../../ffi/gl_dispatch.ts";
import type { EglScope } from "../api/scope.ts";

/**
 * Lets desktop OpenGL of libglvnd, `libGL.so.1` and `libOpenGL.so.0`, reach the
 * contexts of a vendor's driver, which its own `libEGL` would tell of them. The
 * second call for a loader does nothing.
 */
export function followDispatch({ procAddresses, state }: EglScope): void {
  const { calls, driver } = state;
  if (driver.kind !== "glvnd" || state.followsDispatch) return;
  const [makeCurrent, releaseThread, getProcAddress] = COMMANDS.map((name) => calls.address(name));
  const follower = DispatchFollower.make({ makeCurrent, releaseThread, getProcAddress });
  if (!follower) return;
  state.followsDispatch = true;
  calls.replace(COMMANDS[0], follower.makeCurrent);
  calls.replace(COMMANDS[1], follower.releaseThread);
  for (const name of COMMANDS.slice(0, 2)) procAddresses.entrances?.refresh(name);
  state.onClose.push(() => follower[Symbol.dispose]());
}

const COMMANDS = ["eglMakeCurrent", "eglReleaseThread", "eglGetProcAddress"] as const;
