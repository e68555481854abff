import type { Attributes, Data, Numbers } from "./input.ts";
import type { ManyValued, Queried } from "./sizes.ts";

export type { Attributes, Data, ManyValued, Numbers, Queried };

/** A handle: an opaque bigint. Handles of different kinds are not assignable to each other; 0n is to all. */
export type Handle<Kind extends string> = bigint & { readonly __kind?: Kind };

/** A value of a GL enumeration. */
export type GLenum = number;
/** Bits. */
export type GLbitfield = number;
/** A sync object. */
export type GLsync = Handle<"GLsync">;
/** A display. */
export type EGLDisplay = Handle<"EGLDisplay">;
/** A frame buffer configuration. */
export type EGLConfig = Handle<"EGLConfig">;
/** A rendering context. */
export type EGLContext = Handle<"EGLContext">;
/** A surface. */
export type EGLSurface = Handle<"EGLSurface">;
/** An image. */
export type EGLImage = Handle<"EGLImage">;
/** A sync object of EGL. */
export type EGLSync = Handle<"EGLSync">;
/** A buffer of another API. */
export type EGLClientBuffer = Handle<"EGLClientBuffer">;
/** A device of EGL_EXT_device_base. */
export type EGLDeviceEXT = Handle<"EGLDeviceEXT">;
/** An output layer of EGL_EXT_output_base. */
export type EGLOutputLayerEXT = Handle<"EGLOutputLayerEXT">;
/** An output port of EGL_EXT_output_base. */
export type EGLOutputPortEXT = Handle<"EGLOutputPortEXT">;
/** A stream. */
export type EGLStreamKHR = Handle<"EGLStreamKHR">;
/** Any object of EGL. */
export type EGLObjectKHR = bigint;
/** A label of EGL_KHR_debug. */
export type EGLLabelKHR = bigint;

/** A message of the driver's debug log. */
export interface DebugMessage {
  /** GL_DEBUG_SOURCE_… */
  readonly source: number;
  /** GL_DEBUG_TYPE_… */
  readonly type: number;
  /** The driver's number for it. */
  readonly id: number;
  /** GL_DEBUG_SEVERITY_… */
  readonly severity: number;
  /** What it says. */
  readonly message: string;
}
