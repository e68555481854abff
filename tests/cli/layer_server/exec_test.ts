import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { APP, NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { withFolder } from "../../support/temporary.ts";
import { exec, layerModule } from "./exec.ts";

const COUNTING = `commands: {
  vkCreateBuffer(next, ...args) {
    buffers++;
    return next(...args);
  },
  vkDestroyDevice(next, ...args) {
    console.log("so many buffers:", buffers);
    next(...args);
  },
}`;

Deno.test(
  "cli exec runs a program under layers, prints their reports, and ends with the program's code",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const path = layerModule(folder, "counter", COUNTING, "let buffers = 0;");
      const { code, stdout, stderr } = exec(folder, [
        `--layer=${path}`,
        "--layer=profile",
        "--frames",
        "--",
        APP!,
        "buffers",
        "3",
      ]);
      assertEquals([code, stderr], [0, ""]);
      assertStringIncludes(stdout, "3072 bytes\n");
      assertStringIncludes(stdout, "so many buffers: 3\n");
      assertMatch(stdout, /^vkCreateBuffer .* 3 × /m);
      assertEquals(exec(folder, ["--", APP!, "exit", "7"]).code, 7);
    }),
);

Deno.test(
  "cli exec says when a program did not load the layers or gets none, and what it cannot start",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const other = exec(folder, ["--layer=profile", "--", "true"]);
      assertEquals([other.code, other.stderr.split(". ")[0]], [0, "true: no process of it loaded the layers"]);
      const alone = exec(folder, ["--", "true"]), json = exec(folder, ["--json", "--", "true"]);
      assertEquals([alone.code, alone.stderr], [
        0,
        "true runs without a layer, since none was given: give --layer=NAME, such as --layer=profile, or a module\n",
      ]);
      assertEquals([json.code, json.stderr, JSON.parse(json.stdout).reports], [0, "", []]);
      const missing = exec(folder, ["--", "/nowhere/program"]);
      assertEquals(missing.code, 2);
      assertStringIncludes(missing.stderr, 'exec: "/nowhere/program" cannot be started: there is no such program');
      for (
        const [args, why] of [
          [[], 'PROGRAM is missing: write it after "--"'],
          [["--timeout=soon", "--", "true"], "--timeout=soon is no number of seconds"],
          [["--layer=VK_LAYER_KHRONOS_validation", "--", "true"], "is a native layer"],
        ] as const
      ) {
        const { code, stderr } = exec(folder, args);
        assertEquals(code, 2, stderr);
        assertStringIncludes(stderr, why);
      }
    }),
);
