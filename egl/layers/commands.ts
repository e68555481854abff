import { BLOB_CACHE_SETTER } from "../api/blob_cache_setter.ts";
import { extraCommand } from "../api/egl.ts";
import type { Command } from "../command/spec.ts";
import { eglCommands, glCommands } from "../dispatch/names.ts";

/** Queries of GL that Android's loader answers in part itself, in contexts of every version. */
export const QUERIES: readonly string[] = [
  "glGetString",
  "glGetStringi",
  "glGetBooleanv",
  "glGetFloatv",
  "glGetIntegerv",
  "glGetInteger64v",
];

/** A command of EGL or GL that layers can hook; `undefined` for other names. */
export function commandNamed(name: string): Command | undefined {
  if (name === BLOB_CACHE_SETTER) return undefined;
  return glCommands.find(name) ?? eglCommands.find(name) ?? extraCommand(name);
}

/** The names of all commands that layers can hook. */
export function allCommands(): string[] {
  const egl = eglCommands.names.filter((name) => name !== BLOB_CACHE_SETTER);
  return [...egl, "eglQueryStringImplementationANDROID", ...glCommands.names];
}

/** Whether a command is one of GL. */
export function isGl(name: string): boolean {
  return glCommands.slot(name) !== undefined;
}

/** Commands of EGL that concern the calling thread: its current objects, its API, its error. */
const OF_THREAD = new Set(
  `
eglMakeCurrent eglReleaseThread eglBindAPI eglQueryAPI eglGetError eglGetCurrentContext eglGetCurrentDisplay
eglGetCurrentSurface eglWaitClient eglWaitGL eglWaitNative eglSwapInterval eglSwapBuffers eglSwapBuffersWithDamageKHR
eglSwapBuffersWithDamageEXT eglCopyBuffers eglBindTexImage eglReleaseTexImage eglCreateSync eglCreateSyncKHR
eglWaitSync eglWaitSyncKHR eglCreateImage eglCreateImageKHR eglCreateContext`.trim().split(/\s+/),
);

/** Whether a command depends on the calling thread. All commands of GL do. */
export function isOfThread(name: string): boolean {
  return isGl(name) || OF_THREAD.has(name);
}

/** The commands of libEGL that Android's layers hook, in libEGL's order. */
const PLATFORM = `
eglGetDisplay eglGetPlatformDisplay eglInitialize eglTerminate eglGetConfigs eglChooseConfig eglGetConfigAttrib
eglCreateWindowSurface eglCreatePlatformWindowSurface eglCreatePixmapSurface eglCreatePlatformPixmapSurface
eglCreatePbufferSurface eglDestroySurface eglQuerySurface eglBeginFrame eglCreateContext eglDestroyContext
eglMakeCurrent eglQueryContext eglGetCurrentContext eglGetCurrentSurface eglGetCurrentDisplay eglWaitGL eglWaitNative
eglGetError eglGetProcAddress eglSwapBuffersWithDamageKHR eglSwapBuffers eglCopyBuffers eglQueryString
eglQueryStringImplementationANDROID eglSurfaceAttrib eglBindTexImage eglReleaseTexImage eglSwapInterval eglWaitClient
eglBindAPI eglQueryAPI eglReleaseThread eglCreatePbufferFromClientBuffer eglLockSurfaceKHR eglUnlockSurfaceKHR
eglCreateImage eglDestroyImage eglCreateImageKHR eglDestroyImageKHR eglCreateSync eglDestroySync eglCreateSyncKHR
eglDestroySyncKHR eglSignalSyncKHR eglClientWaitSync eglClientWaitSyncKHR eglGetSyncAttrib eglGetSyncAttribKHR
eglCreateStreamKHR eglDestroyStreamKHR eglStreamAttribKHR eglQueryStreamKHR eglQueryStreamu64KHR eglQueryStreamTimeKHR
eglCreateStreamProducerSurfaceKHR eglStreamConsumerGLTextureExternalKHR eglStreamConsumerAcquireKHR
eglStreamConsumerReleaseKHR eglGetStreamFileDescriptorKHR eglCreateStreamFromFileDescriptorKHR eglWaitSync
eglWaitSyncKHR eglDupNativeFenceFDANDROID eglPresentationTimeANDROID eglGetNativeClientBufferANDROID
eglGetSystemTimeFrequencyNV eglGetSystemTimeNV eglSetDamageRegionKHR eglGetNextFrameIdANDROID
eglGetCompositorTimingANDROID eglGetCompositorTimingSupportedANDROID eglGetFrameTimestampsANDROID
eglGetFrameTimestampSupportedANDROID`.trim().split(/\s+/);

/** Functions of drivers that have slots in libEGL, but that libEGL does not call by these names. */
const DRIVER = [
  "eglCreatePlatformWindowSurfaceEXT",
  "eglCreatePlatformPixmapSurfaceEXT",
  "eglSetSwapRectangleANDROID",
  "eglGetRenderBufferANDROID",
  "eglCreateNativeClientBufferANDROID",
];
/** A command of Android's with another name in the registry. */
const ANDROID = "glMultiDrawElementsBaseVertexOES";

let walk: readonly string[] | undefined;

/**
 * The names about which native layers are asked, in order: libEGL's own and the six queries, the driver's slots, GL. GL
 * commands of the registry that Android's list does not have yet are included.
 */
export function walkedNames(): readonly string[] {
  if (walk) return walk;
  const gl = [...glCommands.names.filter((name) => !QUERIES.includes(name)), ANDROID].sort();
  return walk = [...PLATFORM, ...QUERIES, ...DRIVER, ...gl];
}
