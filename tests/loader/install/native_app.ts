import { linkStub } from "../../../ffi/library/link_stub.ts";
import { linuxExports } from "../../../loader/install/exports.ts";
import { CACHE, vulkanHeaders } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";

/**
 * Compiles the native program in miniature, or another of tests/fixtures, to find Vulkan by `dlopen` or to
 * be linked with a library of a name. Returns its path, `undefined` without a
 * compiler or the Vulkan headers.
 */
export function compileNativeApp(how: "dlopen" | "libvulkan.so.1", program = "native_app"): string | undefined {
  const headers = vulkanHeaders();
  if (!headers) return undefined;
  const flags = ["-idirafter", headers]; // where a compiler for another machine does not look
  if (how === "dlopen") return compileFixture(program, flags);
  const folder = `${CACHE}/fixtures/${Deno.build.arch}`;
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeFileSync(`${folder}/libvulkan.so.1`, linkStub(how, linuxExports()));
  const linked = ["-DLINKED", "-Wl,--no-as-needed", `-L${folder}`, `-l:${how}`];
  return compileFixture(program, [...flags, ...linked], "linked");
}
