import { NativeError } from "../../../ffi/error.ts";
import { Library } from "../../../ffi/library/library.ts";
import { bindByAddress, type NativeFunction } from "../../../ffi/stubs.ts";
import { KmsError } from "../kms_error.ts";

/** The functions of libdrm that are called, with their signatures; `o` is a place in the arena for an answer. */
const FUNCTIONS = {
  drmGetVersion: "q:s",
  drmFreeVersion: "v:q",
  drmGetCap: "s:sqo",
  drmSetClientCap: "s:sqq",
  drmIsMaster: "s:s",
  drmSetMaster: "s:s",
  drmDropMaster: "s:s",
  drmModeGetResources: "q:s",
  drmModeFreeResources: "v:q",
  drmModeGetConnector: "q:sw",
  drmModeFreeConnector: "v:q",
  drmModeGetConnectorTypeName: "q:w",
  drmModeGetEncoder: "q:sw",
  drmModeFreeEncoder: "v:q",
  drmModeGetPlaneResources: "q:s",
  drmModeFreePlaneResources: "v:q",
  drmModeGetPlane: "q:sw",
  drmModeFreePlane: "v:q",
  drmModeObjectGetProperties: "q:sww",
  drmModeFreeObjectProperties: "v:q",
  drmModeGetProperty: "q:sw",
  drmModeFreeProperty: "v:q",
  drmModeGetPropertyBlob: "q:sw",
  drmModeFreePropertyBlob: "v:q",
  drmModeCreatePropertyBlob: "s:soqo",
  drmModeDestroyPropertyBlob: "s:sw",
  drmModeAtomicAlloc: "q:",
  drmModeAtomicAddProperty: "s:qwwq",
  drmModeAtomicCommit: "s:sqwq",
  drmModeAtomicFree: "v:q",
  drmModeAddFB2: "s:swwwoooow",
  drmModeAddFB2WithModifiers: "s:swwwooooow",
  drmModeRmFB: "s:sw",
  drmModeCreateDumbBuffer: "s:swwwwooo",
  drmModeMapDumbBuffer: "s:swo",
  drmModeDestroyDumbBuffer: "s:sw",
  drmPrimeFDToHandle: "s:sso",
  drmCloseBufferHandle: "s:sw",
  drmCrtcGetSequence: "s:swoo",
  drmCrtcQueueSequence: "s:swwqqq",
} as const;

/** One of libdrm's functions. */
export type DrmFunction = keyof typeof FUNCTIONS;

/**
 * libdrm, the C library in front of the kernel's mode setting. Functions that
 * return an int return 0 or a negative error number, unless their comment in
 * `xf86drm.h` says otherwise.
 */
export class LibDrm {
  readonly #library: Library;
  readonly #bound = new Map<DrmFunction, { readonly call: NativeFunction; readonly address: bigint }>();

  /** Opens the library. Throws a {@linkcode KmsError} `missing-library`. */
  constructor(path: string) {
    try {
      this.#library = Library.open(path);
    } catch (error) {
      if (!(error instanceof NativeError)) throw error;
      const advice = "install it (Debian: libdrm2), or name another one as `libdrm`";
      throw new KmsError("missing-library", `Cannot open ${path}: ${error.sentence}; ${advice}`, { cause: error });
    }
  }

  /** Calls a function that returns an int. */
  int(name: DrmFunction, ...args: (number | bigint)[]): number {
    return this.#call(name, args) as number;
  }

  /** Calls a function that returns an address. */
  address(name: DrmFunction, ...args: (number | bigint)[]): bigint {
    return this.#call(name, args) as bigint;
  }

  /** Lets `use` read what a function returned, and frees that afterwards; `undefined` if the function returned NULL. */
  read<Result>(
    get: DrmFunction,
    args: readonly (number | bigint)[],
    free: DrmFunction,
    use: (at: bigint) => Result,
  ): Result | undefined {
    const at = this.address(get, ...args);
    if (at === 0n) return undefined;
    try {
      return use(at);
    } finally {
      this.#call(free, [at]);
    }
  }

  /** Closes the library. */
  close(): void {
    this.#library.close();
  }

  #call(name: DrmFunction, args: readonly (number | bigint)[]): unknown {
    const { call, address } = this.#bound.get(name) ?? this.#bind(name);
    return call(...args, address);
  }

  #bind(name: DrmFunction) {
    const bound = { call: bindByAddress(FUNCTIONS[name]), address: this.#library.require(name) };
    this.#bound.set(name, bound);
    return bound;
  }
}
