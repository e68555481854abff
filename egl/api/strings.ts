import { NativeBlock } from "../../ffi/block.ts";
import { EGL_EXTENSIONS } from "../gen/egl_constants_gen.js";
import { STRING_NAMES } from "./handle_table.ts";
import type { Display } from "./display.ts";
import type { State } from "./state.ts";

/** Android's client extensions. */
const OF_CLIENTS =
  "EGL_ANDROID_GLES_layers EGL_ANGLE_platform_angle EGL_EXT_client_extensions EGL_KHR_platform_android ";
/** The ones that also hold beside displays of the driver's own. */
const OF_LINUX_CLIENTS = ["EGL_ANDROID_GLES_layers", "EGL_EXT_client_extensions", "EGL_KHR_platform_android"];

/** The extensions that the loader provides over every driver. */
const BUILT_IN = `
EGL_ANDROID_front_buffer_auto_refresh EGL_ANDROID_get_native_client_buffer EGL_ANDROID_presentation_time
EGL_EXT_surface_CTA861_3_metadata EGL_EXT_surface_SMPTE2086_metadata EGL_KHR_get_all_proc_addresses
EGL_KHR_swap_buffers_with_damage`;
const WIDE_COLOR = `
EGL_EXT_gl_colorspace_scrgb EGL_EXT_gl_colorspace_scrgb_linear EGL_EXT_gl_colorspace_display_p3_linear
EGL_EXT_gl_colorspace_display_p3 EGL_EXT_gl_colorspace_display_p3_passthrough`;
const HDR = "EGL_EXT_gl_colorspace_bt2020_hlg EGL_EXT_gl_colorspace_bt2020_linear EGL_EXT_gl_colorspace_bt2020_pq";

/** The driver's extensions that are shown, in this order. */
const ALLOWED = `
EGL_ANDROID_image_native_buffer EGL_ANDROID_native_fence_sync EGL_ANDROID_recordable EGL_EXT_buffer_age
EGL_EXT_create_context_robustness EGL_EXT_image_gl_colorspace EGL_EXT_pixel_format_float EGL_EXT_protected_content
EGL_EXT_yuv_surface EGL_IMG_context_priority EGL_KHR_config_attribs EGL_KHR_create_context
EGL_KHR_create_context_no_error EGL_KHR_fence_sync EGL_KHR_gl_colorspace EGL_KHR_gl_renderbuffer_image
EGL_KHR_gl_texture_2D_image EGL_KHR_gl_texture_3D_image EGL_KHR_gl_texture_cubemap_image EGL_KHR_image
EGL_KHR_image_base EGL_KHR_image_pixmap EGL_KHR_lock_surface EGL_KHR_mutable_render_buffer
EGL_KHR_no_config_context EGL_KHR_partial_update EGL_KHR_reusable_sync EGL_KHR_stream
EGL_KHR_stream_consumer_gltexture EGL_KHR_stream_cross_process_fd EGL_KHR_stream_fifo
EGL_KHR_stream_producer_eglsurface EGL_KHR_surfaceless_context EGL_KHR_wait_sync EGL_NV_context_priority_realtime
EGL_NV_system_time`;

/** The names in a list of extensions. */
export function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** The extensions a display shows: the loader's own, then those of the driver's that may be shown. */
export function displayExtensions(state: State, { driverExtensions }: Display): string {
  const { wideColor, hdrDisplay } = state.options, colors = driverExtensions.has("EGL_KHR_gl_colorspace");
  const provided = state.provided;
  const all = [
    ...words(BUILT_IN),
    ...state.driver.kind === "angle" ? [] : ["EGL_ANDROID_get_frame_timestamps"],
    ...colors && wideColor ? words(WIDE_COLOR) : [],
    ...colors && hdrDisplay ? words(HDR) : [],
    ...words(ALLOWED).filter((name) => driverExtensions.has(name) || provided.has(name)),
  ];
  return all.map((name) => `${name} `).join("");
}

/** The client extensions: Android's, or with displays of the driver's own what the driver says, and ours. */
export function clientExtensions({ platform, calls, driver }: State): string {
  if (platform === "android") return OF_CLIENTS;
  const own = calls.has("eglQueryString") ? words(calls.string(0n, EGL_EXTENSIONS)) : [];
  if (own.length === 0 && calls.has("eglGetError")) calls.error(); // an old driver has no such string, and says so
  const base = calls.has("eglGetPlatformDisplayEXT") ? ["EGL_EXT_platform_base"] : [];
  const platforms = words(driver.platformExtensions ?? "");
  return [...new Set([...own, ...base, ...platforms, ...OF_LINUX_CLIENTS])].join(" ");
}

/** Strings in native memory, each with a NUL: their addresses in order, and the memory. */
export function placeStrings(texts: readonly string[]): { memory: NativeBlock; addresses: bigint[] } {
  const encoded = texts.map((text) => new TextEncoder().encode(text + "\0"));
  const memory = new NativeBlock(encoded.reduce((sum, { length }) => sum + length, 0) || 1);
  let at = 0;
  const addresses = encoded.map((bytes) => {
    memory.bytes.set(bytes, at);
    at += bytes.length;
    return memory.address + BigInt(at - bytes.length);
  });
  return { memory, addresses };
}

/** Sets what eglQueryString() answers for a display that has just been initialized. */
export function setStrings(state: State, display: Display): void {
  const version = display.is15 ? "1.5 Android META-EGL" : "1.4 Android META-EGL";
  const { memory, addresses } = placeStrings(["Android", version, displayExtensions(state, display), "OpenGL_ES"]);
  const before = display.memory;
  display.memory = memory;
  display.strings = new Map(STRING_NAMES.map((name, index) => [name, addresses[index]]));
  state.handles.setAndroid(display.shown, addresses);
  before?.close();
}
