import { assertEquals } from "@std/assert";
import { isFile } from "../../tools/setup/files.ts";
import { run } from "./subprocess.ts";

/** The folder of `tools/arm64` for the emulator, a C compiler and arm64 libraries; a sysroot is unpacked there. */
const FOLDER = new URL("../../.cache/arm64", import.meta.url).pathname, HOST = `${FOLDER}/host`;
const EMULATOR = `${HOST}/usr/bin/qemu-aarch64-static`, COMPILER = `${HOST}/usr/bin/aarch64-linux-gnu-gcc`;
const FIXTURES = new URL("../fixtures", import.meta.url).pathname;

/** The arm64 system's root. */
export const ARM64_ROOT = `${FOLDER}/root`;
/** The folder of most of its libraries. */
export const ARM64_LIBRARIES = `${ARM64_ROOT}/usr/lib/aarch64-linux-gnu`;

/** Whether this processor is another one, and the emulator, the compiler and these files are there. */
export function canEmulateArm64(...files: readonly string[]): boolean {
  return Deno.build.arch === "x86_64" && [EMULATOR, COMPILER, ...files].every(isFile);
}

/** Whether this process runs in the emulator itself, and the emulator, the compiler and these files are there. */
export function isInEmulator(...files: readonly string[]): boolean {
  return Deno.build.arch === "aarch64" && [EMULATOR, COMPILER, ...files].every(isFile);
}

/** Compiles a native program of the tests for AArch64, with the unpacked compiler. Returns its path. */
export function compileForArm64(folder: string, fixture: string): string {
  const cross = `${HOST}/usr/aarch64-linux-gnu`, path = `${folder}/app`;
  Deno.mkdirSync(`${folder}/include`);
  for (const name of ["vulkan", "vk_video"]) Deno.symlinkSync(`/usr/include/${name}`, `${folder}/include/${name}`);
  const names = ["lib/libc.so.6", "lib/libc_nonshared.a", "lib/ld-linux-aarch64.so.1"];
  const includes = ["-isystem", `${cross}/include`, `-I${folder}/include`, `-I${FIXTURES}`];
  const libraries = ["-nodefaultlibs", ...names.map((name) => `${cross}/${name}`), "-lgcc"];
  const where = [`-B${cross}/bin`, `-B${cross}/lib`, ...includes];
  const { code, output } = run(COMPILER, [...where, "-w", `${FIXTURES}/${fixture}.c`, "-o", path, ...libraries], {
    env: {
      LD_LIBRARY_PATH: `${HOST}/usr/lib/x86_64-linux-gnu:${HOST}/lib/x86_64-linux-gnu`,
      PATH: `${HOST}/usr/bin:/usr/bin:/bin`,
    },
    seconds: 60,
  });
  assertEquals(code, 0, output);
  return path;
}

/** The arguments with which `timeout` runs a program in the emulator. */
export function emulated(program: string): string[] {
  const libraries = `LD_LIBRARY_PATH=${ARM64_LIBRARIES}:${ARM64_ROOT}/lib/aarch64-linux-gnu`;
  return ["120", EMULATOR, "-cpu", "max,pauth-impdef=on", "-L", ARM64_ROOT, "-E", libraries, program];
}
