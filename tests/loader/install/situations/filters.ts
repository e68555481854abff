/**
 * Situations of the variables that find and choose layers and drivers.
 *
 * @module
 */
import type { LayerMachine } from "../../layers/choice/layer_machine.ts";
import { layerName } from "../../layers/choice/layer_machine.ts";
import { writeManifest } from "../../driver/machine.ts";
import { tinyVariant } from "../../tiny.ts";
import { install, installDriver, installOne, type Situation, type Variables } from "./situation.ts";

const A = layerName("a"), B = layerName("b");

/** The situations that the system's loader treats in another way. */
const NEWER = /two stars|and allow|LAYERS: two|LAYERS and enable|PATH: twice|IMPLICIT_LAYER_PATH/;

/** Layers `a` and `b`, an implicit `im`, and variables. */
function layers(
  title: string,
  env: Variables,
  gets: string,
  asks: string[] = [],
  shorts = "a b im",
): Situation {
  const set = (machine: LayerMachine) => {
    install(machine, ...shorts.split(" "));
    return { env };
  };
  return { title, set, gets, layers: asks, isNewer: NEWER.test(title) };
}

/** Drivers `good` (4) named by VK_DRIVER_FILES, `one` (1) and `two` (2) for the search, and variables. */
function drivers(title: string, env: (folder: string) => Variables, gets: string, isNewer = false): Situation {
  const set = (machine: LayerMachine) => {
    installDriver(machine, "one", tinyVariant("type_1", "-DGPU_TYPE=1")!);
    installDriver(machine, "two", tinyVariant("type_2", "-DGPU_TYPE=2")!);
    return { env: { VK_DRIVER_FILES: undefined, ...env(machine.folder) } };
  };
  return { title, set, gets: ` | ${gets}`, isNewer };
}

/** A layer in a folder that only a variable names; `other` is in the usual one. */
function elsewhere(
  title: string,
  short: string,
  other: string,
  env: (folder: string) => Variables,
  gets: string,
): Situation {
  const set = (machine: LayerMachine) => {
    const manifest = installOne(machine, short, { at: "elsewhere" });
    install(machine, other);
    return { env: env(manifest.slice(0, manifest.lastIndexOf("/"))) };
  };
  const asks = short.startsWith("im") ? [] : [short];
  return { title, set, gets, layers: asks, isNewer: NEWER.test(title) };
}

const ALL = "im a b", ENABLE = "VK_LOADER_LAYERS_ENABLE", DISABLE = "VK_LOADER_LAYERS_DISABLE";
const SELECT = "VK_LOADER_DRIVERS_SELECT", NOT = "VK_LOADER_DRIVERS_DISABLE";

/** Situations with variables. */
export const FILTERS: readonly Situation[] = [
  layers("no variable", {}, `${ALL} | 0 | 4 | im`),
  layers("enable: a name", { [ENABLE]: A }, `${ALL} | 0 | 4 | im a`),
  layers("enable: a beginning", { [ENABLE]: "VK_LAYER_TEST_a*" }, `${ALL} | 0 | 4 | im a`),
  layers("enable: an end", { [ENABLE]: "*_b" }, `${ALL} | 0 | 4 | im b`),
  layers("enable: a part", { [ENABLE]: "*TEST*" }, `${ALL} | 0 | 4 | im a b`),
  layers("enable: other case", { [ENABLE]: "*test_A" }, `${ALL} | 0 | 4 | im a`),
  layers("enable: two", { [ENABLE]: `${B},${A}` }, `${ALL} | 0 | 4 | im a b`),
  layers("enable: a star", { [ENABLE]: "*" }, `${ALL} | 0 | 4 | im a b`),
  layers("enable: ~all~", { [ENABLE]: "~all~" }, `${ALL} | 0 | 4 | im a b`),
  layers("enable: ~explicit~", { [ENABLE]: "~explicit~" }, `${ALL} | 0 | 4 | im`),
  layers("enable: ~implicit~", { [ENABLE]: "~implicit~" }, `${ALL} | 0 | 4 | im`),
  layers("enable: nothing", { [ENABLE]: "" }, `${ALL} | 0 | 4 | im`),
  layers("enable: nobody", { [ENABLE]: "*nobody" }, `${ALL} | 0 | 4 | im`),
  layers("enable: spaces", { [ENABLE]: ` ${A}, ${B}` }, `${ALL} | 0 | 4 | im`),
  layers("enable: a star inside", { [ENABLE]: "VK_*_a" }, `${ALL} | 0 | 4 | im`),
  layers("enable: one asleep", { [ENABLE]: "*asleep" }, "im_asleep | 0 | 4 | im_asleep", [], "im_asleep"),
  layers("enable: one off by its variable", { [ENABLE]: "*im", OFF_im: "1" }, `${ALL} | 0 | 4 | `),
  layers("disable: a name", { [DISABLE]: A }, "im b | 0 | 4 | im"),
  layers("disable: and the application names the layer", { [DISABLE]: A }, "im b | -6", ["a"]),
  layers("disable: ~all~", { [DISABLE]: "~all~" }, " | 0 | 4 | "),
  layers("disable: two stars", { [DISABLE]: "**" }, " | 0 | 4 | "),
  layers("disable: ~implicit~", { [DISABLE]: "~implicit~" }, "a b | 0 | 4 | "),
  layers("disable: ~explicit~", { [DISABLE]: "~explicit~" }, "im | 0 | 4 | im"),
  layers("disable: other case of ~implicit~", { [DISABLE]: "~IMPLICIT~" }, "a b | 0 | 4 | "),
  layers("disable: ~implicit~ and a name", { [DISABLE]: `~implicit~,${A}` }, "b | 0 | 4 | "),
  layers("disable and enable", { [DISABLE]: "~all~", [ENABLE]: A }, "a | 0 | 4 | a"),
  layers("disable and VK_INSTANCE_LAYERS", { [DISABLE]: "~all~", VK_INSTANCE_LAYERS: A }, " | 0 | 4 | "),
  layers("disable a name and VK_INSTANCE_LAYERS", { [DISABLE]: A, VK_INSTANCE_LAYERS: A }, "im b | 0 | 4 | im"),
  layers("disable and allow", { [DISABLE]: "~all~", VK_LOADER_LAYERS_ALLOW: "*im" }, "im | 0 | 4 | im"),
  layers("disable and allow an explicit one", { [DISABLE]: "~all~", VK_LOADER_LAYERS_ALLOW: A }, "a | 0 | 4 | "),
  layers("allow alone", { VK_LOADER_LAYERS_ALLOW: A }, `${ALL} | 0 | 4 | im`),
  layers("VK_INSTANCE_LAYERS: two", { VK_INSTANCE_LAYERS: `${B}:${A}` }, `${ALL} | 0 | 4 | im b a`),
  layers("VK_INSTANCE_LAYERS: one twice", { VK_INSTANCE_LAYERS: `${B}:${B}` }, `${ALL} | 0 | 4 | im b`),
  layers("VK_INSTANCE_LAYERS: nobody", { VK_INSTANCE_LAYERS: "VK_LAYER_x" }, `${ALL} | 0 | 4 | im`),
  layers("VK_INSTANCE_LAYERS: nothing between", { VK_INSTANCE_LAYERS: `:${A}::` }, `${ALL} | 0 | 4 | im a`),
  layers("VK_INSTANCE_LAYERS and the application", { VK_INSTANCE_LAYERS: B }, `${ALL} | 0 | 4 | im b a`, ["a", "b"]),
  layers("VK_INSTANCE_LAYERS and enable", { VK_INSTANCE_LAYERS: B, [ENABLE]: A }, `${ALL} | 0 | 4 | im b a`),
  layers("VK_INSTANCE_LAYERS: an implicit one", { VK_INSTANCE_LAYERS: layerName("im") }, `${ALL} | 0 | 4 | im`),
  layers("the application: one twice", {}, `${ALL} | 0 | 4 | im a`, ["a", "a"]),
  layers("the application: an implicit one", {}, `${ALL} | 0 | 4 | im a`, ["a", "im"]),
  layers("the application: an implicit one that is off", { OFF_im: "1" }, `${ALL} | 0 | 4 | im`, ["im"]),
  layers("an empty disable variable", { OFF_im: "" }, `${ALL} | 0 | 4 | `),
  layers("asleep", {}, "im_asleep | 0 | 4 | ", [], "im_asleep"),
  layers("awake", { WAKE: "1" }, "im_asleep | 0 | 4 | im_asleep", [], "im_asleep"),
  layers("another value", { WAKE: "2" }, "im_asleep | 0 | 4 | ", [], "im_asleep"),
  layers("awake and off", { WAKE: "1", OFF_im_asleep: "1" }, "im_asleep | 0 | 4 | ", [], "im_asleep"),
  elsewhere("VK_LAYER_PATH: a folder", "a", "b", (at) => ({ VK_LAYER_PATH: at }), "a | 0 | 4 | a"),
  elsewhere("VK_LAYER_PATH: a file", "a", "b", (at) => ({ VK_LAYER_PATH: `${at}/a.json` }), "a | 0 | 4 | a"),
  elsewhere("VK_LAYER_PATH: twice", "a", "b", (at) => ({ VK_LAYER_PATH: `${at}:${at}/a.json` }), "a | 0 | 4 | a"),
  elsewhere("VK_LAYER_PATH: beside nothing", "a", "b", (at) => ({ VK_LAYER_PATH: `/no:${at}/` }), "a | 0 | 4 | a"),
  elsewhere("VK_LAYER_PATH and an implicit one", "a", "im", (at) => ({ VK_LAYER_PATH: at }), "im a | 0 | 4 | im a"),
  elsewhere("VK_ADD_LAYER_PATH", "a", "b", (at) => ({ VK_ADD_LAYER_PATH: at }), "a b | 0 | 4 | a"),
  elsewhere("both paths", "a", "b", (at) => ({ VK_LAYER_PATH: at, VK_ADD_LAYER_PATH: "/no" }), "a | 0 | 4 | a"),
  elsewhere("VK_IMPLICIT_LAYER_PATH", "im", "b", (at) => ({ VK_IMPLICIT_LAYER_PATH: at }), "im b | 0 | 4 | im"),
  elsewhere(
    "VK_ADD_IMPLICIT_LAYER_PATH",
    "im",
    "im2",
    (at) => ({ VK_ADD_IMPLICIT_LAYER_PATH: at }),
    "im im2 | 0 | 4 | im im2",
  ),
  drivers("drivers: the search", () => ({}), "0 | 2 1 | "),
  drivers("drivers: select", () => ({ [SELECT]: "one*" }), "0 | 1 | "),
  drivers("drivers: select another case", () => ({ [SELECT]: "ONE.json" }), "0 | 1 | "),
  drivers("drivers: select two", () => ({ [SELECT]: "one*,*two.json" }), "0 | 2 1 | "),
  drivers("drivers: select nobody", () => ({ [SELECT]: "x" }), "-9"),
  drivers("drivers: select nothing", () => ({ [SELECT]: "" }), "0 | 2 1 | "),
  drivers("drivers: disable", () => ({ [NOT]: "one*" }), "0 | 2 | "),
  drivers("drivers: disable all", () => ({ [NOT]: "*" }), "-9"),
  drivers("drivers: disable ~all~", () => ({ [NOT]: "~all~" }), "-9"),
  drivers("drivers: disable and select", () => ({ [NOT]: "*", [SELECT]: "two*" }), "0 | 2 | "),
  drivers("drivers: a file", (at) => ({ VK_DRIVER_FILES: `${at}/vulkan/icd.d/one.json` }), "0 | 1 | "),
  drivers("drivers: the older name", (at) => ({ VK_ICD_FILENAMES: `${at}/vulkan/icd.d/one.json` }), "0 | 1 | "),
  drivers("drivers: both names", (at) => ({
    VK_DRIVER_FILES: `${at}/vulkan/icd.d/two.json`,
    VK_ICD_FILENAMES: `${at}/vulkan/icd.d/one.json`,
  }), "0 | 2 | "),
  drivers(
    "drivers: a root that is a manifest",
    (at) => ({ XDG_CONFIG_DIRS: `${at}/drivers/good.json` }),
    "0 | 2 1 4 | ",
  ),
  drivers("drivers: a root with a slash, twice", (at) => ({ XDG_CONFIG_DIRS: `${at}/:${at}` }), "0 | 2 1 | "),
  drivers("drivers: a folder", (at) => ({ VK_DRIVER_FILES: `${at}/drivers` }), "0 | 4 | "),
  drivers("drivers: a file that is not there", () => ({ VK_DRIVER_FILES: "/no/such.json" }), "-9"),
  drivers(
    "drivers: and one that is",
    (at) => ({ VK_DRIVER_FILES: `/no.json:${at}/vulkan/icd.d/one.json` }),
    "0 | 1 | ",
  ),
  drivers("drivers: added", (at) => ({ VK_ADD_DRIVER_FILES: `${at}/drivers/good.json` }), "0 | 2 1 4 | "),
  drivers("drivers: added and named", (at) => ({
    VK_ADD_DRIVER_FILES: `${at}/drivers/good.json`,
    VK_DRIVER_FILES: `${at}/vulkan/icd.d/one.json`,
  }), "0 | 1 | "),
  drivers("drivers: added and selected", (at) => ({
    VK_ADD_DRIVER_FILES: `${at}/drivers/good.json`,
    [SELECT]: "good*",
  }), "0 | 4 | "),
  {
    title: "drivers: a manifest that is none beside a good one",
    set: (machine) => {
      installDriver(machine, "one", tinyVariant("type_1", "-DGPU_TYPE=1")!);
      machine.write("vulkan/icd.d/broken.json", "{");
      machine.write("vulkan/icd.d/empty.json", {});
      writeManifest(`${machine.folder}/vulkan/icd.d/absent.json`, "/no/such.so");
      return { env: { VK_DRIVER_FILES: undefined } };
    },
    gets: " | 0 | 1 | ",
    isNewer: true, // the system's loader fails
  },
];
