import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { closeDescriptor } from "../../../../ffi/file/file_descriptor.ts";
import { HwcError } from "../../../../hwc/hwc_error.ts";
import { createReferenceComposer } from "../../../../hwc/simulated/reference_composer.ts";
import { listenAt } from "../../../../hwc/remote/server/server_socket.ts";
import { serveComposer } from "../../../../hwc/remote/server/serve.ts";
import { ERROR } from "../../../../hwc/types.ts";
import { withFolder, withFolderAsync } from "../../../support/temporary.ts";
import { leavesNothing } from "../leaves_nothing.ts";

/** The reason why nothing can listen at a path. */
function refusal(path: string): string {
  const { code, sentence } = assertThrows(() => listenAt(path), HwcError);
  assertEquals(code, ERROR.NO_RESOURCES);
  return sentence;
}

Deno.test("listenAt() makes a socket that only its owner may connect to, whatever the umask, and takes it away", () =>
  leavesNothing(() =>
    withFolder((folder) => {
      const path = `${folder}/composer`, before = Deno.umask(0);
      try {
        const socket = listenAt(path), { mode, isSocket } = Deno.lstatSync(path);
        assertEquals([mode! & 0o777, isSocket], [0o600, true]);
        socket.close();
        socket.close();
        assertEquals([...Deno.readDirSync(folder)], []);
      } finally {
        Deno.umask(before);
      }
    })
  ));

Deno.test("listenAt() replaces a socket nobody listens at, and refuses one that somebody does", () =>
  leavesNothing(() =>
    withFolder((folder) => {
      const path = `${folder}/composer`, first = listenAt(path);
      assertStringIncludes(refusal(path), "another server listens there; end it, or choose another path");
      const killed = `${folder}/killed`;
      closeDescriptor(listenAt(killed).fd); // as when its process is killed
      listenAt(killed).close();
      Deno.removeSync(path);
      const next = listenAt(path);
      first.close();
      assertEquals(Deno.lstatSync(path).isSocket, true, "the name is another's by now");
      next.close();
      assertEquals([...Deno.readDirSync(folder)], []);
    })
  ));

Deno.test("listenAt() leaves other files alone, and says what is wrong with a path", () =>
  withFolder((folder) => {
    const file = `${folder}/file`, link = `${folder}/link`;
    Deno.writeTextFileSync(file, "mine");
    Deno.symlinkSync(`${folder}/nothing`, link);
    assertStringIncludes(refusal(file), "there is a file that is no socket; choose another path");
    assertStringIncludes(refusal(link), "there is a file that is no socket");
    assertStringIncludes(refusal(folder), "there is a file that is no socket");
    assertStringIncludes(refusal(`${folder}/no/composer`), "ENOENT");
    assertEquals([Deno.readTextFileSync(file), Deno.readLinkSync(link)], ["mine", `${folder}/nothing`]);
    for (const path of ["", `/${"x".repeat(107)}`, "/with\0nul"]) {
      assertEquals(assertThrows(() => listenAt(path), HwcError).code, ERROR.BAD_PARAMETER);
    }
  }));

Deno.test("serveComposer() leaves nothing when it is closed, and leaves the composer alone", () =>
  leavesNothing(() =>
    withFolderAsync(async (folder) => {
      const path = `${folder}/composer`;
      using composer = createReferenceComposer();
      for (let turn = 0; turn < 3; turn++) {
        const server = serveComposer(composer, path);
        assertEquals([server.path, server.hasClient], [path, false]);
        assertThrows(() => serveComposer(composer, path), HwcError, "another server listens there");
        await server.close();
        await server.close();
        assertThrows(() => Deno.lstatSync(path), Deno.errors.NotFound);
      }
      assertEquals(typeof composer.getMaxVirtualDisplayCount(), "number");
    })
  ));
