import { assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { layerName, withMachine } from "../layers/choice/layer_machine.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("asking_layer_app"), asking = compileFixture("asking_layer");
const careful = compileFixture("careful_driver");
const COMPILED = needs("Vulkan headers and a C compiler", app);
const OWN = [{ name: "VK_TEST_of_a", spec_version: "1", entrypoints: [] }];
const NAMES = [layerName("a"), "VK_LAYER_TEST_nobody"];

/** The answers that the layer gets at each of two instances, and of a physical device. */
const TOLD = [
  ...Array(2).fill(`layers 0 0 ${layerName("a")}, counted alike 1, room for one 0 1`),
  "of NULL: 0 VK_KHR_swapchain",
  "of : 0 VK_KHR_swapchain",
  `of ${layerName("a")}: 0 VK_TEST_of_a`,
  "of VK_LAYER_TEST_nobody: 0",
];

Deno.test("a layer that asks below about layers is answered by the loader, on every thread", COMPILED, () => {
  withMachine((machine) => {
    machine.explicit("a", { layer: { library_path: asking!, functions: undefined, device_extensions: OWN } });
    const nowhere = { XDG_CONFIG_HOME: machine.folder, XDG_CONFIG_DIRS: "/nowhere", XDG_DATA_DIRS: "/nowhere" };
    const names = { PUMICE_TEST_NAMES: NAMES.join(), PUMICE_TEST_LIBRARY: asking! };
    const env = { ...nowhere, HOME: machine.folder, XDG_DATA_HOME: machine.folder, ...names };
    for (const loader of ["pumice", `pumice:${careful}`]) {
      for (const where of ["here", "thread"] as const) {
        const { said } = runClient(app!, { loader, where, driver: careful!, env });
        assertEquals({ loader, where, said }, { loader, where, said: TOLD });
      }
    }
    if (NEEDS_SYSTEM.ignore) return;
    // Debian's, of 1.3.239, has no such command there; of extensions it says the same.
    const { said } = runClient(app!, { loader: SYSTEM!, driver: careful!, env });
    assertEquals(said.slice(2), TOLD.slice(2));
  });
});
