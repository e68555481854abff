import { NativeBlock } from "../../ffi/block.ts";
import { type WrappingSpec, writeWrapping } from "./wrapping_code.ts";
import { ENTRY_SIZE } from "../../ffi/emit/layout.ts";
import { BEHIND_FUNCTIONS, MEMBER, PHYSICAL_DEVICE, WRAPPER, WRAPPING } from "./layout.ts";
import { emitterForThisMachine, type Image, loadEmitted } from "../../ffi/image/image.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { invokeAddress, peek64 } from "../../ffi/machine.ts";
export type { WrappingSpec };

/** The parts for the wrapping of one instance's physical devices. */
export interface WrappingParts {
  /** The instance's dispatch key. */
  readonly key: bigint;
  /** The functions of the chain below, in the order of slots. */
  readonly functions: Uint8Array;
  /** Address of the chain's lookup for physical-device commands outside the registry; 0n for none. */
  readonly lookup: bigint;
  /** The chain's vkGetInstanceProcAddr. */
  readonly getInstanceProcAddr: bigint;
}

/** Machine code that wraps physical devices, for any number of instances. Native code may call it from any thread. */
export class WrappingCode {
  readonly #spec: WrappingSpec;
  readonly #image: Image;
  /** Looked up beforehand, because instances may be created inside a callback. */
  readonly #libc = { calloc: libcAddress("calloc"), free: libcAddress("free") };

  private constructor(spec: WrappingSpec, image: Image) {
    this.#spec = spec;
    this.#image = image;
  }

  /**
   * Emits the functions; returns `undefined` where emitted code cannot be used.
   * The functions stay for the life of the process.
   */
  static make(spec: WrappingSpec): WrappingCode | undefined {
    const emitter = emitterForThisMachine();
    if (!emitter) return;
    const { count } = spec;
    emitter.exchangers("wrapped", { count, object: PHYSICAL_DEVICE, functions: MEMBER.functions });
    writeWrapping(emitter.routine(), spec);
    const image = loadEmitted(emitter);
    return image && new WrappingCode(spec, image);
  }

  /**
   * Address of the function that replaces the wrapper in its first argument by
   * the physical device and calls the command of a slot.
   */
  at(slot: number): bigint {
    return this.#image.address("wrapped") + BigInt(ENTRY_SIZE * slot);
  }

  /** Address of a command that lists or returns physical devices. */
  command(name: string): bigint {
    return this.#image.address(name);
  }

  /** Address of a vkGetInstanceProcAddr for commands outside the registry. */
  get findUnknown(): bigint {
    return this.#image.address("findUnknown");
  }

  /** Makes the wrapping of one instance, without any wrapper yet. */
  open({ key, functions, lookup, getInstanceProcAddr }: WrappingParts): Wrapping {
    const behind = MEMBER.functions + 8 * this.#spec.count, block = new NativeBlock(behind + BEHIND_FUNCTIONS.size);
    block.bytes.set(functions, MEMBER.functions);
    const { view } = block, code = this.at(0);
    view.setBigUint64(WRAPPING.key, key, true);
    const values = { ...this.#libc, lookup, getInstanceProcAddr, code };
    for (const [name, value] of Object.entries(values)) {
      view.setBigUint64(behind + BEHIND_FUNCTIONS[name as keyof typeof values], value, true);
    }
    return new Wrapping(block, this.#libc.free);
  }
}

/** The wrappers of one instance. A physical device always has the same wrapper. */
export class Wrapping implements Disposable {
  readonly #block: NativeBlock;
  readonly #free: bigint;

  /**
   * Takes ownership of the memory; see {@linkcode WrappingCode.open}. `free` is
   * the address of the C library's free.
   */
  constructor(block: NativeBlock, free: bigint) {
    this.#block = block;
    this.#free = free;
  }

  /** The address that dispatch tables hold. */
  get address(): bigint {
    return this.#block.address;
  }

  /** Returns the physical device of a wrapper. Any other handle is returned unchanged. */
  find(handle: bigint): bigint {
    for (const wrapper of this.#wrappers()) {
      if (wrapper === handle) return peek64(wrapper + BigInt(PHYSICAL_DEVICE.handle));
    }
    return handle;
  }

  /** Frees the wrappers. The instance must have been destroyed. */
  close(): void {
    const wrappers = [...this.#wrappers()];
    this.#block.close();
    for (const wrapper of wrappers) invokeAddress(this.#free, "v:q", [wrapper]);
  }

  /** Frees the wrappers at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  *#wrappers(): Generator<bigint> {
    const first = peek64(this.#block.address + BigInt(WRAPPING.first));
    for (let each = first; each !== 0n; each = peek64(each + BigInt(WRAPPER.next))) yield each;
  }
}
