import { demand, reported } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import { GL_RENDERER, GL_VERSION } from "../gen/gl_constants_gen.js";
import * as e from "../gen/egl_constants_gen.js";
import { type EglRule, GUIDE, ofDriver, type Rule } from "./requirement.ts";
import type { Session } from "./session.ts";

const CTS = "CTS android.opengl.cts.OpenGlEsVersionTest#testOpenGlEsVersion";
/** The rule on which all others depend. */
export const THERE: Rule = {
  id: "GL1",
  rule: "egl.version.driver",
  requirement: "There is a driver for EGL.",
  source: `${GUIDE}, requirements`,
};
const NEWER = [[3, 2], [3, 1], [3, 0]] as const;

const ADVICE = "name a driver with OpenGL ES 1.x and 2.0; three libraries have each in one of its own";

/** GL1 and GL7: the versions of EGL and OpenGL ES. */
export const VERSION_RULES: readonly EglRule[] = [
  { ...THERE, check: checkDriver },
  mandatory("1.x", [1, 1]),
  mandatory("2.0", [2, 0]),
  {
    id: "GL1",
    rule: "egl.version.gles3",
    requirement: "OpenGL ES 3.x is optional.",
    source: `${GUIDE}, requirements; CDD 7.1.4.1; ${CTS}`,
    check: newest,
  },
  {
    id: "GL7",
    rule: "egl.version.1.5",
    requirement: "Android 10 implements the EGL 1.5 interface.",
    source: `${GUIDE}, requirements`,
    check: checkEglVersion,
  },
];

/** Checks that the driver has one of the versions that Android's loader can use. */
function checkDriver(session: Session): Outcome {
  const found = `EGL ${driverVersion(session)}`;
  return demand(/^EGL 1\.[45]\b/.test(found), found, "the driver must have EGL 1.4 or 1.5 and say so", "driver");
}

function mandatory(name: string, version: readonly [number, number]): EglRule {
  return {
    id: "GL1",
    rule: `egl.version.gles${version[0]}`,
    requirement: `There is a driver for OpenGL ES ${name}.`,
    source: `${GUIDE}, requirements; CDD 7.1.4.1`,
    check(session) {
      const found = madeBy(session, version);
      return found instanceof Error ? demand(false, found.message, ADVICE) : ofDriver(found);
    },
  };
}

function newest(session: Session): Outcome {
  for (const version of NEWER) {
    const found = madeBy(session, version);
    if (typeof found === "string") {
      return { status: "report", found: `${version.join(".")}: ${found}`, own: "driver" };
    }
  }
  return reported("no context of 3.0 or newer can be made");
}

/** The version and renderer of a context of a version, or the error of its creation. */
function madeBy(session: Session, version: readonly [number, number]): string | Error {
  const { gl } = session.egl;
  try {
    return session.within(version, () => `${gl.glGetString(GL_VERSION)} on ${gl.glGetString(GL_RENDERER)}`);
  } catch (error) {
    return error as Error;
  }
}

function checkEglVersion(session: Session): Outcome {
  const found = `EGL ${driverVersion(session)}`;
  const shown = session.egl.eglQueryString(session.display, e.EGL_VERSION);
  if (shown.startsWith("1.5")) return ofDriver(found);
  const advice = "get a driver of EGL 1.5 with all its functions; one that lacks some counts as 1.4";
  return demand(false, `${found}; applications see ${shown}`, advice);
}

function driverVersion({ egl, display }: Session): string {
  return egl.eglQueryStringImplementationANDROID(display, e.EGL_VERSION);
}
