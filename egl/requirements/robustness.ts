import { demand } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import type { Gl } from "../api/egl.ts";
import { EglError } from "../error.ts";
import * as e from "../gen/egl_constants_gen.js";
import * as g from "../gen/gl_constants_gen.js";
import { type EglRule, GUIDE, ofDriver } from "./requirement.ts";
import type { Session } from "./session.ts";

/** The attribute of EGL 1.5 and that of EGL_EXT_create_context_robustness. */
const STRATEGIES = [
  e.EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
  e.EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
];
const RESET_COMMANDS = [
  "glGetGraphicsResetStatus",
  "glGetGraphicsResetStatusKHR",
  "glGetGraphicsResetStatusEXT",
] as const;
const UNKNOWN = 0x7777;

/** A wrong call and the error that must follow. */
type Probe = readonly [what: string, error: number, work: (gl: Gl) => void];

/** Wrong calls that every version answers only with an error. */
const PROBES: readonly Probe[] = [
  ["glEnable() of no capability", g.GL_INVALID_ENUM, (gl) => gl.glEnable(UNKNOWN)],
  ["glDrawArrays() of no mode", g.GL_INVALID_ENUM, (gl) => gl.glDrawArrays(UNKNOWN, 0, 0)],
  ["glDrawArrays() of -1 vertices", g.GL_INVALID_VALUE, (gl) => gl.glDrawArrays(g.GL_TRIANGLES, 0, -1)],
  ["glViewport() of -1 by -1", g.GL_INVALID_VALUE, (gl) => gl.glViewport(0, 0, -1, -1)],
  ["glClear() of no buffer", g.GL_INVALID_VALUE, (gl) => gl.glClear(1)],
  ["glUseProgram() of no program", g.GL_INVALID_VALUE, (gl) => gl.glUseProgram(UNKNOWN)],
  ["glBindTexture() to no target", g.GL_INVALID_ENUM, (gl) => gl.glBindTexture(UNKNOWN, 0)],
];

/** GL1, robustness: wrong calls end with errors, and lost contexts are reported. */
export const ROBUSTNESS_RULES: readonly EglRule[] = [{
  id: "GL1",
  rule: "egl.robust.gles-errors",
  requirement: "The driver is robust: wrong calls of OpenGL ES end with an error and change nothing.",
  source: `${GUIDE}, requirements; OpenGL ES 2.0, 2.5 Errors`,
  check: wrongCalls,
}, {
  id: "GL1",
  rule: "egl.robust.egl-errors",
  requirement: "The driver is robust: wrong calls of EGL end with an error.",
  source: `${GUIDE}, requirements; EGL 1.5, 3.1 Errors`,
  check: wrongEglCalls,
}, {
  id: "GL1",
  rule: "egl.robust.context-loss",
  requirement: "The driver is robust: an application is told when its context is lost.",
  source: `${GUIDE}, requirements; EGL_EXT_create_context_robustness`,
  check: lostContexts,
}];

function wrongCalls(session: Session): Outcome {
  try {
    const wrong = session.within([2, 0], () => failedProbes(session.egl.gl));
    const advice = "the driver must answer as the specification says";
    if (wrong.length > 0) return demand(false, wrong.join("; "), advice, "driver");
    const found = `${PROBES.length} wrong calls and a shader of nonsense were answered, and drawing went on`;
    return ofDriver(found);
  } catch (error) {
    return demand(false, (error as Error).message, "see why no context can be made");
  }
}

function failedProbes(gl: Gl): string[] {
  const wrong: string[] = [];
  for (const [what, wanted, work] of PROBES) {
    work(gl);
    const error = gl.glGetError();
    if (error !== wanted) wrong.push(`${what}: 0x${error.toString(16)}, not 0x${wanted.toString(16)}`);
  }
  const shader = gl.glCreateShader(g.GL_FRAGMENT_SHADER);
  gl.glShaderSource(shader, "void main( { nonsense");
  gl.glCompileShader(shader);
  if (gl.glGetShaderiv(shader, g.GL_COMPILE_STATUS) !== 0) wrong.push("a shader of nonsense was compiled");
  gl.glDeleteShader(shader);
  gl.glClearColor(0, 1, 0, 1);
  gl.glClear(g.GL_COLOR_BUFFER_BIT);
  const pixel = [...gl.glReadPixels(0, 0, 1, 1, g.GL_RGBA, g.GL_UNSIGNED_BYTE)].join();
  if (pixel !== "0,255,0,255") wrong.push(`afterwards green is read as ${pixel}`);
  return wrong;
}

function wrongEglCalls(session: Session): Outcome {
  const { egl, display } = session;
  const probes: readonly (readonly [code: number, work: () => unknown])[] = [
    [e.EGL_BAD_ATTRIBUTE, () => egl.eglChooseConfig(display, [UNKNOWN, 1])],
    [e.EGL_BAD_CONFIG, () => egl.eglCreateContext(display, BigInt(UNKNOWN), 0n)],
    [e.EGL_BAD_ATTRIBUTE, () => egl.eglGetConfigAttrib(display, session.config(2), UNKNOWN)],
  ];
  const wrong = probes.map(([code, work]) => wrongCode(code, work)).filter((each) => each !== "");
  const advice = "the driver must answer as the specification says";
  if (wrong.length > 0) return demand(false, wrong.join("; "), advice, "driver");
  return ofDriver(`${probes.length} wrong calls were answered`);
}

function wrongCode(code: number, work: () => unknown): string {
  const wanted = new EglError("eglGetError", code).codeName;
  try {
    work();
    return `no error instead of ${wanted}`;
  } catch (error) {
    if (!(error instanceof EglError)) throw error;
    return error.code === code ? "" : `${error.command}: ${error.codeName} instead of ${wanted}`;
  }
}

function lostContexts(session: Session): Outcome {
  for (const strategy of STRATEGIES) {
    try {
      const found = session.within([2, 0], () => resetStatus(session), { [strategy]: e.EGL_LOSE_CONTEXT_ON_RESET });
      if (found !== "") return ofDriver(found);
    } catch (error) {
      if (!(error instanceof EglError)) throw error;
    }
  }
  return {
    status: "report",
    found: "no context tells of resets",
    advice: "EGL 1.5 or EGL_EXT_create_context_robustness, and GL_KHR_robustness or GL_EXT_robustness, would",
  };
}

function resetStatus({ egl }: Session): string {
  const name = RESET_COMMANDS.find((each) => egl.supports(each));
  if (!name) return "";
  const status = egl.gl[name]();
  return `${name}() of a context that loses itself on reset: ${
    status === g.GL_NO_ERROR ? "not lost" : `0x${status.toString(16)}`
  }`;
}
