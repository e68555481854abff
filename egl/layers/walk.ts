import { glCommands } from "../dispatch/names.ts";
import { QUERIES } from "./commands.ts";

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
