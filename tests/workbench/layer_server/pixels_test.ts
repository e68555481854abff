import { assertEquals, assertStringIncludes } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import type { Layer } from "../../../loader/mod.ts";
import halved from "../../../examples/half_viewport.ts";
import { swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { APP, driverManifest, NEEDS_PROGRAMS, runServed } from "./programs.ts";
import { assertHalved, looking, passing, type Screen } from "./screen.ts";

Deno.test(
  "serveLayers(): layers that pass on leave vkcube's pixels, and one that halves the viewport halves the cube",
  NEEDS_PROGRAMS,
  () =>
    withFolderAsync(async (folder) => {
      await using server = await startXServer("640x480x24", ["-fbdir", folder]);
      const shown = async (...layers: Layer[]) => {
        const seen: Screen[] = [];
        await using own = await serveLayers({ layers: [looking(folder, server.display, seen), ...layers] });
        const { code, stderr } = await runServed(own, ["vkcube", "--c", "1"], { DISPLAY: server.display });
        assertEquals([code, seen.length], [0, 1], stderr);
        return seen[0];
      };
      const plain = await shown(), passed = await shown(passing), small = await shown(passing, halved);
      assertEquals(passed, plain);
      assertHalved(plain, small);
    }),
);

Deno.test(
  "serveLayers(): vulkaninfo and threads are answered on SwiftShader as on lavapipe",
  { ignore: NEEDS_PROGRAMS.ignore || needs("SwiftShader", swiftshaderPath()).ignore },
  () =>
    withFolderAsync(async (folder) => {
      const manifest = driverManifest(folder, swiftshaderPath());
      const more = { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
      await using server = await serveLayers({ layers: [passing] });
      const listed = { ...more, VK_ADD_LAYER_PATH: server.folder }; // the list of layers is part of what is printed
      const plain = await new Deno.Command("vulkaninfo", { env: listed }).output();
      const served = await runServed(server, ["vulkaninfo"], more);
      assertEquals([served.code, served.stdout], [0, new TextDecoder().decode(plain.stdout)]);
      assertStringIncludes(served.stdout, "SwiftShader");
      assertEquals((await runServed(server, [APP!, "threads", "5"], more)).stdout, "500 buffers\n");
    }),
);
