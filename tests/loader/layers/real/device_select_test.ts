import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { withFolder } from "../../../support/temporary.ts";
import { DRIVERS, LAYERS, PLACES, reported, runLayered } from "./layers.ts";

const REAL = { ignore: LAYERS.device_select.ignore || DRIVERS.lavapipe.ignore || DRIVERS.SwiftShader.ignore };

for (const place of PLACES) {
  Deno.test(`device_select puts the device first that its variable names, a TypeScript layer ${place} it`, REAL, () => {
    withFolder((folder) => {
      const list = (env: Record<string, string>) => {
        const drivers = [DRIVERS.SwiftShader.driver, DRIVERS.lavapipe.driver];
        return runLayered("devices", [...drivers, place, LAYERS.device_select.layer], folder, env);
      };
      const told = list({ MESA_VK_DEVICE_SELECT: "list" }).stderr; // it lists, and ends the process
      const ids = [...told.matchAll(/GPU \d+: (\w+:\w+) "(\w+)/g)].map(([, id, name]) => [name, id]);
      assertEquals(ids.map(([name]) => name).sort(), ["SwiftShader", "llvmpipe"]);
      for (const [name, id] of ids) {
        const { devices, listed } = reported<{ devices: string[]; listed: number }>(
          list({ MESA_VK_DEVICE_SELECT: id }),
        );
        assertStringIncludes(devices[0], name);
        assertEquals(devices.length, 2);
        assert(listed >= 2, "counted, then listed");
      }
    });
  });
}
