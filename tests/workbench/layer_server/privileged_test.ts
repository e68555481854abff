import { assertEquals } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { onPath } from "../../../tools/setup/files.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { compileProgram } from "../../support/compile.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { NEEDS_PROGRAMS } from "./programs.ts";

const ALONE = NEEDS_PROGRAMS.ignore ? "" : compileProgram("elsewhere_alone")!;
const PRIVILEGED = "pumice: a privileged program gets no layers of another process\n";
/** An owner of files, and who runs the program: users without rights and, but for their numbers, without existence. */
const OWNER = 65533, USER = 65534;
/** The bits of a file that runs as its owner, and of a file that everybody may read. */
const SET_UID = 0o4755, SHARED = 0o755;

/** Whether programs can get another user's rights from their file here: the tests' user and the file system decide. */
const CAN_BE_PRIVILEGED = !NEEDS_PROGRAMS.ignore && Deno.uid() === 0 && onPath("setpriv") !== undefined &&
  await withFolderAsync((folder) => run(folder, SET_UID, []).then(({ stdout }) => stdout === "privileged\n"));

/** Runs the program from a file of another user with the bits of `mode`, as a third user. */
async function run(folder: string, mode: number, args: readonly string[], user = USER) {
  const path = `${folder}/alone_${mode}`;
  Deno.chmodSync(folder, SHARED);
  Deno.copyFileSync(ALONE, path);
  Deno.chownSync(path, OWNER, OWNER);
  Deno.chmodSync(path, mode);
  const rights = [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const done = await new Deno.Command("setpriv", { args: [...rights, path, ...args] }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code: done.code, stdout: text(done.stdout), stderr: text(done.stderr) };
}

Deno.test({
  name: "serveLayers() gives no layers to a program that has another user's rights by its file",
  ignore: !CAN_BE_PRIVILEGED, // not the superuser, or a file system that is mounted with nosuid
  fn: () =>
    withFolderAsync(async (folder) => {
      const created: string[] = [];
      const layer = defineLayer({
        name: "VK_LAYER_TEST_creations",
        commands: {
          vkCreateInstance(next, ...args) {
            created.push("vkCreateInstance");
            return next(...args);
          },
        },
      });
      await using server = await serveLayers({ layers: [layer] });
      const library = `${folder}/libVkLayer_pumice.so`;
      Deno.copyFileSync(`${server.folder}/libVkLayer_pumice.so`, library);
      const served = await run(folder, SHARED, [library, lavapipePath()!], 0);
      assertEquals(served, { code: 0, stdout: "plain\n0\n", stderr: "" });
      assertEquals([server.connected, created], [1, ["vkCreateInstance"]]);
      const refused = await run(folder, SET_UID, [library, lavapipePath()!]);
      assertEquals(refused, { code: 0, stdout: "privileged\n0\n", stderr: PRIVILEGED });
      assertEquals([server.connected, created.length], [1, 1]);
    }),
});
