import { arena, inFrame } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { placePairs } from "../api/attributes.ts";
import type { Display } from "../api/display.ts";
import type { Word } from "../api/driver_calls.ts";
import type { State } from "../api/state.ts";
import { type DriverGl, driverGl } from "./driver_gl.ts";
import { setUnpack } from "./pixel_state.ts";
import { converted, type TexelFormat } from "./texels.ts";
import type { YuvColor } from "./yuv.ts";

const CLIENT_VERSION = 0x3098, ES_API = 0x30A0, DRAW = 0x3059, READ = 0x305A, TEXTURE = 0x30B1, LEVEL = 0x30BC;
const SURFACE_TYPE = 0x3033, RENDERABLE_TYPE = 0x3040, ES3_BIT = 0x40n, WIDTH = 0x3057, HEIGHT = 0x3056;
const TEXTURE_2D = 0x0DE1, MIN_FILTER = 0x2801, MAG_FILTER = 0x2800, LINEAR = 0x2601;
const WRAP_S = 0x2802, WRAP_T = 0x2803, CLAMP = 0x812F;
const UNPACKED = { major: 3, pack: true, unpack: true, reverse: false, framebuffers: true };

/** A context of the loader's own in a display, in which buffers become textures and textures become images. */
export class ImageContext {
  /** The display it is in. */
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

  /** Makes one; `undefined` when the driver has no OpenGL ES 3. */
  static open(state: State, { handle }: Display): ImageContext | undefined {
    const { calls } = state, api = calls.call("eglQueryAPI");
    calls.call("eglBindAPI", ES_API);
    try {
      return inFrame(() => {
        const config = firstConfig(state, handle);
        if (config === 0n) return undefined;
        const size = placePairs([[WIDTH, 1n], [HEIGHT, 1n]], false);
        const surface = calls.call("eglCreatePbufferSurface", handle, config, size) as bigint;
        const version = placePairs([[CLIENT_VERSION, 3n]], false);
        const context = calls.call("eglCreateContext", handle, config, 0n, version) as bigint;
        if (surface !== 0n && context !== 0n) return new ImageContext(state, handle, context, surface);
        if (surface !== 0n) calls.call("eglDestroySurface", handle, surface);
        return undefined;
      });
    } finally {
      calls.call("eglBindAPI", api);
    }
  }

  /** The driver's image of a new texture with the pixels of a buffer, and the texture; `undefined` when it makes none. */
  makeImage(
    buffer: GraphicBuffer,
    texels: TexelFormat,
    color: YuvColor,
  ): { image: bigint; texture: number } | undefined {
    return this.#within((gl) => {
      const texture = gl.generate("glGenTextures");
      gl.call("glBindTexture", TEXTURE_2D, texture);
      for (const name of [MIN_FILTER, MAG_FILTER]) gl.call("glTexParameteri", TEXTURE_2D, name, LINEAR);
      for (const name of [WRAP_S, WRAP_T]) gl.call("glTexParameteri", TEXTURE_2D, name, CLAMP);
      gl.call("glTexStorage2D", TEXTURE_2D, 1, texels.internal, buffer.width, buffer.height);
      upload(gl, buffer, texels, color);
      const image = this.#imageOf(texture);
      if (image !== 0n) return { image, texture };
      deleteTexture(gl, texture);
      return undefined;
    });
  }

  /** Gives a texture, and with it all images, the pixels that a buffer has now. */
  refresh(texture: number, buffer: GraphicBuffer, texels: TexelFormat, color: YuvColor): void {
    this.#within((gl) => {
      gl.call("glBindTexture", TEXTURE_2D, texture);
      upload(gl, buffer, texels, color);
    });
  }

  /** Destroys an image; whether it worked. */
  destroyImage(image: bigint): Word {
    const { calls } = this.#state;
    return calls.call(this.#isNew ? "eglDestroyImage" : "eglDestroyImageKHR", this.display, image);
  }

  /** Deletes a texture; images of it keep their pixels. */
  drop(texture: number): void {
    this.#within((gl) => deleteTexture(gl, texture));
  }

  /** Destroys the context. */
  close(): void {
    const { calls } = this.#state;
    calls.call("eglDestroyContext", this.display, this.#context);
    calls.call("eglDestroySurface", this.display, this.#surface);
  }

  /** Whether the display has images by the commands of 1.5. */
  get #isNew(): boolean {
    return this.#state.displays.get(this.display)?.is15 ?? false;
  }

  #imageOf(texture: number): bigint {
    const { calls } = this.#state, isNew = this.#isNew;
    const name = isNew ? "eglCreateImage" : "eglCreateImageKHR";
    return inFrame(() => {
      const list = placePairs([[LEVEL, 0n]], isNew);
      const image = calls.call(name, this.display, this.#context, TEXTURE, BigInt(texture), list) as bigint;
      return image;
    });
  }

  /** Works with the context current; afterwards what was current is so again. */
  #within<T>(work: (gl: DriverGl) => T): T {
    const { calls } = this.#state, { current } = this.#state;
    const [draw, read] = [DRAW, READ].map((which) => calls.call("eglGetCurrentSurface", which));
    const context = calls.call("eglGetCurrentContext"), display = current?.display.handle ?? this.display;
    calls.call("eglMakeCurrent", this.display, this.#surface, this.#surface, this.#context);
    try {
      return work(driverGl(this.#state, { hooks: 2 }));
    } finally {
      calls.call("eglMakeCurrent", display, draw, read, context);
    }
  }
}

function firstConfig({ calls }: State, display: bigint): bigint {
  const memory = arena(), list = placePairs([[SURFACE_TYPE, 1n], [RENDERABLE_TYPE, ES3_BIT]], false);
  const config = memory.alloc(16), count = memory.address(memory.alloc(16));
  memory.view.setBigUint64(config, 0n, true);
  calls.call("eglChooseConfig", display, list, memory.address(config), 1, count);
  return memory.view.getBigUint64(config, true);
}

/** The texture is bound. Other contexts see the pixels when this returns. */
function upload(gl: DriverGl, buffer: GraphicBuffer, texels: TexelFormat, color: YuvColor): void {
  const { width, height, stride } = buffer, { format, type } = texels;
  const from = (rowLength: number, address: bigint) => {
    setUnpack(gl, UNPACKED, rowLength);
    gl.call("glTexSubImage2D", TEXTURE_2D, 0, 0, 0, width, height, format, type, address);
  };
  if (texels.direct) {
    buffer.lock(USAGE.CPU_READ_OFTEN);
    from(stride, buffer.memory.address);
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
