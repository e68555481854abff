import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { run } from "../../support/subprocess.ts";
import { withFolderAsync } from "../../support/temporary.ts";

const NEEDS = needs("Mesa lavapipe", lavapipePath());

Deno.test(
  "cli test that Ctrl-C stops ends its processes and writes what is known",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      const begun = `${folder}/begun`;
      Deno.writeTextFileSync(begun, "");
      using watcher = Deno.watchFs(begun);
      const files = ["tests/cli/test/programs/hangs.ts", `--driver=${lavapipePath()}`, `--out=${folder}/results`];
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-prompt", "--import-map=tools/offline_import_map.json", "cli.ts", "test", ...files],
        env: { PUMICE_GPU_OUT: folder, TEST_PUMICE_BEGUN: begun },
        stdout: "piped",
        stderr: "null",
      }).spawn();
      for await (const _ of watcher) if (Deno.readTextFileSync(begun) !== "") break;
      const test = Deno.readTextFileSync(begun);
      child.kill("SIGINT");
      const { code } = await child.status, printed = await child.stdout.text();
      assertEquals(code, 130);
      assertStringIncludes(printed, "3 results: 1 passed, 2 missing\nThe run failed");
      const lines = Deno.readTextFileSync(`${folder}/results`).trim().split("\n").map((line) => line.split(",")[1]);
      assertEquals(lines, ["Pass", "Missing", "Missing"]);
      assertMatch(run("ps", ["-o", "stat=", "-p", test]).stdout, /^(?:Z.*)?\s*$/, "the process of the test has ended");
    }),
);
