import { arena, inFrame } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import { addressOf } from "../../ffi/machine.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { placePairs } from "../api/attributes.ts";
import type { Display } from "../api/display.ts";
import type { Word } from "../api/driver_calls.ts";
import type { State } from "../api/state.ts";
import { type DriverGl, driverGl } from "./driver_gl.ts";
import { pixelAbilities } from "./pixel_abilities.ts";
import { keepingDefaultBuffers, setUnpack } from "./pixel_state.ts";
import { converted, type TexelFormat, type YuvColor } from "./texels.ts";
import {
  EGL_CONTEXT_CLIENT_VERSION,
  EGL_DRAW,
  EGL_GL_TEXTURE_2D,
  EGL_GL_TEXTURE_LEVEL,
  EGL_HEIGHT,
  EGL_OPENGL_ES3_BIT,
  EGL_OPENGL_ES_API,
  EGL_READ,
  EGL_RENDERABLE_TYPE,
  EGL_SURFACE_TYPE,
  EGL_WIDTH,
} from "../gen/egl_constants_gen.js";
import {
  GL_CLAMP_TO_EDGE,
  GL_LINEAR,
  GL_TEXTURE_2D,
  GL_TEXTURE_MAG_FILTER,
  GL_TEXTURE_MIN_FILTER,
  GL_TEXTURE_WRAP_S,
  GL_TEXTURE_WRAP_T,
} from "../gen/gl_constants_gen.js";

const UNPACKED = { unpack: true };

/** A context of the loader's own in a display, in which buffers become textures and textures become images. */
export class ImageContext {
  /** The display of the context. */
  readonly display: bigint;
  readonly #state: State;
  readonly #context: bigint;
  readonly #surface: bigint;

  private constructor(state: State, display: bigint, context: bigint, surface: bigint) {
    this.#state = state;
    this.display = display;
    this.#context = context;
    this.#surface = surface;
  }

  /** Makes a context; `undefined` if the driver has no OpenGL ES 3. */
  static open(state: State, { handle }: Display): ImageContext | undefined {
    const { calls } = state, api = calls.call("eglQueryAPI");
    calls.call("eglBindAPI", EGL_OPENGL_ES_API);
    try {
      return inFrame(() => {
        const config = firstConfig(state, handle);
        if (config === 0n) return undefined;
        const size = placePairs([[EGL_WIDTH, 1n], [EGL_HEIGHT, 1n]], false);
        const surface = calls.call("eglCreatePbufferSurface", handle, config, size) as bigint;
        const version = placePairs([[EGL_CONTEXT_CLIENT_VERSION, 3n]], false);
        const context = calls.call("eglCreateContext", handle, config, 0n, version) as bigint;
        if (surface !== 0n && context !== 0n) return new ImageContext(state, handle, context, surface);
        if (surface !== 0n) calls.call("eglDestroySurface", handle, surface);
        return undefined;
      });
    } finally {
      calls.call("eglBindAPI", api);
    }
  }

  /**
   * Makes a texture with the pixels of a buffer, and the driver's image of the texture. Returns `undefined` if the
   * driver makes none.
   */
  makeImage(
    buffer: GraphicBuffer,
    texels: TexelFormat,
    color: YuvColor,
  ): { image: bigint; texture: number } | undefined {
    return this.#within((gl) => {
      const texture = gl.generate("glGenTextures");
      gl.call("glBindTexture", GL_TEXTURE_2D, texture);
      for (const name of [GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER]) {
        gl.call("glTexParameteri", GL_TEXTURE_2D, name, GL_LINEAR);
      }
      for (const name of [GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T]) {
        gl.call("glTexParameteri", GL_TEXTURE_2D, name, GL_CLAMP_TO_EDGE);
      }
      gl.call("glTexStorage2D", GL_TEXTURE_2D, 1, texels.internal, buffer.width, buffer.height);
      upload(gl, buffer, texels, color);
      const image = this.#imageOf(texture);
      if (image !== 0n) return { image, texture };
      deleteTexture(gl, texture);
      return undefined;
    });
  }

  /** Copies a buffer's current pixels to a texture, and so to all images of the texture. */
  refresh(texture: number, buffer: GraphicBuffer, texels: TexelFormat, color: YuvColor): void {
    this.#within((gl) => {
      gl.call("glBindTexture", GL_TEXTURE_2D, texture);
      upload(gl, buffer, texels, color);
    });
  }

  /** Destroys an image. Returns whether that succeeded. */
  destroyImage(image: bigint): Word {
    const { calls } = this.#state;
    return calls.call(this.#isNew ? "eglDestroyImage" : "eglDestroyImageKHR", this.display, image);
  }

  /** Deletes a texture. Images of the texture keep their pixels. */
  drop(texture: number): void {
    this.#within((gl) => deleteTexture(gl, texture));
  }

  /** Destroys the context. */
  close(): void {
    const { calls } = this.#state;
    calls.call("eglDestroyContext", this.display, this.#context);
    calls.call("eglDestroySurface", this.display, this.#surface);
  }

  /** Whether the display creates images with the commands of EGL 1.5. */
  get #isNew(): boolean {
    return this.#state.displays.get(this.display)?.is15 ?? false;
  }

  #imageOf(texture: number): bigint {
    const { calls } = this.#state, isNew = this.#isNew;
    const name = isNew ? "eglCreateImage" : "eglCreateImageKHR";
    return inFrame(() => {
      const list = placePairs([[EGL_GL_TEXTURE_LEVEL, 0n]], isNew);
      return calls.call(name, this.display, this.#context, EGL_GL_TEXTURE_2D, BigInt(texture), list) as bigint;
    });
  }

  /** Calls `work` with the context current. Afterwards the former objects are current again. */
  #within<T>(work: (gl: DriverGl) => T): T {
    const { calls } = this.#state, { current } = this.#state;
    const [draw, read] = [EGL_DRAW, EGL_READ].map((which) => calls.call("eglGetCurrentSurface", which));
    const context = calls.call("eglGetCurrentContext"), display = current?.display.handle ?? this.display;
    const within = () => {
      calls.call("eglMakeCurrent", this.display, this.#surface, this.#surface, this.#context);
      try {
        return work(driverGl(this.#state, { hooks: 2 }));
      } finally {
        calls.call("eglMakeCurrent", display, draw, read, context);
      }
    };
    if (!current) return within();
    const gl = driverGl(this.#state, current.context);
    return keepingDefaultBuffers(gl, pixelAbilities(gl, current.context), within);
  }
}

function firstConfig({ calls }: State, display: bigint): bigint {
  const memory = arena(),
    list = placePairs([[EGL_SURFACE_TYPE, 1n], [EGL_RENDERABLE_TYPE, BigInt(EGL_OPENGL_ES3_BIT)]], false);
  const config = memory.alloc(16), count = memory.address(memory.alloc(16));
  memory.view.setBigUint64(config, 0n, true);
  calls.call("eglChooseConfig", display, list, memory.address(config), 1, count);
  return memory.view.getBigUint64(config, true);
}

/** Copies pixels to the bound texture. Other contexts see the pixels when this function returns. */
function upload(gl: DriverGl, buffer: GraphicBuffer, texels: TexelFormat, color: YuvColor): void {
  const { width, height, stride } = buffer, { format, type } = texels;
  const from = (rowLength: number, address: bigint) => {
    setUnpack(gl, UNPACKED, rowLength);
    gl.call("glTexSubImage2D", GL_TEXTURE_2D, 0, 0, 0, width, height, format, type, address);
  };
  if (texels.direct) {
    const bytes = buffer.lock(USAGE.CPU_READ_OFTEN) as Uint8Array<ArrayBuffer>;
    from(stride, addressOf(bytes));
    buffer.unlock();
  } else {
    using block = new NativeBlock(4 * width * height);
    block.bytes.set(converted(buffer, color));
    from(0, block.address);
  }
  gl.call("glFinish");
}

function deleteTexture(gl: DriverGl, texture: number): void {
  inFrame((memory) => {
    const at = memory.alloc(16);
    memory.view.setUint32(at, texture, true);
    gl.call("glDeleteTextures", 1, memory.address(at));
  });
}
