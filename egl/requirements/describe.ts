import { words } from "../api/strings.ts";
import type { Gl } from "../api/egl.ts";
import * as e from "../gen/egl_constants_gen.js";
import { GL_EXTENSIONS, GL_RENDERER, GL_VENDOR, GL_VERSION } from "../gen/gl_constants_gen.js";
import type { Session } from "./session.ts";

/** The strings of a display and of its newest context. */
export interface EglDescription {
  /** The driver's EGL_VENDOR. */
  readonly vendor: string;
  /** The driver's EGL_VERSION. */
  readonly version: string;
  /** The EGL_VERSION that applications see. */
  readonly shownVersion: string;
  /** The driver's EGL_CLIENT_APIS. */
  readonly clientApis: string;
  /** The driver's display extensions, in the driver's order. */
  readonly extensions: readonly string[];
  /** The display extensions that applications see, in order. */
  readonly shownExtensions: readonly string[];
  /** The newest context of OpenGL ES; `undefined` if none can be created. */
  readonly context: GlesDescription | undefined;
  /** The version of that context, `major << 16 | minor`; 0 without a context. */
  readonly glesVersion: number;
}

/** The strings of a context of OpenGL ES. */
export interface GlesDescription {
  /** GL_VENDOR. */
  readonly vendor: string;
  /** GL_RENDERER. */
  readonly renderer: string;
  /** GL_VERSION. */
  readonly version: string;
  /** GL_EXTENSIONS, in the driver's order. */
  readonly extensions: readonly string[];
}

const NEWEST_FIRST = [[3, 2], [3, 1], [3, 0], [2, 0], [1, 1]] as const;

/** Reads the strings of a display. */
export function describeDisplay(session: Session): EglDescription {
  const { egl, display } = session, context = newestContext(session);
  const own = (name: number) => egl.eglQueryStringImplementationANDROID(display, name);
  return {
    vendor: own(e.EGL_VENDOR),
    version: own(e.EGL_VERSION),
    shownVersion: egl.eglQueryString(display, e.EGL_VERSION),
    clientApis: own(e.EGL_CLIENT_APIS).trim(),
    extensions: [...session.driver],
    shownExtensions: [...session.shown],
    context,
    glesVersion: context ? versionOf(context.version) : 0,
  };
}

function newestContext(session: Session): GlesDescription | undefined {
  for (const version of NEWEST_FIRST) {
    const found = session.withinOrNot(version, () => describeContext(session.egl.gl));
    if (found) return found;
  }
  return undefined;
}

/** Reads the strings of the current context. */
export function describeContext(gl: Gl): GlesDescription {
  return {
    vendor: gl.glGetString(GL_VENDOR),
    renderer: gl.glGetString(GL_RENDERER),
    version: gl.glGetString(GL_VERSION),
    extensions: words(gl.glGetString(GL_EXTENSIONS)),
  };
}

/**
 * Converts a GL_VERSION string to the form of `ro.opengles.version`; 0 for a string that is not of OpenGL ES.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(versionOf("OpenGL ES 3.2 Mesa 22.3.6"), 196610);
 * assertEquals(versionOf("OpenGL ES-CM 1.1"), 65537);
 * ```
 */
export function versionOf(text: string): number {
  const found = /OpenGL ES(?:-C[ML])? (\d+)\.(\d+)/.exec(text);
  return found ? Number(found[1]) << 16 | Number(found[2]) : 0;
}
