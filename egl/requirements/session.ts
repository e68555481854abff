import type { Egl } from "../api/egl.ts";
import { scopeOf } from "../api/scope.ts";
import { words } from "../api/strings.ts";
import type { EGLConfig, EGLContext, EGLDisplay, EGLSurface } from "../command/types.ts";
import { EglError } from "../error.ts";
import * as e from "../gen/egl_constants_gen.js";
import { EGL_DRAW, EGL_READ } from "../gen/egl_constants_gen.js";

const SIDE = 16;

/** Android's display of a loader, initialized for checks. At the end, the former objects are current again. */
export class Session implements Disposable {
  /** The loader. */
  readonly egl: Egl;
  /** The display of EGL_PLATFORM_ANDROID_KHR, initialized. */
  readonly display: EGLDisplay;
  /** The extensions that the display shows to applications. */
  readonly shown: ReadonlySet<string>;
  /** The extensions of the driver's own display. */
  readonly driver: ReadonlySet<string>;
  readonly #before: () => void;

  /** Initializes the display. Throws an `EglError` if that fails. */
  constructor(egl: Egl) {
    this.egl = egl;
    this.#before = remembered(egl);
    this.display = egl.eglGetPlatformDisplay(e.EGL_PLATFORM_ANDROID_KHR, 0n);
    egl.eglInitialize(this.display);
    this.shown = new Set(words(egl.eglQueryString(this.display, e.EGL_EXTENSIONS)));
    this.driver = new Set(words(egl.eglQueryStringImplementationANDROID(this.display, e.EGL_EXTENSIONS)));
  }

  /** The owner of an extension of the display; `undefined` if the display lacks the extension. */
  owner(extension: string): "driver" | "provided" | undefined {
    if (this.driver.has(extension)) return "driver";
    const { provided } = scopeOf(this.egl).state;
    return this.shown.has(extension) || provided.has(extension) ? "provided" : undefined;
  }

  /** A configuration for pbuffers and a version's contexts. Throws a `RangeError` if there is none. */
  config(major: number): EGLConfig {
    const [config] = this.egl.eglChooseConfig(this.display, {
      [e.EGL_SURFACE_TYPE]: e.EGL_PBUFFER_BIT,
      [e.EGL_RENDERABLE_TYPE]: major === 1 ? e.EGL_OPENGL_ES_BIT : e.EGL_OPENGL_ES2_BIT,
      [e.EGL_RED_SIZE]: 8,
    });
    if (config === undefined) throw new RangeError(`no configuration draws OpenGL ES ${major} into pbuffers`);
    return config;
  }

  /** Creates a context of a version. Throws an `EglError` if that fails. */
  createContext([major, minor]: readonly [number, number], more: Readonly<Record<number, number>> = {}): EGLContext {
    const attributes: Record<number, number> = { ...more, [e.EGL_CONTEXT_MAJOR_VERSION]: major };
    if (minor > 0) attributes[e.EGL_CONTEXT_MINOR_VERSION] = minor;
    return this.egl.eglCreateContext(this.display, this.config(major), 0n, attributes);
  }

  /** Creates a small surface for a version's contexts. */
  createSurface(major: number): EGLSurface {
    const sides = { [e.EGL_WIDTH]: SIDE, [e.EGL_HEIGHT]: SIDE };
    return this.egl.eglCreatePbufferSurface(this.display, this.config(major), sides);
  }

  /** Calls `use` with a context of a version current on a surface, and destroys both afterwards. */
  within<T>(version: readonly [number, number], use: () => T, more: Readonly<Record<number, number>> = {}): T {
    const { egl, display } = this, context = this.createContext(version, more);
    const surface = this.createSurface(version[0]);
    try {
      egl.eglMakeCurrent(display, surface, surface, context);
      return use();
    } finally {
      egl.eglMakeCurrent(display, 0n, 0n, 0n);
      egl.eglDestroySurface(display, surface);
      egl.eglDestroyContext(display, context);
    }
  }

  /** Does the same; returns `undefined` if no context of the version can be created. */
  withinOrNot<T>(version: readonly [number, number], use: () => T): T | undefined {
    try {
      return this.within(version, use);
    } catch (error) {
      if (error instanceof EglError || error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** Makes the former objects current again, and undoes the initialization. */
  [Symbol.dispose](): void {
    this.#before();
    this.egl.eglTerminate(this.display);
  }
}

function remembered(egl: Egl): () => void {
  const context = egl.eglGetCurrentContext(), display = egl.eglGetCurrentDisplay();
  const [draw, read] = [EGL_DRAW, EGL_READ].map((which) =>
    context ? egl.eglGetCurrentSurface(which) : 0n as EGLSurface
  );
  return () => {
    if (context) egl.eglMakeCurrent(display, draw, read, context);
  };
}
