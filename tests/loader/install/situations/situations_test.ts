import { assertEquals } from "@std/assert";
import type { LayerMachine } from "../../layers/choice/layer_machine.ts";
import { COMPILED } from "../words.ts";
import { FILTERS } from "./filters.ts";
import { OVERRIDES } from "./override.ts";
import { SETTINGS_LAYERS } from "./settings_layers.ts";
import { SETTINGS_ODD } from "./settings_odd.ts";
import { ALLOCATIONS } from "./allocations.ts";
import { DIRECT } from "./direct.ts";
import { HANDLES } from "./handles.ts";
import { LISTS } from "./lists.ts";
import { MESSENGERS } from "./messengers.ts";
import { assertPlans } from "./planned.ts";
import { assertSituations, install, installDriver, meet } from "./situation.ts";
import { SURFACES } from "./surfaces.ts";
import { THREADS } from "./threads.ts";
import { UNKNOWN } from "./unknown.ts";

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
  assertSituations(FILTERS, /^(layers|gpus|active) /); // a folder has several drivers, and a pattern chooses several layers
});

Deno.test(
  "versions, and lists of devices, groups and extensions, are those of the Khronos loader, on every thread",
  COMPILED,
  () => {
    assertPlans(LISTS);
  },
);

Deno.test("surfaces are made, queried and destroyed as with the Khronos loader, on every thread", COMPILED, () => {
  assertPlans(SURFACES);
});

Deno.test(
  "messengers and report callbacks hear what they hear from the Khronos loader, on every thread",
  COMPILED,
  () => {
    assertPlans(MESSENGERS);
  },
);

Deno.test(
  "commands and names that nobody knows, or a driver alone, are found as by the Khronos loader",
  COMPILED,
  () => {
    assertPlans(UNKNOWN);
  },
);

Deno.test(
  "drivers that the application brings take part as with the newest Khronos loader, on every thread",
  COMPILED,
  () => {
    assertPlans(DIRECT);
  },
);

Deno.test("all memory of an allocator is given back, whichever allocation fails, on every thread", COMPILED, () => {
  assertPlans(ALLOCATIONS);
});

Deno.test("what is no handle ends a program with the broken rule, on every thread", COMPILED, () => {
  assertPlans(HANDLES);
});

Deno.test("many threads at once get what the Khronos loader gives", COMPILED, () => {
  assertPlans(THREADS, ["thread"]); // the loader's own thread must not wait for others
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
