import { number, type OptionRules, typed, yesOrNo } from "../../../ffi/check_options.ts";
import {
  EGL_ALPHA_SIZE,
  EGL_BLUE_SIZE,
  EGL_CONTEXT_MAJOR_VERSION,
  EGL_CONTEXT_MINOR_VERSION,
  EGL_DRAW,
  EGL_GREEN_SIZE,
  EGL_HEIGHT,
  EGL_NO_CONTEXT,
  EGL_OPENGL_ES3_BIT,
  EGL_PBUFFER_BIT,
  EGL_PLATFORM_ANDROID_KHR,
  EGL_READ,
  EGL_RED_SIZE,
  EGL_RENDERABLE_TYPE,
  EGL_SURFACE_TYPE,
  EGL_WIDTH,
} from "../../../egl/gen/egl_constants_gen.js";
import { EglError } from "../../../egl/error.ts";
import type { Egl, EGLDisplay, Gl } from "../../../egl/mod.ts";
import { GL_MAX_TEXTURE_SIZE, GL_NO_ERROR, GL_RENDERER } from "../../../egl/gl.ts";
import { CompositionError } from "../backend.ts";

/** Settings of the EGL backend. */
export interface EglBackendOptions {
  /** The display for the backend's context. Default: the display of `EGL_PLATFORM_ANDROID_KHR`. */
  readonly display?: EGLDisplay;
  /** Number of layers that one draw call composes, 1 to 8. Default 8; a smaller number compiles faster. */
  readonly layersAtOnce?: number;
  /** Whether a shader is compiled for each kind of layer. Default `true`; `false` compiles few, slow shaders. */
  readonly specialise?: boolean;
}

/** The options of the backend, with the values that fit. */
export const EGL_BACKEND_RULES: OptionRules<EglBackendOptions> = {
  display: typed("an EGLDisplay", "object", "bigint"),
  layersAtOnce: number,
  specialise: yesOrNo,
};

/** A context of OpenGL ES 3 that composes. */
export interface GlDevice extends Disposable {
  /** The context's commands. */
  readonly gl: Gl;
  /** The driver's words for itself. */
  readonly name: string;
  /** The longest side of a texture. */
  readonly mostTexels: number;
  readonly layersAtOnce: number;
  readonly specialise: boolean;
  /**
   * Calls `work` with the context current, and restores what was current
   * before. Throws a `CompositionError` `device` if GL reports a failure.
   */
  within<Result>(work: () => Result): Result;
}

const MOST_LAYERS = 8;

/** Opens a context. Throws a `CompositionError` `device`. */
export function openGlDevice(egl: Egl, options: EglBackendOptions): GlDevice {
  const { layersAtOnce = MOST_LAYERS, specialise = true, display = androidDisplay(egl) } = options;
  if (!(Number.isInteger(layersAtOnce) && layersAtOnce >= 1 && layersAtOnce <= MOST_LAYERS)) {
    throw new RangeError(`Cannot compose ${layersAtOnce} layers at once: give 1 to ${MOST_LAYERS}`);
  }
  const owned = new DisposableStack();
  try {
    return { ...openContext(egl, display, owned), layersAtOnce, specialise, [Symbol.dispose]: () => owned.dispose() };
  } catch (error) {
    owned.dispose();
    if (!(error instanceof EglError)) throw error;
    throw new CompositionError("device", `Cannot compose with OpenGL ES: ${error.message}`, { cause: error });
  }
}

function androidDisplay(egl: Egl): EGLDisplay {
  return egl.eglGetPlatformDisplay(EGL_PLATFORM_ANDROID_KHR, 0n);
}

type Context = Pick<GlDevice, "gl" | "name" | "mostTexels" | "within">;

function openContext(egl: Egl, display: EGLDisplay, owned: DisposableStack): Context {
  egl.eglInitialize(display);
  const [config] = egl.eglChooseConfig(display, {
    [EGL_SURFACE_TYPE]: EGL_PBUFFER_BIT,
    [EGL_RENDERABLE_TYPE]: EGL_OPENGL_ES3_BIT,
    ...Object.fromEntries([EGL_RED_SIZE, EGL_GREEN_SIZE, EGL_BLUE_SIZE, EGL_ALPHA_SIZE].map((name) => [name, 8])),
  });
  if (config === undefined) {
    throw new CompositionError("device", "Cannot compose with OpenGL ES: the driver has no version 3; give another");
  }
  const surface = egl.eglCreatePbufferSurface(display, config, { [EGL_WIDTH]: 1, [EGL_HEIGHT]: 1 });
  owned.defer(() => void egl.eglDestroySurface(display, surface));
  const version = { [EGL_CONTEXT_MAJOR_VERSION]: 3, [EGL_CONTEXT_MINOR_VERSION]: 0 };
  const context = egl.eglCreateContext(display, config, EGL_NO_CONTEXT, version);
  owned.defer(() => void egl.eglDestroyContext(display, context));
  const { gl } = egl;
  const within = <Result>(work: () => Result): Result => {
    const before = currentOf(egl);
    egl.eglMakeCurrent(display, surface, surface, context);
    try {
      const result = work();
      checkErrors(gl);
      return result;
    } finally {
      egl.raw.eglMakeCurrent(before.display || display, before.draw, before.read, before.context);
    }
  };
  return within(() => ({
    gl,
    name: gl.glGetString(GL_RENDERER) ?? "?",
    mostTexels: gl.glGetIntegerv(GL_MAX_TEXTURE_SIZE),
    within,
  }));
}

function currentOf({ raw }: Egl): { display: bigint; draw: bigint; read: bigint; context: bigint } {
  return {
    display: raw.eglGetCurrentDisplay(),
    draw: raw.eglGetCurrentSurface(EGL_DRAW),
    read: raw.eglGetCurrentSurface(EGL_READ),
    context: raw.eglGetCurrentContext(),
  };
}

function checkErrors({ raw }: Gl): void {
  const error = raw.glGetError();
  if (error === GL_NO_ERROR) return;
  const words = `Cannot compose with OpenGL ES: the driver says 0x${error.toString(16)}`;
  throw new CompositionError("device", `${words}; its memory may be full, or its context lost`);
}
