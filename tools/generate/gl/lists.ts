/**
 * The code of each C type in the command tables; see `LETTERS` in
 * egl/command/spec.ts. EGL handles keep their names.
 */
export const CODES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    e: "GLenum EGLenum",
    u: "GLuint GLhandleARB",
    x: "GLbitfield",
    i: "GLint GLsizei GLfixed GLclampx EGLint EGLNativeFileDescriptorKHR int",
    b: "GLboolean",
    B: "EGLBoolean",
    y: "GLbyte",
    Y: "GLubyte",
    h: "GLshort",
    H: "GLushort GLhalf GLhalfNV",
    f: "GLfloat GLclampf",
    d: "GLdouble GLclampd",
    l: "GLint64 GLint64EXT EGLnsecsANDROID",
    L: "GLuint64 GLuint64EXT EGLTime EGLTimeKHR EGLTimeNV EGLuint64KHR EGLuint64NV",
    z: "GLintptr GLsizeiptr EGLAttrib EGLAttribKHR EGLsizeiANDROID",
    S: "GLsync",
    P: "GLeglImageOES GLeglClientBufferEXT GLDEBUGPROC GLDEBUGPROCKHR GLVULKANPROCNV EGLDEBUGPROCKHR " +
      "EGLSetBlobFuncANDROID EGLGetBlobFuncANDROID EGLNativeDisplayType EGLNativePixmapType EGLNativeWindowType " +
      "__eglMustCastToProperFunctionPointerType",
    c: "GLchar char",
    v: "void GLvoid AHardwareBuffer wl_display wl_buffer wl_resource EGLClientPixmapHI",
  }).flatMap(([code, types]) => types.split(" ").map((type): [string, string] => [type, code])),
);

/** The handle types of EGL; what extensions call differently but means the same. */
export const HANDLES: ReadonlyMap<string, string> = new Map([
  ..."EGLDisplay EGLConfig EGLContext EGLSurface EGLImage EGLSync EGLClientBuffer EGLDeviceEXT EGLOutputLayerEXT".split(
    " ",
  ).map((name): [string, string] => [name, name]),
  ["EGLOutputPortEXT", "EGLOutputPortEXT"],
  ["EGLStreamKHR", "EGLStreamKHR"],
  ["EGLObjectKHR", "EGLObjectKHR"],
  ["EGLLabelKHR", "EGLLabelKHR"],
  ["EGLImageKHR", "EGLImage"],
  ["EGLSyncKHR", "EGLSync"],
  ["EGLSyncNV", "EGLSync"],
]);

/** Lengths that the registries leave out or say in a way of their own, by command and parameter. */
export const LENGTHS: ReadonlyMap<string, string> = new Map([
  ["eglChooseConfig.configs", "config_size>num_config"],
  ["eglGetConfigs.configs", "config_size>num_config"],
  ["eglQueryDevicesEXT.devices", "max_devices>num_devices"],
  ["eglGetOutputLayersEXT.layers", "max_layers>num_layers"],
  ["eglGetOutputPortsEXT.ports", "max_ports>num_ports"],
  ["eglQueryDmaBufFormatsEXT.formats", "max_formats>num_formats"],
  ["eglQueryDmaBufModifiersEXT.modifiers", "max_modifiers>num_modifiers"],
  ["eglQueryDmaBufModifiersEXT.external_only", "max_modifiers>num_modifiers"],
  ["eglQuerySupportedCompressionRatesEXT.rates", "rate_size>num_rates"],
  ["eglGetCompositorTimingANDROID.names", "numTimestamps"],
  ["eglGetCompositorTimingANDROID.values", "numTimestamps"],
  ["eglGetFrameTimestampsANDROID.timestamps", "numTimestamps"],
  ["eglGetFrameTimestampsANDROID.values", "numTimestamps"],
  ["eglSwapBuffersWithDamageKHR.rects", "n_rects*4"],
  ["eglSwapBuffersWithDamageEXT.rects", "n_rects*4"],
  ["eglSetDamageRegionKHR.rects", "n_rects*4"],
  ["eglSwapBuffersRegionNOK.rects", "numRects*4"],
  ["eglSwapBuffersRegion2NOK.rects", "numRects*4"],
  ["eglExportDMABUFImageMESA.fds", "4"],
  ["eglExportDMABUFImageMESA.strides", "4"],
  ["eglExportDMABUFImageMESA.offsets", "4"],
  ["eglExportDMABUFImageQueryMESA.modifiers", "1"],
  ["eglCompositorSetContextAttributesEXT.context_attributes", "num_entries"],
  ["eglCompositorSetContextListEXT.external_ref_ids", "num_entries"],
  ["eglCompositorSetWindowAttributesEXT.window_attributes", "num_entries"],
  ["eglCompositorSetWindowListEXT.external_win_ids", "num_entries"],
  ["eglStreamImageConsumerConnectNV.modifiers", "num_modifiers"],
  ["glGetAttachedShaders.shaders", "maxCount"],
  ["glGetUniformIndices.uniformNames", "uniformCount"],
  ["glGetUniformIndices.uniformIndices", "uniformCount"],
  ["glGetActiveUniformsiv.params", "uniformCount"],
  ["glGetProgramResourcefvNV.props", "propCount"],
  ["glDebugMessageInsert.buf", "length"],
  ["glDebugMessageInsertKHR.buf", "length"],
  ["glPushDebugGroup.message", "length"],
  ["glPushDebugGroupKHR.message", "length"],
  ["glObjectLabel.label", "length"],
  ["glObjectLabelKHR.label", "length"],
  ["glLabelObjectEXT.label", "length"],
  ["glInsertEventMarkerEXT.marker", "length"],
  ["glPushGroupMarkerEXT.marker", "length"],
  ["glGetProgramBinary.binary", "bufSize"],
  ["glGetProgramBinaryOES.binary", "bufSize"],
]);

/** Pointers that the registry doesn't declare const, though what they lead to is only read. */
export const READ_ONLY: ReadonlySet<string> = new Set([
  "eglSwapBuffersWithDamageKHR.rects",
  "eglSetDamageRegionKHR.rects",
  "glGetPerfQueryIdByNameINTEL.queryName",
]);

const PIXELS = "x: number, y: number, width: number, height: number, format: GLenum, type: GLenum";
const LISTENER = "(callback: ((message: GlDebugMessage) => void) | bigint | null, userParam?: bigint): void";
const VIEW = "Uint8Array | null";

/** Methods that are made by hand, or whose types the tables cannot tell: their parameters and results, one for each way to call them. */
export const METHODS: ReadonlyMap<string, readonly string[]> = new Map([
  ["glReadPixels", [`(${PIXELS}): Uint8Array`, `<Pixels extends GlData>(${PIXELS}, pixels: Pixels): Pixels`]],
  ["glMapBufferRange", [`(target: GLenum, offset: number | bigint, length: number, access: GLbitfield): ${VIEW}`]],
  ["glMapBufferRangeEXT", [`(target: GLenum, offset: number | bigint, length: number, access: GLbitfield): ${VIEW}`]],
  ["glMapBufferOES", [`(target: GLenum, access: GLenum): ${VIEW}`]],
  ["glGetDebugMessageLog", ["(count: number): GlDebugMessage[]"]],
  ["glGetDebugMessageLogKHR", ["(count: number): GlDebugMessage[]"]],
  ["glDebugMessageCallback", [LISTENER]],
  ["glDebugMessageCallbackKHR", [LISTENER]],
  ["eglGetCompositorTimingSupportedANDROID", ["(dpy: EGLDisplay, surface: EGLSurface, name: number): boolean"]],
  ["eglGetFrameTimestampSupportedANDROID", ["(dpy: EGLDisplay, surface: EGLSurface, timestamp: number): boolean"]],
]);
