/**
 * Situations of meta-layers and of the override layer.
 *
 * @module
 */
import type { LayerMachine } from "../../layers/choice/layer_machine.ts";
import { layerName } from "../../layers/choice/layer_machine.ts";
import type { Message } from "../words.ts";
import { DEBUG, INFO, WARNING } from "../words.ts";
import { entries, install, installOne, type Situation, writeSettings } from "./situation.ts";

const OVERRIDE = "VK_LAYER_LUNARG_override", A = layerName("a"), B = layerName("b");
const ONE_ONE = 0x401000, ONE_THREE = 0x403000;

/** The wishes for an override layer. */
interface Override {
  readonly components?: string[];
  readonly layer?: Record<string, unknown>;
  readonly top?: Record<string, unknown>;
  readonly env?: Record<string, string>;
  readonly asks?: string[];
  readonly version?: number;
  readonly hear?: readonly Message[];
  readonly isNewer?: boolean;
}

/** Layers are installed, and an override layer of Vulkan 1.1. */
function override(title: string, layers: string, gets: string, what: Override = {}): Situation {
  const { components = ["a"], layer, top, env, asks, version = ONE_ONE, hear, isNewer } = what;
  const set = (machine: LayerMachine) => {
    for (const short of layers.split(" ").filter(Boolean)) {
      installOne(machine, short, { layer: { api_version: "1.1.0" } });
    }
    const usual = { api_version: "1.1.0", description: "The layer over" };
    const paths = layer?.override_paths ? { override_paths: [`${machine.folder}/elsewhere`] } : {};
    machine.meta(OVERRIDE, components, { layer: { ...usual, ...layer, ...paths }, top }, "implicit");
    return { env, hear };
  };
  return { title: `override: ${title}`, set, gets, layers: asks, version, isNewer };
}

/** The override layer leads to a folder with the layer `a`, and `b` is in the usual one. */
function paths(title: string, gets: string, what: Override = {}): Situation {
  const more = { override_paths: [], ...what.layer };
  const { set, ...rest } = override(title, "b", gets, { ...what, layer: more });
  return {
    ...rest,
    set: (machine) => {
      installOne(machine, "a", { at: "elsewhere", layer: { api_version: "1.1.0" } });
      return set(machine);
    },
  };
}

/** A meta-layer `m`, explicit or implicit, of components. */
function meta(
  title: string,
  layers: string,
  components: string[],
  gets: string,
  what: Override & { kind?: "implicit" } = {},
) {
  const { layer, env, asks, version = ONE_ONE, hear, isNewer, kind = "explicit" } = what;
  const set = (machine: LayerMachine) => {
    install(machine, ...layers.split(" ").filter(Boolean));
    machine.meta("m", components, { layer: { api_version: "1.1.0", ...layer } }, kind);
    return { env, hear };
  };
  return { title: `meta: ${title}`, set, gets, layers: asks, version, isNewer };
}

const OFF = { disable_environment: { OFF: "1" } };

/** Situations with meta-layers and the override layer. */
export const OVERRIDES: readonly Situation[] = [
  override("for 1.1", "a", "over a | 0 | 4 | a over"),
  override("for 1.3", "a", "over a | 0 | 4 | a over", { version: ONE_THREE }),
  override("for 1.0", "a", "over a | 0 | 4 | a over", { version: 0 }),
  override("its variable", "a", "over a | 0 | 4 | ", { layer: OFF, env: { OFF: "1" } }),
  override("without a disable variable", "a", "a | 0 | 4 | ", { layer: { disable_environment: undefined } }),
  override("an older component", "a", "a | 0 | 4 | ", {
    layer: { api_version: "1.2.0" },
    hear: [[
      WARNING,
      "verify_meta_layer_component_layers: Meta-layer uses API version 1.2, but component layer 0 has API version 1.1 that is lower.  Skipping this layer.",
    ]],
  }),
  override("a component that is not there", "b", "b | 0 | 4 | "),
  override("a blacklist", "a b", "over a | 0 | 4 | a over", {
    layer: { blacklisted_layers: [B] },
    hear: [[
      DEBUG,
      `loader_remove_layers_in_blacklist: Override layer is active and layer ${B} is in the blacklist inside of it. Removing that layer from current layer list.`,
    ]],
  }),
  override("a blacklist, and the application names the layer", "a b", "over a | -6", {
    layer: { blacklisted_layers: [B] },
    asks: ["b"],
  }),
  override("a blacklist with an implicit layer", "a im", "over a | 0 | 4 | a over", {
    layer: { blacklisted_layers: [layerName("im")] },
  }),
  override("a blacklist of nobody", "a", "over a | 0 | 4 | a over", { layer: { blacklisted_layers: ["VK_LAYER_x"] } }),
  override("for this program", "a", "over a | 0 | 4 | a over", { layer: { app_keys: [Deno.execPath()] } }),
  override("for other programs", "a", "a | 0 | 4 | ", { layer: { app_keys: ["/Hello", "Hi", "./../x"] } }),
  override("an implicit layer beside", "a im", "over im a | 0 | 4 | a over im"),
  override("an implicit component", "a im", "over im a | 0 | 4 | im a over", {
    components: ["im", "a"],
    isNewer: true,
  }),
  override("the application names a component", "a b", "over a b | 0 | 4 | a over b", { asks: ["a", "b"] }),
  override("VK_INSTANCE_LAYERS", "a b", "over a b | 0 | 4 | a over b", { env: { VK_INSTANCE_LAYERS: B } }),
  override("VK_LOADER_LAYERS_DISABLE names the component", "a", "over | 0 | 4 | ", {
    env: { VK_LOADER_LAYERS_DISABLE: A },
  }),
  override("VK_LOADER_LAYERS_DISABLE names the override layer", "a", "a | 0 | 4 | ", {
    env: { VK_LOADER_LAYERS_DISABLE: OVERRIDE },
  }),
  override("an old manifest", "a", "over a | 0 | 4 | a over", { top: { file_format_version: "1.0.0" } }),
  paths("paths", "over a | 0 | 4 | a over"),
  paths("paths, and the application names another layer", "over a | -6", { asks: ["b"] }),
  paths("paths and VK_LAYER_PATH", "over a | 0 | 4 | a over", {
    env: { VK_LAYER_PATH: "/no/such" },
    isNewer: true, // the words are
    hear: [[
      INFO,
      "Ignoring VK_LAYER_PATH. The Override layer is active and has override paths set, which takes priority. VK_LAYER_PATH is set to /no/such",
    ]],
  }),
  paths("paths and VK_ADD_LAYER_PATH", "over a | 0 | 4 | a over", { env: { VK_ADD_LAYER_PATH: "/no/such" } }),
  paths("paths, and a component of the usual folder", "a | 0 | 4 | ", { components: ["a", "b"] }),
  {
    title: "override: two, one for this program",
    set: (machine) => {
      install(machine, "a", "b");
      const layer = (components: string, app_keys?: string[]) => ({
        layer: { name: OVERRIDE, description: `The layer over_${components}`, api_version: "1.1.0", app_keys },
      });
      machine.meta("one", ["a"], layer("a"), "implicit");
      machine.meta("two", ["b"], layer("b", [Deno.execPath()]), "implicit");
    },
    gets: "over_b a b | 0 | 4 | b over_b",
  },
  meta("a component is turned off by a filter", "a b", ["b", "a"], "a m | 0 | 4 | a", {
    asks: ["m"],
    env: { VK_LOADER_LAYERS_DISABLE: B },
  }),
  meta("named", "a b", ["b", "a"], "a b m | 0 | 4 | b a m", { asks: ["m"] }),
  meta("not named", "a b", ["b", "a"], "a b m | 0 | 4 | "),
  meta("VK_INSTANCE_LAYERS", "a b", ["b", "a"], "a b m | 0 | 4 | b a m", {
    env: { VK_INSTANCE_LAYERS: layerName("m") },
  }),
  meta("VK_LOADER_LAYERS_ENABLE", "a b", ["b", "a"], "a b m | 0 | 4 | b a m", {
    env: { VK_LOADER_LAYERS_ENABLE: "*_m" },
  }),
  meta("implicit", "a b", ["b", "a"], "m a b | 0 | 4 | b a m", { kind: "implicit" }),
  meta("implicit and off", "a b", ["b", "a"], "m a b | 0 | 4 | ", { kind: "implicit", env: { OFF_m: "1" } }),
  meta("implicit and asleep", "a", ["a"], "m a | 0 | 4 | ", {
    kind: "implicit",
    layer: { enable_environment: { WAKE: "1" } },
  }),
  meta("implicit and awake", "a", ["a"], "m a | 0 | 4 | a m", {
    kind: "implicit",
    layer: { enable_environment: { WAKE: "1" } },
    env: { WAKE: "1" },
  }),
  meta("named with a component", "a b", ["b", "a"], "a b m | 0 | 4 | a b m", { asks: ["a", "m"], isNewer: true }),
  meta("without a component", "a", ["a", "b"], "a | 0 | 4 | "),
  meta("without a component, named", "a", ["a", "b"], "a | -6", { asks: ["m"] }),
  meta("of itself", "a", ["a", "m"], "a | 0 | 4 | "),
  meta("with a library", "a", ["a"], "a | 0 | 4 | ", { layer: { library_path: "/no/such.so" } }),
  meta("a component twice", "a", ["a", "a"], "a m | 0 | 4 | a m", { asks: ["m"], isNewer: true }),
  meta("of an implicit layer", "im a", ["im", "a"], "im a m | 0 | 4 | im a m", { asks: ["m"], isNewer: true }),
  meta("of an implicit layer that is off", "im a", ["im", "a"], "im a m | 0 | 4 | a m", {
    asks: ["m"],
    env: { OFF_im: "1" },
  }),
  meta("an old version", "a", ["a"], "a m | 0 | 4 | a m", { asks: ["m"], layer: { api_version: "1.0.0" } }),
  {
    title: "meta: in a settings file",
    set: (machine) => {
      install(machine, "a", "b", "im_asleep");
      machine.meta("imm", ["b", "a"], {}, "implicit");
      writeSettings(machine, { layers: entries(machine, "on a", "*", "auto im_asleep") });
    },
    gets: "a imm b im_asleep | 0 | 4 | a b imm",
    isNewer: true,
  },
  {
    title: "override: a settings file takes its place",
    set: (machine) => {
      install(machine, "a", "b");
      machine.meta(OVERRIDE, ["a"], { layer: { description: "The layer over" } }, "implicit");
      writeSettings(machine, { layers: entries(machine, "on b") });
    },
    gets: "b | 0 | 4 | b",
    isNewer: true,
  },
];
