import { assertEquals, assertMatch } from "@std/assert";
import { APP, NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { withFolder } from "../../support/temporary.ts";
import { exec } from "./exec.ts";

Deno.test(
  "cli exec says that processes of a program which has ended go on without the layers",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const script =
        `"${APP}" waits 1 > /dev/null & until grep -q pumice-layers /proc/$!/maps; do sleep 0.05; done; sleep 0.2`;
      const { code, stderr } = exec(folder, ["--layer=profile", "--", "sh", "-c", script]);
      assertEquals(code, 0);
      assertMatch(stderr, /^sh: 1 of its processes still run, and go on without the layers$/m);
    }),
);

Deno.test(
  "cli exec says nothing of a program that is killed while it connects",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const kills =
        `for i in 1 2 3 4 5 6 7 8; do "${APP}" until 1 & until grep -q pumice-layers /proc/$!/maps; do :; done; kill -9 $!; done`;
      const { stdout, stderr } = exec(folder, [
        "--layer=profile",
        "--frames",
        "--",
        "bash",
        "-c",
        `${kills}; "${APP}" buffers 2`,
      ]);
      assertEquals(stderr.match(/Cannot read|does not answer/g), null, stderr);
      assertMatch(stdout, /^2048 bytes$/m);
      assertMatch(stdout, /^vkCreateBuffer .* ×/m);
    }),
);
