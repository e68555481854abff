import type { Egl } from "../api/egl.ts";
import { words } from "../api/strings.ts";
import type { EGLConfig } from "../command/types.ts";
import { GL_SHADING_LANGUAGE_VERSION } from "../gen/gl_constants_gen.js";
import { describeContext } from "../requirements/describe.ts";
import { Session } from "../requirements/session.ts";
import { type GlLimits, limitsOf } from "./limits.ts";
import * as e from "../gen/egl_constants_gen.js";
import * as egl from "../gen/egl_constants_gen.js";

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

/** The attributes of a configuration in EGL 1.5. */
const ATTRIBUTES = words(`
EGL_CONFIG_ID EGL_BUFFER_SIZE EGL_RED_SIZE EGL_GREEN_SIZE EGL_BLUE_SIZE EGL_LUMINANCE_SIZE EGL_ALPHA_SIZE
EGL_ALPHA_MASK_SIZE EGL_DEPTH_SIZE EGL_STENCIL_SIZE EGL_SAMPLE_BUFFERS EGL_SAMPLES EGL_COLOR_BUFFER_TYPE
EGL_CONFIG_CAVEAT EGL_CONFORMANT EGL_RENDERABLE_TYPE EGL_SURFACE_TYPE EGL_NATIVE_RENDERABLE EGL_NATIVE_VISUAL_ID
EGL_NATIVE_VISUAL_TYPE EGL_LEVEL EGL_BIND_TO_TEXTURE_RGB EGL_BIND_TO_TEXTURE_RGBA EGL_MAX_PBUFFER_WIDTH
EGL_MAX_PBUFFER_HEIGHT EGL_MAX_PBUFFER_PIXELS EGL_MIN_SWAP_INTERVAL EGL_MAX_SWAP_INTERVAL EGL_TRANSPARENT_TYPE
EGL_TRANSPARENT_RED_VALUE EGL_TRANSPARENT_GREEN_VALUE EGL_TRANSPARENT_BLUE_VALUE`);
/** The attributes that the driver's extensions add. */
const ADDED: Readonly<Record<string, string>> = {
  EGL_ANDROID_recordable: "EGL_RECORDABLE_ANDROID",
  EGL_ANDROID_framebuffer_target: "EGL_FRAMEBUFFER_TARGET_ANDROID",
  EGL_EXT_pixel_format_float: "EGL_COLOR_COMPONENT_TYPE_EXT",
};

/** The attributes of a configuration by their C names. */
export type EglConfigInfo = Readonly<Record<string, number>>;

/** Every configuration of a display, in the driver's order. */
function configsOf({ egl, display, driver }: Session): EglConfigInfo[] {
  const added = Object.entries(ADDED).filter(([extension]) => driver.has(extension)).map(([, attribute]) => attribute);
  const names = [...ATTRIBUTES, ...added];
  const ask = (config: EGLConfig, name: string) => egl.eglGetConfigAttrib(display, config, valueOf(name));
  return egl.eglGetConfigs(display).map((config) => Object.fromEntries(names.map((name) => [name, ask(config, name)])));
}

function valueOf(name: string): number {
  return (egl as unknown as Record<string, number>)[name];
}
