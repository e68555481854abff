import { linkStub } from "../../ffi/link_stub.ts";
import { denoHost } from "../../loader/driver/host.ts";
import { platformOf } from "../../loader/driver/platform.ts";
import { surfaceOf } from "../../loader/install/exports.ts";
import type { Command } from "../command.ts";

/** `stub`: linked programs ask for the name that distributions give to the development file, and so does this loader answer. */
export const command: Command = {
  operand: "DIR",
  summary: "write a libvulkan.so to link native programs with",
  options: {},
  run({ operand: folder, options }, print) {
    const platform = platformOf(options.platform, denoHost());
    const path = `${folder}/libvulkan.so`, names = surfaceOf(platform).exported;
    try {
      Deno.mkdirSync(folder!, { recursive: true });
      Deno.writeFileSync(path, linkStub("libvulkan.so", names));
    } catch (error) {
      print(`Cannot write "${path}": ${(error as Error).message}`);
      return 1;
    }
    print(`${path}: ${names.length} functions`);
    return 0;
  },
};
