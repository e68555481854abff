import { compileC } from "../tests/support/compile.ts";

const SYMBOLS = {
  thread_milliseconds: { parameters: [], result: "f64" }, // double thread_milliseconds(void)
  process_milliseconds: { parameters: [], result: "f64" }, // double process_milliseconds(void)
  system_open: { parameters: ["buffer", "buffer"], result: "u64" }, // System *system_open(const char *manifest, const char *loader)
  system_event_status: { parameters: ["u64", "u32"], result: "void" }, // (System *, uint32_t times)
  system_mixed: { parameters: ["u64", "u64"], result: "u64" }, // Mixed *system_mixed(System *, const char *names)
  call_mixed: { parameters: ["u64", "buffer", "u32", "u32"], result: "void" }, // (Mixed *, order, length, uint32_t times)
  system_startup: { parameters: ["u64", "u32"], result: "void" }, // (System *, uint32_t times)
  system_device_procs: { parameters: ["u64", "u64", "u32", "u32"], result: "void" }, // (System *, names, count, times)
  system_instance_procs: { parameters: ["u64", "u64", "u32", "u32"], result: "void" }, // the same
  fill_table: { parameters: ["u64", "u64", "u64", "u64", "u32"], result: "void" }, // (get, device, names, table, count)
  encode_buffer: { parameters: ["u32"], result: "void" }, // (uint32_t times)
  encode_dependency: { parameters: ["u32"], result: "void" }, // (uint32_t times)
  decode_buffer: { parameters: ["u64", "u32"], result: "void" }, // (info, uint32_t times)
  decode_dependency: { parameters: ["u64", "u32"], result: "void" }, // (info, uint32_t times)
} as const satisfies Deno.ForeignLibraryInterface;

/** The C counterparts, compiled with the system's `cc`. */
export type Counterparts = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** Compiles and opens bench/c/counterparts.c. Throws when there is no compiler or no Vulkan header. */
export function counterparts(): Counterparts {
  const path = compileC(new URL("c/counterparts.c", import.meta.url));
  if (!path) {
    throw new Error("Cannot compile the C counterparts: install a C compiler and the Vulkan headers (deno task setup)");
  }
  return Deno.dlopen(path, SYMBOLS).symbols;
}
