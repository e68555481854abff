import {
  type Egl,
  EGL_BLUE_SIZE,
  EGL_CONTEXT_MAJOR_VERSION,
  EGL_CONTEXT_MINOR_VERSION,
  EGL_DEPTH_SIZE,
  EGL_GREEN_SIZE,
  EGL_HEIGHT,
  EGL_NO_CONTEXT,
  EGL_NO_SURFACE,
  EGL_OPENGL_ES2_BIT,
  EGL_OPENGL_ES_BIT,
  EGL_PBUFFER_BIT,
  EGL_PLATFORM_ANDROID_KHR,
  EGL_RED_SIZE,
  EGL_RENDERABLE_TYPE,
  EGL_SURFACE_TYPE,
  EGL_WIDTH,
} from "@pumice/gfx/egl";
import { GL_RENDERER, GL_RGBA, GL_UNSIGNED_BYTE, GL_VERSION } from "@pumice/gfx/gl";
import { paint, type Version } from "./painter.ts";
import { makeWorld } from "./world.ts";

/** Each pixel is the mean of this many in each direction. */
const FINER = 2;

/** A picture and who drew it. */
export interface Picture {
  /** RGBA, rows from the top. */
  readonly data: Uint8Array<ArrayBuffer>;
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** The driver's names for its version and its renderer. */
  readonly drawnBy: string;
}

/** Draws the world with a version of OpenGL ES into a surface without a window. */
export function drawPicture(egl: Egl, version: Version, [width, height]: readonly [number, number]): Picture {
  const [major, minor] = version.split(".").map(Number), size = [FINER * width, FINER * height] as const;
  const display = egl.eglGetPlatformDisplay(EGL_PLATFORM_ANDROID_KHR, 0n);
  egl.eglInitialize(display);
  const [config] = egl.eglChooseConfig(display, {
    [EGL_SURFACE_TYPE]: EGL_PBUFFER_BIT,
    [EGL_RENDERABLE_TYPE]: major === 1 ? EGL_OPENGL_ES_BIT : EGL_OPENGL_ES2_BIT,
    [EGL_RED_SIZE]: 8,
    [EGL_GREEN_SIZE]: 8,
    [EGL_BLUE_SIZE]: 8,
    [EGL_DEPTH_SIZE]: 24,
  });
  if (config === undefined) throw new Error(`"${egl.driver}" has no configuration for OpenGL ES ${version}`);
  const surface = egl.eglCreatePbufferSurface(display, config, { [EGL_WIDTH]: size[0], [EGL_HEIGHT]: size[1] });
  const attributes = { [EGL_CONTEXT_MAJOR_VERSION]: major, [EGL_CONTEXT_MINOR_VERSION]: minor };
  const context = egl.eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
  egl.eglMakeCurrent(display, surface, surface, context);
  try {
    const { gl } = egl;
    paint(gl, version, makeWorld(width / height), size);
    const data = shrunk(gl.glReadPixels(0, 0, size[0], size[1], GL_RGBA, GL_UNSIGNED_BYTE), [width, height]);
    return { data, width, height, drawnBy: `${gl.glGetString(GL_VERSION)} on ${gl.glGetString(GL_RENDERER)}` };
  } finally {
    egl.eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    egl.eglDestroyContext(display, context);
    egl.eglDestroySurface(display, surface);
    egl.eglTerminate(display);
  }
}

/** The mean of each block, opaque, with the rows from the top: OpenGL has them from the bottom. */
function shrunk(pixels: Uint8Array, [width, height]: readonly [number, number]): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(4 * width * height).fill(255), row = 4 * FINER * width;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (FINER * (height - y) - FINER) * row + 4 * FINER * x, to = 4 * (y * width + x);
      for (let channel = 0; channel < 3; channel++) {
        const at = from + channel;
        data[to + channel] = (pixels[at] + pixels[at + 4] + pixels[at + row] + pixels[at + row + 4] + 2) >> 2;
      }
    }
  }
  return data;
}
