import { COMPILED } from "../words.ts";
import { FILTERS } from "./filters.ts";
import { OVERRIDES } from "./override.ts";
import { SETTINGS_LAYERS } from "./settings_layers.ts";
import { SETTINGS_ODD } from "./settings_odd.ts";
import { assertSituations } from "./situation.ts";

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
