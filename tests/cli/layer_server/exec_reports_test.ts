import { assertEquals, assertMatch } from "@std/assert";
import { APP, NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { withFolder } from "../../support/temporary.ts";
import { exec } from "./exec.ts";

Deno.test(
  "cli exec prints ten commands of a profile, and all with --frames",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const rows = (...args: string[]) => {
        const { stdout, stderr, code } = exec(folder, ["--layer=profile", ...args, "--", APP!, "buffers", "3"]);
        assertEquals([code, stderr], [0, ""]);
        return { stdout, count: stdout.match(/^vk\w+ .* ms .* ×/gm)!.length };
      };
      const short = rows(), whole = rows("--frames");
      assertEquals(short.count, 10);
      assertMatch(short.stdout, /^and \d+ more commands \(\d+ calls, .* ms\): --frames prints all$/m);
      const all = Number(/calls of (\d+) commands/.exec(whole.stdout)![1]);
      assertEquals([whole.count, all > 10], [all, true]);
    }),
);

Deno.test("cli exec lists the faults that it injected into a program", NEEDS_PROGRAMS, () =>
  withFolder((folder) => {
    const rules = [{ command: "vkCreateBuffer", result: "VK_ERROR_OUT_OF_DEVICE_MEMORY", after: 1, times: 2 }];
    Deno.writeTextFileSync(`${folder}/faults.json`, JSON.stringify({ rules }));
    const { code, stdout } = exec(folder, [`--layer=faults:${folder}/faults.json`, "--", APP!, "results", "4"]);
    assertEquals([code, stdout.split("\n")], [0, [
      "1024 -2 -2 1024 ",
      "2 faults injected",
      "vkCreateBuffer returned VK_ERROR_OUT_OF_DEVICE_MEMORY by rule 0: calls 2, 3",
      "",
    ]]);
  }));
