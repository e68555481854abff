import { GL_RENDERER, GL_VERSION } from "../gen/gl_constants_gen.ts";
import * as e from "../gen/egl_constants_gen.ts";
import { type EglRequirement, row } from "./requirement.ts";
import type { Session } from "./session.ts";

const OPTIONAL = [[3, 2], [3, 1], [3, 0]] as const;

/** GL1 and GL7: the versions that there are. */
export function versionRows(session: Session): EglRequirement[] {
  return [
    row("GL1", "There is a driver for EGL.", "pass", `EGL ${driverVersion(session)}`, { own: "driver" }),
    mandatory(session, "1.x", [1, 1]),
    mandatory(session, "2.0", [2, 0]),
    optional(session),
    eglVersion(session),
  ];
}

function mandatory(session: Session, name: string, version: readonly [number, number]): EglRequirement {
  const requirement = `There is a driver for OpenGL ES ${name}.`, found = madeBy(session, version);
  if (found instanceof Error) return row("GL1", requirement, "fail", found.message, { advice: ADVICE });
  return row("GL1", requirement, "pass", found, { own: "driver" });
}

const ADVICE = "name a driver with OpenGL ES 1.x and 2.0; three libraries have each in one of its own";

function optional(session: Session): EglRequirement {
  const requirement = "OpenGL ES 3.x is optional.";
  for (const version of OPTIONAL) {
    const found = madeBy(session, version);
    if (typeof found === "string") {
      return row("GL1", requirement, "report", `${version.join(".")}: ${found}`, { own: "driver" });
    }
  }
  return row("GL1", requirement, "report", "no context of 3.0 or newer can be made");
}

/** What a context of a version says it is, or why there is none. */
function madeBy(session: Session, version: readonly [number, number]): string | Error {
  const { gl } = session.egl;
  try {
    return session.within(version, () => `${gl.glGetString(GL_VERSION)} on ${gl.glGetString(GL_RENDERER)}`);
  } catch (error) {
    return error as Error;
  }
}

function eglVersion(session: Session): EglRequirement {
  const requirement = "Android 10 implements the EGL 1.5 interface.", found = `EGL ${driverVersion(session)}`;
  const shown = session.egl.eglQueryString(session.display, e.EGL_VERSION);
  if (shown.startsWith("1.5")) return row("GL7", requirement, "pass", found, { own: "driver" });
  return row("GL7", requirement, "fail", `${found}; applications see ${shown}`, {
    advice: "get a driver of EGL 1.5 with all its functions; one that lacks some counts as 1.4",
  });
}

function driverVersion({ egl, display }: Session): string {
  return egl.eglQueryStringImplementationANDROID(display, e.EGL_VERSION);
}
