import { assert, assertEquals } from "@std/assert";
import { runPasted } from "../../support/pasted.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { driverManifest, NEEDS_PROGRAMS } from "./programs.ts";

Deno.test(
  "the program of the page about layers in other processes prints what the page says",
  NEEDS_PROGRAMS,
  () =>
    withFolderAsync(async (folder) => {
      await using server = await startXServer();
      const page = Deno.readTextFileSync(new URL("../../../docs/layers-elsewhere.md", import.meta.url));
      const [, program] = /^```ts ignore\n(.*?)^```$/ms.exec(page)!, [, printed] = /prints `(.*?)`/.exec(page)!;
      const manifest = driverManifest(folder);
      const env = { DISPLAY: server.display, VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
      const { code, stdout, output } = runPasted(program, env);
      assertEquals(code, 0, output);
      assert(stdout.endsWith(`${printed}\n`), output);
    }),
);
