import type { NativeFunction } from "../../ffi/stubs.ts";
import { bufferOfHandle } from "../../wsi/buffer/known_buffers.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { type Pair, readAttributes } from "../api/attributes.ts";
import type { Display } from "../api/display.ts";
import type { EglScope } from "../api/scope.ts";
import type { RawCommand, State } from "../api/state.ts";
import { glCommands } from "../dispatch/names.ts";
import { ImageContext } from "./image_context.ts";
import { type TexelFormat, texelFormat, type YuvColor } from "./texels.ts";
import {
  EGL_BAD_ALLOC,
  EGL_BAD_ATTRIBUTE,
  EGL_BAD_CONTEXT,
  EGL_BAD_PARAMETER,
  EGL_GL_COLORSPACE,
  EGL_IMAGE_PRESERVED,
  EGL_ITU_REC2020_EXT,
  EGL_ITU_REC601_EXT,
  EGL_ITU_REC709_EXT,
  EGL_NATIVE_BUFFER_ANDROID,
  EGL_PROTECTED_CONTENT_EXT,
  EGL_SAMPLE_RANGE_HINT_EXT,
  EGL_YUV_COLOR_SPACE_HINT_EXT,
  EGL_YUV_FULL_RANGE_EXT,
} from "../gen/egl_constants_gen.js";

const KNOWN = new Set([
  EGL_IMAGE_PRESERVED,
  EGL_YUV_COLOR_SPACE_HINT_EXT,
  EGL_SAMPLE_RANGE_HINT_EXT,
  EGL_GL_COLORSPACE,
  EGL_PROTECTED_CONTENT_EXT,
]);
const MATRICES: Readonly<Record<number, YuvColor["matrix"]>> = {
  [EGL_ITU_REC601_EXT]: 601,
  [EGL_ITU_REC709_EXT]: 709,
  [EGL_ITU_REC2020_EXT]: 2020,
};
const FULL_RANGE = BigInt(EGL_YUV_FULL_RANGE_EXT);
/** The commands that bind an image. They copy the buffer's current pixels. */
const BINDING = [
  "glEGLImageTargetTexture2DOES",
  "glEGLImageTargetTexStorageEXT",
  "glEGLImageTargetRenderbufferStorageOES",
];

interface BufferImage {
  readonly buffer: GraphicBuffer;
  readonly texture: number;
  readonly texels: TexelFormat;
  readonly color: YuvColor;
  readonly context: ImageContext;
}

/**
 * EGL_ANDROID_image_native_buffer and _get_native_client_buffer for a driver that cannot sample a buffer's own memory.
 * An image is a texture that gets the buffer's pixels when it is made, and each time glEGLImageTarget… binds it.
 * Drawings to the image do not reach the buffer.
 */
export class NativeBuffers {
  readonly #state: State;
  readonly #contexts = new Map<bigint, ImageContext>();
  readonly #images = new Map<bigint, BufferImage>();

  /** Keeps the images of a loader. */
  constructor(state: State) {
    this.#state = state;
  }

  /** Whether a display's driver lacks the extension and has those that it can be built on. */
  static fits({ driverExtensions: has }: Display): boolean {
    return has.has("EGL_KHR_gl_texture_2D_image") && !has.has("EGL_ANDROID_image_native_buffer");
  }

  /** The commands, with the former commands for other arguments. */
  commands(before: (name: string) => RawCommand): Record<string, RawCommand> {
    return {
      eglGetNativeClientBufferANDROID: (buffer) => {
        this.#state.clearError();
        // The buffer's native handle stands for both AHardwareBuffer and ANativeWindowBuffer.
        return bufferOfHandle(buffer as bigint) ? buffer : this.#state.fail(EGL_BAD_PARAMETER, 0n);
      },
      eglCreateImage: this.#creation(before("eglCreateImage"), true),
      eglCreateImageKHR: this.#creation(before("eglCreateImageKHR"), false),
      eglDestroyImage: this.#destruction(before("eglDestroyImage")),
      eglDestroyImageKHR: this.#destruction(before("eglDestroyImageKHR")),
    };
  }

  /** Makes the commands that bind images copy the pixels first. */
  intercept({ gl }: EglScope): void {
    for (const name of BINDING) {
      const next = gl.callOf(glCommands.find(name)!);
      const call: NativeFunction = (target, image, ...rest) => {
        this.refresh(image as bigint);
        return next(target, image, ...rest);
      };
      gl.intercept(name, call);
    }
  }

  /** Copies a buffer's current pixels to an image. Returns `false` for an image without a buffer. */
  refresh(image: bigint): boolean {
    const found = this.#images.get(image);
    if (!found || found.buffer.isClosed) return false;
    found.context.refresh(found.texture, found.buffer, found.texels, found.color);
    return true;
  }

  /** Destroys the images of a display that is about to end. */
  leave(display: Display): void {
    const context = this.#contexts.get(display.handle);
    if (!context) return;
    for (const [image, { context: owner }] of this.#images) if (owner === context) this.#drop(image);
    context.close();
    this.#contexts.delete(display.handle);
  }

  #creation(before: RawCommand, wide: boolean): RawCommand {
    return (dpy, context, target, buffer, attributes) => {
      const display = this.#state.displays.get(dpy as bigint);
      const isOurs = target === EGL_NATIVE_BUFFER_ANDROID && display?.initialized && NativeBuffers.fits(display);
      if (!isOurs) return before(dpy, context, target, buffer, attributes);
      this.#state.clearError();
      const pairs = readAttributes(attributes as bigint, wide);
      return this.#create(display, context as bigint, bufferOfHandle(buffer as bigint), pairs);
    };
  }

  #create(display: Display, context: bigint, buffer: GraphicBuffer | undefined, pairs: readonly Pair[]): bigint {
    const state = this.#state;
    if (context !== 0n) return state.fail(EGL_BAD_CONTEXT, 0n);
    const texels = buffer && texelFormat(buffer);
    if (!buffer || !texels || (buffer.usage & USAGE.CPU_READ_MASK) === 0n) return state.fail(EGL_BAD_PARAMETER, 0n);
    if (pairs.some(([name]) => !KNOWN.has(name))) return state.fail(EGL_BAD_ATTRIBUTE, 0n);
    const owner = this.#contexts.get(display.handle) ?? ImageContext.open(state, display);
    if (!owner) return state.fail(EGL_BAD_ALLOC, 0n);
    this.#contexts.set(display.handle, owner);
    const color = colorOf(pairs), made = owner.makeImage(buffer, texels, color);
    if (!made) return state.fail(state.calls.error(), 0n);
    this.#images.set(made.image, { buffer: buffer.retain(), texture: made.texture, texels, color, context: owner });
    return made.image;
  }

  #destruction(before: RawCommand): RawCommand {
    return (dpy, image) => {
      const found = this.#images.get(image as bigint);
      if (!found || found.context.display !== dpy) return before(dpy, image);
      this.#state.clearError();
      const done = found.context.destroyImage(image as bigint);
      if (done !== 0) this.#drop(image as bigint);
      return done;
    };
  }

  #drop(image: bigint): void {
    const found = this.#images.get(image);
    if (!found) return;
    this.#images.delete(image);
    found.context.drop(found.texture);
    found.buffer.close();
  }
}

/** The color encoding: BT.601 in its narrow range, unless hints of EGL_EXT_image_dma_buf_import state another. */
function colorOf(pairs: readonly Pair[]): YuvColor {
  const value = (wanted: number) => pairs.findLast(([name]) => name === wanted)?.[1];
  return {
    matrix: MATRICES[Number(value(EGL_YUV_COLOR_SPACE_HINT_EXT) ?? 0)] ?? 601,
    full: value(EGL_SAMPLE_RANGE_HINT_EXT) === FULL_RANGE,
  };
}
