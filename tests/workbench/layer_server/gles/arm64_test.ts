import { assertEquals } from "@std/assert";
import { defineGlesLayer } from "../../../../egl/mod.ts";
import { glesApiProfile, serveGlesLayers } from "../../../../workbench/gles_layers.ts";
import { writeGlesLayerFiles } from "../../../../workbench/layer_server/gles/gles_kind.ts";
import { canEmulateArm64, compileForArm64, emulated } from "../../../support/arm64.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const NEEDS_ARM64 = needs(
  "an arm64 emulator and compiler, as `deno task test:arm64 --setup` unpacks them",
  canEmulateArm64(),
);

Deno.test(
  "A GLES library for aarch64-linux passes on, and lets hooks of this processor see and change every argument",
  NEEDS_ARM64,
  () =>
    withFolderAsync(async (folder) => {
      const line = emulated(compileForArm64(folder, "gles_elsewhere"));
      const outputOf = async (...words: string[]) => {
        const command = new Deno.Command("timeout", { args: [...line, ...words], stdin: "null" });
        const { code, stdout, stderr } = await command.output();
        const [out, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        assertEquals([code, said], [0, ""], out);
        return out.split("\n");
      };
      const plain = await writeGlesLayerFiles(`${folder}/plain`, { processor: "aarch64" });
      const wanted = await outputOf(plain, "arguments"), seen: Record<string, unknown[][]> = {}, texts: string[] = [];
      assertEquals(wanted[6], "results 12.5 100 101 102 0x123456789abc 1");
      const layer = defineGlesLayer({
        name: "seeing",
        commands: {
          glBlendColor: (next, red, green, blue, alpha) => next(alpha, blue, green, red),
          glGetPathLengthNV: (next, ...args) => next(...args) / 4,
          glTexSubImage3D(next, ...args) {
            texts.push(this.readString(args[10]));
            next(...args);
          },
        },
        anyCommand: (command) => (next, ...args) => {
          (seen[command] ??= []).push(args);
          return next(...args);
        },
      });
      await using server = await serveGlesLayers({
        layers: [layer],
        listen: "tcp:127.0.0.1:0",
        runsOn: "aarch64-linux",
      });
      const changed = wanted.with(0, "glBlendColor 1 0.75 0.5 0.25").with(6, wanted[6].replace("12.5", "3.125"));
      assertEquals(await outputOf(server.library, "arguments"), changed);
      assertEquals(texts, ["pixels"]);
      assertEquals(seen.glClearBufferfi, [[0x84f9, -1, 0.125, -7]]);
      assertEquals(seen.glPrimitiveBoundingBox, [[1, 2, 3, 4, 5, 6, 7, 8.5]]);
      assertEquals(await outputOf(server.library, "threads", "5"), ["500 calls", ""]);
      assertEquals(seen.glUniform2f.length, 500);
      await server.close();
      const profile = glesApiProfile(), { layer: timed } = profile;
      await using timing = await serveGlesLayers({
        layers: [timed],
        listen: "tcp:127.0.0.1:0",
        runsOn: "aarch64-linux",
      });
      assertEquals(await outputOf(timing.library, "arguments"), wanted); // the program makes the calls itself
      timing.drain();
      assertEquals(profile.rows().every(({ milliseconds }) => milliseconds > 0), true);
      assertEquals(profile.rows().length > 0, true);
    }),
);
