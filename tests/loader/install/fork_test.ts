import { assertEquals } from "@std/assert";
import { needs } from "../../support/require.ts";
import { NEEDS_TINY, TINY } from "../tiny.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("fork_app");
const COMPILED = { ignore: needs("Vulkan headers and a C compiler", app).ignore || NEEDS_TINY.ignore };

/** The line on standard error about a command that is refused in a child. */
function refused(name: string): string {
  return `[Vulkan Loader] ERROR:          ${name}: refused: this process was forked from the one that loaded Vulkan, ` +
    "or the thread that did so has ended; load Vulkan again";
}

Deno.test("a forked child is answered by the driver, or refused in words, and its parent goes on", COMPILED, () => {
  const EXTENSIONS = "vkEnumerateInstanceExtensionProperties";
  for (const [loader, extensions] of [["pumice", -3], [`pumice:${TINY}`, 0]] as const) {
    for (const where of ["here", "thread"] as const) {
      const { said } = runClient(app!, { loader, where, driver: TINY!, env: { NODEVICE_SELECT: "1" } });
      assertEquals([loader, where, ...said], [
        loader,
        where,
        `child ended 0 by 0: properties 1, listed 1, device -3, instance -3, extensions ${extensions}`,
        ...["vkCreateDevice", "vkCreateInstance", ...extensions === 0 ? [] : [EXTENSIONS]].map(refused),
        "",
        "parent 0",
      ]);
    }
  }
});

Deno.test("a forked child of the system's loader has all commands", {
  ignore: COMPILED.ignore || NEEDS_SYSTEM.ignore,
}, () => {
  const { said } = runClient(app!, { loader: SYSTEM!, driver: TINY! });
  const child = "child ended 0 by 0: properties 1, listed 1, device 0, instance 0, extensions 0";
  assertEquals(said, [child, "", "parent 0"]);
});
