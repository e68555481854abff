import {
  type Egl,
  EGL_ALPHA_SIZE,
  EGL_BLUE_SIZE,
  EGL_CONTEXT_MAJOR_VERSION,
  EGL_CONTEXT_MINOR_VERSION,
  EGL_GREEN_SIZE,
  EGL_NO_CONTEXT,
  EGL_OPENGL_ES2_BIT,
  EGL_OPENGL_ES_BIT,
  EGL_PLATFORM_ANDROID_KHR,
  EGL_RED_SIZE,
  EGL_RENDERABLE_TYPE,
  EGL_SURFACE_TYPE,
  EGL_WINDOW_BIT,
  type EGLConfig,
  type EGLContext,
  type EGLDisplay,
  type EglOptions,
  type EGLSurface,
  type Gl,
} from "../../../egl/mod.ts";
import { openScope } from "../../../egl/load_egl.ts";
import { type EglWindows, installWindows } from "../../../egl/window/install.ts";
import { NativeWindow, type NativeWindowOptions } from "../../../wsi/window/native_window.ts";
import type { Frame } from "../../../wsi/contract/frame_consumer.ts";
import type { TestDriver } from "../drivers.ts";

/** A loader with windows, and what was made with it. */
export interface Opened extends Disposable {
  readonly egl: Egl;
  readonly gl: Gl;
  readonly windows: EglWindows;
  readonly display: EGLDisplay;
  readonly config: EGLConfig;
  readonly context: EGLContext;
  readonly said: string[];
}

/** The wishes for what is opened. */
export interface Wanted {
  /** Version of OpenGL ES. */
  readonly version?: readonly [number, number];
  /** Bits of red, green, blue and alpha. */
  readonly bits?: readonly number[];
  /** More attributes of the configuration. */
  readonly config?: Record<number, number>;
  readonly options?: EglOptions;
}

/** A loader with windows, its display and a context, which is not current. */
export function openWindows(driver: TestDriver, wanted: Wanted = {}): Opened {
  const { version = [2, 0], bits = [8, 8, 8, 8], options } = wanted, said: string[] = [];
  const scope = openScope({ driver: driver.open(), log: (message) => said.push(message), ...options });
  const { egl } = scope, windows = installWindows(scope);
  try {
    const display = egl.eglGetPlatformDisplay(EGL_PLATFORM_ANDROID_KHR, 0n);
    egl.eglInitialize(display);
    const config = choose(egl, display, bits, { version, more: wanted.config });
    const context = egl.eglCreateContext(display, config, EGL_NO_CONTEXT, {
      [EGL_CONTEXT_MAJOR_VERSION]: version[0],
      [EGL_CONTEXT_MINOR_VERSION]: version[1],
    });
    return { egl, gl: egl.gl, windows, display, config, context, said, [Symbol.dispose]: () => egl.close() };
  } catch (error) {
    egl.close();
    throw error;
  }
}

/** The first configuration for windows with exactly these bits. */
export function choose(
  egl: Egl,
  display: EGLDisplay,
  bits: readonly number[],
  { version = [2, 0], more = {} }: { version?: readonly number[]; more?: Record<number, number> } = {},
): EGLConfig {
  const names = [EGL_RED_SIZE, EGL_GREEN_SIZE, EGL_BLUE_SIZE, EGL_ALPHA_SIZE];
  const found = egl.eglChooseConfig(display, {
    [EGL_SURFACE_TYPE]: EGL_WINDOW_BIT,
    [EGL_RENDERABLE_TYPE]: version[0] === 1 ? EGL_OPENGL_ES_BIT : EGL_OPENGL_ES2_BIT,
    ...Object.fromEntries(names.map((name, index) => [name, bits[index]])),
    ...more,
  }).find((config) => names.every((name, index) => egl.eglGetConfigAttrib(display, config, name) === bits[index]));
  if (found === undefined) throw new Error(`no configuration of ${bits}`);
  return found;
}

/** A window whose frames stay queued, so that a test takes them. */
export function openWindow(options: Partial<NativeWindowOptions> = {}): NativeWindow {
  return new NativeWindow({ width: 13, height: 7, ...options });
}

/** A surface on a window, current with the context. */
export function showIn(
  { egl, display, config, context }: Opened,
  native: NativeWindow,
  attributes: Record<number, number> = {},
): EGLSurface {
  const surface = egl.eglCreateWindowSurface(display, config, native.address, attributes);
  egl.eglMakeCurrent(display, surface, surface, context);
  return surface;
}

/** Takes the next frame, has it looked at and gives it back. */
export function takeFrame<T>(native: NativeWindow, look: (frame: Frame, bytes: Uint8Array) => T): T {
  const frame = native.frames.acquire();
  if (!frame) throw new Error("no frame is queued");
  try {
    return look(frame, frame.buffer.lock());
  } finally {
    frame.buffer.unlock();
    frame.release();
  }
}

/** A pixel of four bytes of a frame, counted from the top. */
export function pixelAt({ buffer: { rowPitch } }: Frame, bytes: Uint8Array, x: number, y: number): number[] {
  return [...bytes.subarray(y * rowPitch + 4 * x, y * rowPitch + 4 * x + 4)];
}
