import { writeWhole } from "../ffi/file/whole_file.ts";
import { linkStub } from "../ffi/library/link_stub.ts";
import { denoHost } from "../loader/driver/host/host.ts";
import { WHOLE } from "../loader/api/load_vulkan.ts";
import { rulesOf } from "../loader/platform/rules.ts";
import type { Request } from "./command.ts";

/** Writes the library that programs are linked with: the exit code. */
export function writeStub({ operand: folder, options }: Request, print: (text: string) => void): number {
  const rules = rulesOf(WHOLE.platforms, options.platform, denoHost());
  const path = `${folder}/libvulkan.so`, names = rules.surface({}).exported;
  try {
    Deno.mkdirSync(folder!, { recursive: true });
    writeWhole(path, linkStub("libvulkan.so", names));
  } catch (error) {
    print(`Cannot write "${path}": ${(error as Error).message}`);
    return 1;
  }
  print(`${path}: ${names.length} functions`);
  return 0;
}
