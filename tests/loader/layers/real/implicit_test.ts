import { assert, assertEquals } from "@std/assert";
import { withFolder } from "../../../support/temporary.ts";
import { DRIVERS, LAYERS, reported, runLayered } from "./layers.ts";

const [LAVAPIPE, DEVICE_SELECT] = [DRIVERS.lavapipe, LAYERS.device_select];

for (
  const [name, variable] of [
    ["MangoHud", "MANGOHUD"],
    ["vkBasalt", "ENABLE_VKBASALT"],
    ["RenderDoc", "ENABLE_VULKAN_RENDERDOC_CAPTURE"],
  ] as const
) {
  Deno.test(`${name} comes by its variable, too`, {
    ignore: LAYERS[name].ignore || LAVAPIPE.ignore || DEVICE_SELECT.ignore,
  }, () => {
    const layersWith = (env: Record<string, string>) =>
      withFolder((folder) => {
        const { read, layers } = reported<{ read: number; layers: string[] }>(
          runLayered("implicit", [LAVAPIPE.driver], folder, env),
        );
        assertEquals(read, 0x1abe15);
        return layers.filter((layer) => layer !== DEVICE_SELECT.layer);
      });
    assertEquals(layersWith({ [variable]: "1" }), [LAYERS[name].layer]);
    assertEquals(layersWith({ [variable]: "0" }), []);
  });
}

for (const [name, { layer, ignore }] of Object.entries(LAYERS)) {
  Deno.test(`each instance extension that is listed under ${name}, named alone, can be enabled`, {
    ignore: ignore || LAVAPIPE.ignore,
  }, () =>
    withFolder((folder) => {
      const found = reported<{ listed: string[]; refused: string[] }>(
        runLayered("enabled", [LAVAPIPE.driver, layer], folder),
      );
      assert(found.listed.length > 3, `${found.listed}`);
      assertEquals(found.refused, []);
    }));
}
