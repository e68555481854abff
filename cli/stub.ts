import { writeWhole } from "../ffi/file/whole_file.ts";
import { linkStub } from "../ffi/library/link_stub.ts";
import { denoHost } from "../loader/driver/host/host.ts";
import { WHOLE } from "../loader/api/load_vulkan.ts";
import { rulesOf } from "../loader/api/load.ts";
import type { Request } from "./command.ts";
import { atPath, makeFolder } from "../workbench/process/files.ts";

/** Writes the library that programs are linked with: the exit code. */
export function writeStub({ operand: folder, options }: Request, print: (text: string) => void): number {
  const rules = rulesOf(WHOLE.platforms, options.platform, denoHost());
  const path = `${folder}/libvulkan.so`, names = rules.surface({}).exported;
  makeFolder("stub", folder!);
  atPath("stub", path, () => writeWhole(path, linkStub("libvulkan.so", names)));
  print(`${path}: ${names.length} functions`);
  return 0;
}
