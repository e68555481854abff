import {
  type Egl,
  EGL_ALPHA_SIZE,
  EGL_BLUE_SIZE,
  EGL_CONTEXT_MAJOR_VERSION,
  EGL_CONTEXT_MINOR_VERSION,
  EGL_DEPTH_SIZE,
  EGL_GREEN_SIZE,
  EGL_HEIGHT,
  EGL_NO_CONTEXT,
  EGL_OPENGL_ES2_BIT,
  EGL_OPENGL_ES_BIT,
  EGL_PBUFFER_BIT,
  EGL_RED_SIZE,
  EGL_RENDERABLE_TYPE,
  EGL_SURFACE_TYPE,
  EGL_WIDTH,
  type EGLConfig,
  type EGLContext,
  type EGLDisplay,
  type EGLSurface,
  type Gl,
  type LayeredEgl,
  loadEgl,
  type LoadEglOptions,
} from "../../egl/mod.ts";
import type { TestDriver } from "./drivers.ts";

/** Sides of the surface that tests draw to. */
export const SIDE = 16;

/** A loader with a display, a context and a surface, which are current. */
export interface Opened extends Disposable {
  readonly egl: LayeredEgl;
  readonly gl: Gl;
  readonly display: EGLDisplay;
  readonly config: EGLConfig;
  readonly context: EGLContext;
  readonly surface: EGLSurface;
  /** The loader's sentences. */
  readonly said: readonly string[];
}

/** Opens a driver by Android's rules and makes a context of this version current on a pbuffer of 16 by 16. */
export function openContext(
  driver: TestDriver,
  [major, minor]: readonly number[] = [2, 0],
  options: LoadEglOptions = {},
): Opened {
  const said: string[] = [];
  const egl = loadEgl({ driver: driver.open(), platform: "android", log: (message) => said.push(message), ...options });
  try {
    const display = egl.eglGetDisplay(0n);
    egl.eglInitialize(display);
    const config = chooseConfig(egl, display, major);
    const surface = egl.eglCreatePbufferSurface(display, config, { [EGL_WIDTH]: SIDE, [EGL_HEIGHT]: SIDE });
    const context = createContext(egl, display, config, [major, minor]);
    egl.eglMakeCurrent(display, surface, surface, context);
    return { egl, gl: egl.gl, display, config, context, surface, said, [Symbol.dispose]: () => egl.close() };
  } catch (error) {
    egl.close();
    throw error;
  }
}

/** A configuration of eight bits each with depth, for pbuffers. */
export function chooseConfig(egl: Egl, display: EGLDisplay, major = 2): EGLConfig {
  return egl.eglChooseConfig(display, {
    [EGL_SURFACE_TYPE]: EGL_PBUFFER_BIT,
    [EGL_RENDERABLE_TYPE]: major === 1 ? EGL_OPENGL_ES_BIT : EGL_OPENGL_ES2_BIT,
    [EGL_RED_SIZE]: 8,
    [EGL_GREEN_SIZE]: 8,
    [EGL_BLUE_SIZE]: 8,
    [EGL_ALPHA_SIZE]: 8,
    [EGL_DEPTH_SIZE]: 16,
  })[0];
}

/** A context of a version. */
export function createContext(egl: Egl, display: EGLDisplay, config: EGLConfig, [major, minor]: readonly number[]) {
  return egl.eglCreateContext(display, config, EGL_NO_CONTEXT, {
    [EGL_CONTEXT_MAJOR_VERSION]: major,
    [EGL_CONTEXT_MINOR_VERSION]: minor,
  });
}
