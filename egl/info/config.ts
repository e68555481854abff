import { words } from "../api/strings.ts";
import type { EGLConfig } from "../command/types.ts";
import type { Session } from "../requirements/session.ts";
import * as egl from "../gen/egl_constants_gen.js";

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
export function configsOf({ egl, display, driver }: Session): EglConfigInfo[] {
  const added = Object.entries(ADDED).filter(([extension]) => driver.has(extension)).map(([, attribute]) => attribute);
  const names = [...ATTRIBUTES, ...added];
  const ask = (config: EGLConfig, name: string) => egl.eglGetConfigAttrib(display, config, valueOf(name));
  return egl.eglGetConfigs(display).map((config) => Object.fromEntries(names.map((name) => [name, ask(config, name)])));
}

function valueOf(name: string): number {
  return (egl as unknown as Record<string, number>)[name];
}
