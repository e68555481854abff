import { assertEquals } from "@std/assert";
import type { LayerMachine } from "../../layers/choice/layer_machine.ts";
import { COMPILED } from "../words.ts";
import { FILTERS } from "./filters.ts";
import { OVERRIDES } from "./override.ts";
import { SETTINGS_LAYERS } from "./settings_layers.ts";
import { SETTINGS_ODD } from "./settings_odd.ts";
import { assertSituations, install, installDriver, meet } from "./situation.ts";

Deno.test("layers of settings files are those of the Khronos loader, on every thread", COMPILED, () => {
  assertSituations(SETTINGS_LAYERS);
});

Deno.test("settings files that are not as they should be count as far as with the Khronos loader", COMPILED, () => {
  assertSituations(SETTINGS_ODD);
});

Deno.test("meta-layers and override layers count as with the Khronos loader, on every thread", COMPILED, () => {
  assertSituations(OVERRIDES);
});

Deno.test("variables choose layers and drivers as with the Khronos loader, on every thread", COMPILED, () => {
  assertSituations(FILTERS);
});

Deno.test("a variable without a value counts as one that is not set", COMPILED, () => {
  const situation = {
    title: "empty",
    set: (machine: LayerMachine) => {
      installDriver(machine);
      install(machine, "a");
      return { env: { VK_DRIVER_FILES: "", VK_ICD_FILENAMES: "", VK_LAYER_PATH: "", VK_INSTANCE_LAYERS: "" } };
    },
    layers: ["a"],
    gets: "",
  };
  for (const where of ["here", "thread"] as const) {
    assertEquals(meet([situation], "pumice", where), ["empty | layers a | create 0 | gpus 4 | active a"], where);
  }
});
