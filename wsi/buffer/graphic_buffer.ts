/** What a buffer shall be like. */
export interface BufferRequest {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** HAL_PIXEL_FORMAT value. */
  readonly format: number;
  /** Usage bits of gralloc 1, private ones included. */
  readonly usage: bigint;
  /** Array layers. Default 1. */
  readonly layers?: number;
}

/** Where a buffer's memory is. */
export interface BufferMemory {
  /** The memfd, or -1 for anonymous memory. The buffer owns it. */
  readonly fd: number;
  /** Address of the mapping of all of it. */
  readonly address: bigint;
  /** Bytes mapped. */
  readonly size: number;
  /** Unmaps and closes. */
  close(): void;
}

/**
 * A buffer that producers and consumers pass around without copying: what
 * gralloc allocates. Made by {@linkcode allocateBuffer}.
 */
export class GraphicBuffer implements Disposable {
  /** A number that no other buffer of this process has. */
  readonly id: bigint;
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** HAL_PIXEL_FORMAT value. */
  readonly format: number;
  /** Usage bits it was allocated with. */
  readonly usage: bigint;
  /** Array layers. */
  readonly layers: number;
  /** Pixels from one row to the next; bytes for formats without pixels. */
  readonly stride: number;
  /** Bytes from one row to the next of the first plane. */
  readonly rowPitch: number;
  /** Its memory. */
  readonly memory: BufferMemory;
  /** Address of its native_handle_t: one file descriptor (memory.fd) and the ints gralloc keeps there. */
  readonly handle: bigint;
  /** How often pixels were copied into it since they were drawn, over all frames: 0 as long as it is drawn into directly. */
  copies = 0;
  #close: (() => void) | undefined;

  /** Use {@linkcode allocateBuffer}. */
  constructor(
    request: BufferRequest,
    about: { id: bigint; stride: number; rowPitch: number; memory: BufferMemory; handle: bigint; close(): void },
  ) {
    ({ width: this.width, height: this.height, format: this.format, usage: this.usage } = request);
    this.layers = request.layers ?? 1;
    ({ id: this.id, stride: this.stride, rowPitch: this.rowPitch, memory: this.memory, handle: this.handle } = about);
    this.#close = about.close;
  }

  /** Whether {@linkcode GraphicBuffer.close} was called. */
  get isClosed(): boolean {
    return this.#close === undefined;
  }

  /** The bytes of the first plane, for reading and writing on the CPU until {@linkcode GraphicBuffer.unlock}. */
  lock(): Uint8Array {
    const { address, size } = this.memory;
    return new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size));
  }

  /** Ends a {@linkcode GraphicBuffer.lock}. */
  unlock(): void {}

  /** Gives the memory back, when the last of those who share the buffer has closed it. A second call does nothing. */
  close(): void {
    const close = this.#close;
    this.#close = undefined;
    close?.();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}
