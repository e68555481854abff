/**
 * The bound C library. These calls are rare and take about a microsecond each.
 * They have no compiled call stub, because compiling one costs as much as
 * eighty calls. Frequent operations (peek, poke, copy) are in `machine.ts`.
 */
export interface Libc {
  /** `void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)` */
  mmap(address: bigint, length: bigint, protection: number, flags: number, fd: number, offset: bigint): bigint;
  /** `int munmap(void *addr, size_t length)` */
  munmap(address: bigint, length: bigint): number;
  /** `int madvise(void *addr, size_t length, int advice)` */
  madvise(address: bigint, length: bigint, advice: number): number;
  /** `void *memcpy(void *dest, const void *src, size_t n)` */
  memcpy(to: bigint, from: bigint, size: bigint): bigint;
  /** `size_t strlen(const char *s)` */
  strlen(text: bigint): bigint;
  /** `void *dlopen(const char *filename, int flags)` */
  dlopen(path: Uint8Array<ArrayBuffer>, flags: number): bigint;
  /** `void *dlsym(void *handle, const char *symbol)` */
  dlsym(handle: bigint, name: Uint8Array<ArrayBuffer>): bigint;
  /** `int dlclose(void *handle)` */
  dlclose(handle: bigint): number;
  /** `int dladdr(const void *addr, Dl_info *info)` */
  dladdr(address: bigint, info: Uint8Array<ArrayBuffer>): number;
  /** `char *dlerror(void)` */
  dlerror(): bigint;
  /** `int memfd_create(const char *name, unsigned int flags)` */
  memfd_create(name: Uint8Array<ArrayBuffer>, flags: number): number;
  /** `int mkstemp(char *template)` */
  mkstemp(template: Uint8Array<ArrayBuffer>): number;
  /** `int unlink(const char *pathname)` */
  unlink(path: Uint8Array<ArrayBuffer>): number;
  /** `ssize_t write(int fd, const void *buf, size_t count)` */
  write(fd: number, bytes: Uint8Array<ArrayBuffer>, count: bigint): bigint;
  /** `off_t lseek(int fd, off_t offset, int whence)` */
  lseek(fd: number, offset: bigint, whence: number): bigint;
  /** `int close(int fd)` */
  close(fd: number): number;
  /** `char *getenv(const char *name)` */
  getenv(name: Uint8Array<ArrayBuffer>): bigint;
}

const SYMBOLS: Readonly<Record<keyof Libc, Deno.ForeignFunction>> = {
  mmap: { parameters: ["u64", "u64", "i32", "i32", "i32", "i64"], result: "u64" },
  munmap: { parameters: ["u64", "u64"], result: "i32" },
  madvise: { parameters: ["u64", "u64", "i32"], result: "i32" },
  memcpy: { parameters: ["u64", "u64", "u64"], result: "u64" },
  strlen: { parameters: ["u64"], result: "u64" },
  dlopen: { parameters: ["buffer", "i32"], result: "u64" },
  dlsym: { parameters: ["u64", "buffer"], result: "u64" },
  dlclose: { parameters: ["u64"], result: "i32" },
  dladdr: { parameters: ["u64", "buffer"], result: "i32" },
  dlerror: { parameters: [], result: "u64" },
  memfd_create: { parameters: ["buffer", "u32"], result: "i32" },
  mkstemp: { parameters: ["buffer"], result: "i32" },
  unlink: { parameters: ["buffer"], result: "i32" },
  write: { parameters: ["i32", "buffer", "u64"], result: "i64" },
  lseek: { parameters: ["i32", "i64", "i32"], result: "i64" },
  close: { parameters: ["i32"], result: "i32" },
  getenv: { parameters: ["buffer"], result: "u64" },
};

let bound: Libc | undefined;
/** Addresses of the functions above. They are known without asking Deno, so that callbacks may ask for them. */
const addresses = new Map<string, bigint>();

/** Returns the C library of this process, bound at the first call. */
export function libc(): Libc {
  return bound ??= bind();
}

/** Returns the file name of the C library. Android's has no version. */
export function libcName(): string {
  return Deno.build.os === "android" ? "libc.so" : "libc.so.6";
}

/**
 * Returns the address of a function of the C library or of any library loaded
 * globally; 0n if there is none. Inside callbacks, safe for the functions of
 * {@linkcode Libc}.
 */
export function libcAddress(name: string): bigint {
  const functions = libc();
  return addresses.get(name) ?? functions.dlsym(0n, new TextEncoder().encode(name + "\0"));
}

function bind(): Libc {
  const statics: Record<string, { type: "pointer"; optional: true }> = {};
  for (const name in SYMBOLS) statics[name] = { type: "pointer", optional: true };
  const library = Deno.dlopen(libcName(), statics);
  const functions: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(SYMBOLS)) {
    const pointer = library.symbols[name] as Deno.PointerObject<never>;
    addresses.set(name, Deno.UnsafePointer.value(pointer));
    functions[name] = cold(pointer, definition);
  }
  library.close(); // the C library stays loaded without Deno's handle
  return functions as unknown as Libc;
}

function cold(pointer: Deno.PointerObject<never>, definition: Deno.ForeignFunction): unknown {
  let bound: Deno.UnsafeFnPointer<Deno.ForeignFunction> | undefined;
  return (...args: Deno.ToNativeParameterTypes<readonly Deno.NativeType[]>) => {
    bound ??= new Deno.UnsafeFnPointer(pointer, definition);
    return bound.call(...args);
  };
}
