/** The C library functions everything above stands on. Bound at first use, for the life of the process. */

const SYMBOLS = {
  mmap: {
    // void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
    parameters: ["u64", "u64", "i32", "i32", "i32", "i64"],
    result: "u64",
  },
  munmap: { parameters: ["u64", "u64"], result: "i32" }, // int munmap(void *addr, size_t length)
  memcpy: { parameters: ["u64", "u64", "u64"], result: "u64" }, // void *memcpy(void *dest, const void *src, size_t n)
  strlen: { parameters: ["u64"], result: "u64" }, // size_t strlen(const char *s)
  dlopen: { parameters: ["buffer", "i32"], result: "u64" }, // void *dlopen(const char *filename, int flags)
  dlsym: { parameters: ["u64", "buffer"], result: "u64" }, // void *dlsym(void *handle, const char *symbol)
  dlclose: { parameters: ["u64"], result: "i32" }, // int dlclose(void *handle)
  dlerror: { parameters: [], result: "u64" }, // char *dlerror(void)
  memfd_create: { parameters: ["buffer", "u32"], result: "i32" }, // int memfd_create(const char *name, unsigned int flags)
  mkstemp: { parameters: ["buffer"], result: "i32" }, // int mkstemp(char *template)
  unlink: { parameters: ["buffer"], result: "i32" }, // int unlink(const char *pathname)
  write: { parameters: ["i32", "buffer", "u64"], result: "i64" }, // ssize_t write(int fd, const void *buf, size_t count)
  close: { parameters: ["i32"], result: "i32" }, // int close(int fd)
} as const satisfies Record<string, Deno.ForeignFunction>;

/**
 * The bound C library. These are cold calls, about a microsecond each: no call
 * stub is compiled for them, because compiling one costs as much as eighty
 * calls. What is hot (peek, poke, copy) is in `machine.ts`.
 */
export type Libc = {
  readonly [Name in keyof typeof SYMBOLS]: Deno.UnsafeFnPointer<typeof SYMBOLS[Name]>["call"];
};

let bound: Libc | undefined;

/** The C library of this process, bound at the first call. */
export function libc(): Libc {
  return bound ??= bind();
}

/** The file name of the C library: Android's has no version. */
export function libcName(): string {
  return Deno.build.os === "android" ? "libc.so" : "libc.so.6";
}

/** The address of a function of the C library or of any library loaded globally; 0n if there is none. */
export function libcAddress(name: string): bigint {
  return libc().dlsym(0n, new TextEncoder().encode(name + "\0"));
}

function bind(): Libc {
  const statics: Record<string, { type: "pointer"; optional: true }> = {};
  for (const name in SYMBOLS) statics[name] = { type: "pointer", optional: true };
  const library = Deno.dlopen(libcName(), statics);
  const functions: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(SYMBOLS)) {
    functions[name] = cold(library.symbols[name] as Deno.PointerObject<never>, definition);
  }
  library.close(); // the C library itself stays, Deno's handle need not
  return functions as unknown as Libc;
}

function cold(pointer: Deno.PointerObject<never>, definition: Deno.ForeignFunction): unknown {
  let bound: Deno.UnsafeFnPointer<Deno.ForeignFunction> | undefined;
  return (...args: Deno.ToNativeParameterTypes<readonly Deno.NativeType[]>) => {
    bound ??= new Deno.UnsafeFnPointer(pointer, definition);
    return bound.call(...args);
  };
}
