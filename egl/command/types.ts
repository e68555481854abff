import type { EglAttributes, GlData, GlNumbers } from "./input.ts";
import type { GlQueried, ManyValued } from "./sizes.ts";

export type { EglAttributes, GlData, GlNumbers, GlQueried, ManyValued };

/**
 * An opaque handle, a bigint. Handles of different kinds cannot be assigned to each other; 0n can be assigned to every
 * kind.
 */
export type EglHandle<Kind extends string> = bigint & { readonly __kind?: Kind };

/** A value of a GL enumeration. */
export type GLenum = number;
/** Bits. */
export type GLbitfield = number;
/** A sync object. */
export type GLsync = EglHandle<"GLsync">;
/** A display. */
export type EGLDisplay = EglHandle<"EGLDisplay">;
/** A frame buffer configuration. */
export type EGLConfig = EglHandle<"EGLConfig">;
/** A rendering context. */
export type EGLContext = EglHandle<"EGLContext">;
/** A surface. */
export type EGLSurface = EglHandle<"EGLSurface">;
/** An image. */
export type EGLImage = EglHandle<"EGLImage">;
/** A sync object of EGL. */
export type EGLSync = EglHandle<"EGLSync">;
/** A buffer of another API. */
export type EGLClientBuffer = EglHandle<"EGLClientBuffer">;
/** A device of EGL_EXT_device_base. */
export type EGLDeviceEXT = EglHandle<"EGLDeviceEXT">;
/** An output layer of EGL_EXT_output_base. */
export type EGLOutputLayerEXT = EglHandle<"EGLOutputLayerEXT">;
/** An output port of EGL_EXT_output_base. */
export type EGLOutputPortEXT = EglHandle<"EGLOutputPortEXT">;
/** A stream. */
export type EGLStreamKHR = EglHandle<"EGLStreamKHR">;
/** Any object of EGL. */
export type EGLObjectKHR = bigint;
/** A label of EGL_KHR_debug. */
export type EGLLabelKHR = bigint;

/** A message of the driver's debug log. */
export interface GlDebugMessage {
  /** GL_DEBUG_SOURCE_… */
  readonly source: number;
  /** GL_DEBUG_TYPE_… */
  readonly type: number;
  /** The number that the driver gave the message. */
  readonly id: number;
  /** GL_DEBUG_SEVERITY_… */
  readonly severity: number;
  /** The text of the message. */
  readonly message: string;
}
