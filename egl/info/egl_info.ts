import type { Egl } from "../api/egl.ts";
import { words } from "../api/strings.ts";
import * as e from "../gen/egl_constants_gen.js";
import { GL_SHADING_LANGUAGE_VERSION } from "../gen/gl_constants_gen.js";
import { describeContext } from "../requirements/describe.ts";
import { Session } from "../requirements/session.ts";
import { configsOf, type EglConfigInfo } from "./config.ts";
import { type GlLimits, limitsOf } from "./limits.ts";

/** The strings of a display. */
export interface EglStrings {
  /** EGL_VENDOR. */
  readonly vendor: string;
  /** EGL_VERSION. */
  readonly version: string;
  /** EGL_CLIENT_APIS. */
  readonly clientApis: readonly string[];
  /** EGL_EXTENSIONS of the display. */
  readonly extensions: readonly string[];
}

/** The capabilities of a context of one version of OpenGL ES. */
export interface GlesInfo {
  /** The requested version, such as `"3.0"`; the driver may return a newer one. */
  readonly version: string;
  /** GL_VENDOR. */
  readonly vendor: string;
  /** GL_RENDERER. */
  readonly renderer: string;
  /** GL_VERSION. */
  readonly glVersion: string;
  /** GL_SHADING_LANGUAGE_VERSION; `""` before 2.0. */
  readonly shadingLanguage: string;
  /** GL_EXTENSIONS. */
  readonly extensions: readonly string[];
  /** Every limit that the context reports. */
  readonly limits: GlLimits;
}

/** The capabilities of an EGL driver under this loader. */
export interface EglInfo {
  /** The driver's library. */
  readonly driver: string;
  /** The loader's client extensions. */
  readonly clientExtensions: readonly string[];
  /** The strings of Android's display, as applications see them. */
  readonly shown: EglStrings;
  /** The driver's own strings. */
  readonly own: EglStrings;
  /** Every configuration; attributes have their C names. */
  readonly configs: readonly EglConfigInfo[];
  /** OpenGL ES 1.1 to 3.2, for those versions for which a context can be created. */
  readonly contexts: readonly GlesInfo[];
}

const VERSIONS = [[1, 1], [2, 0], [3, 0], [3, 1], [3, 2]] as const;
type Ask = (name: number) => string;

/**
 * Returns the capabilities of an EGL driver: its strings and the loader's, configurations, and for each version of
 * OpenGL ES the strings, extensions and limits. Creates contexts for this and destroys them; the current context stays
 * current.
 *
 * @throws when Android's display cannot be initialized.
 *
 * @example The newest version of a driver
 * ```ts ignore
 * import { eglInfo, loadEgl } from "@pumice/gfx/egl";
 *
 * using egl = loadEgl();
 * const { contexts } = eglInfo(egl);
 * console.log(contexts.at(-1)?.glVersion, contexts.at(-1)?.limits.GL_MAX_TEXTURE_SIZE);
 * ```
 */
export function eglInfo(egl: Egl): EglInfo {
  using session = new Session(egl);
  const { display } = session;
  return {
    driver: egl.driver,
    clientExtensions: words(egl.eglQueryString(0n as typeof display, e.EGL_EXTENSIONS)),
    shown: stringsOf((name) => egl.eglQueryString(display, name)),
    own: stringsOf((name) => egl.eglQueryStringImplementationANDROID(display, name)),
    configs: configsOf(session),
    contexts: VERSIONS.flatMap((version) => contextOf(session, version) ?? []),
  };
}

function stringsOf(ask: Ask): EglStrings {
  return {
    vendor: ask(e.EGL_VENDOR),
    version: ask(e.EGL_VERSION),
    clientApis: words(ask(e.EGL_CLIENT_APIS)),
    extensions: words(ask(e.EGL_EXTENSIONS)),
  };
}

/** The facts of a context of a version; `undefined` if no such context can be created. */
function contextOf(session: Session, version: readonly [number, number]): GlesInfo | undefined {
  const { gl } = session.egl, [major] = version;
  return session.withinOrNot(version, () => {
    const { vendor, renderer, version: glVersion, extensions } = describeContext(gl);
    const shadingLanguage = major > 1 ? gl.glGetString(GL_SHADING_LANGUAGE_VERSION) : "";
    return {
      version: version.join("."),
      vendor,
      renderer,
      glVersion,
      shadingLanguage,
      extensions,
      limits: limitsOf(gl, major),
    };
  });
}
