import { linkStub } from "../../ffi/link_stub.ts";
import { denoHost } from "../../loader/driver/host.ts";
import { PLATFORMS } from "../../loader/api/load_vulkan.ts";
import { rulesOf } from "../../loader/platform/rules.ts";
import type { Command } from "../command.ts";

/** `stub`: linked programs ask for the name that distributions give to the development file, and so does this loader answer. */
export const command: Command = {
  operand: "DIR",
  summary: "write a libvulkan.so to link native programs with",
  options: {},
  run({ operand: folder, options }, print) {
    const rules = rulesOf(PLATFORMS, options.platform, denoHost());
    const path = `${folder}/libvulkan.so`, names = rules.surface({}).exported;
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
