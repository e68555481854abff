/**
 * Situations of settings files that list layers.
 *
 * @module
 */
import type { LayerMachine } from "../../layers/choice/layer_machine.ts";
import { layerName } from "../../layers/choice/layer_machine.ts";
import { entries, install, installOne, type Situation, writeSettings } from "./situation.ts";

type Env = Record<string, string>;

/** Layers are installed, and the settings file lists some. */
function listed(title: string, layers: string, controls: string[], gets: string, env: Env = {}, asks: string[] = []) {
  const set = (machine: LayerMachine) => {
    install(machine, ...layers.split(" "));
    writeSettings(machine, { layers: entries(machine, ...controls) });
    return { env };
  };
  return { title, set, gets, layers: asks, isNewer: true };
}

const A = layerName("a"), B = layerName("b"), C = layerName("c");
const MANY = ["auto im1", "auto im2", "*", "auto a", "off b", "on c"];
const NAMES = Array.from({ length: 40 }, (_, index) => `n${String(index).padStart(2, "0")}`);

/** Each order of some items. */
function orders(items: readonly string[]): string[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item) => orders(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

/** Situations with settings files about layers. */
export const SETTINGS_LAYERS: readonly Situation[] = [
  listed("a layer that is on", "a", ["on a"], "a | 0 | 4 | a"),
  listed("a layer that is off", "a", ["off a"], " | 0 | 4 | "),
  listed("a layer that is auto", "a", ["auto a"], "a | 0 | 4 | "),
  listed("VK_INSTANCE_LAYERS names an auto layer", "a", ["auto a"], "a | 0 | 4 | a", { VK_INSTANCE_LAYERS: A }),
  listed("VK_LOADER_LAYERS_ENABLE names an auto layer", "a", ["auto a"], "a | 0 | 4 | a", {
    VK_LOADER_LAYERS_ENABLE: A,
  }),
  listed("the application names an auto layer", "a", ["auto a"], "a | 0 | 4 | a", {}, ["a"]),
  listed("the application names a layer that is off", "a", ["off a"], " | -6", {}, ["a"]),
  listed("an implicit layer is off", "im", ["off im"], " | 0 | 4 | "),
  listed("implicit layers in order", "im1 im2", ["auto im1", "auto im2"], "im1 im2 | 0 | 4 | im1 im2"),
  listed("implicit layers in the other order", "im1 im2", ["auto im2", "auto im1"], "im2 im1 | 0 | 4 | im2 im1"),
  listed("an explicit layer between", "im1 im2 a", ["auto im2", "on a", "auto im1"], "im2 a im1 | 0 | 4 | im2 a im1"),
  listed("no layers", "im", [], " | 0 | 4 | "),
  listed("others in their place", "a im1 b im2", ["on b", "*", "on im2"], "b im1 a im2 | 0 | 4 | b im1 a im2", {}, [
    "a",
  ]),
  listed("one manifest twice", "a", ["on a", "on a"], "a | 0 | 4 | a"),
  listed("only others", "a im", ["*"], "im a | 0 | 4 | im"),
  listed("asleep", "a im_asleep b", ["auto a", "*", "auto im_asleep", "on b"], "a im_asleep b | 0 | 4 | b"),
  listed("awake", "a im_asleep b", ["auto a", "*", "auto im_asleep", "on b"], "a im_asleep b | 0 | 4 | im_asleep b", {
    WAKE: "1",
  }),
  listed("an implicit layer's own variable", "im", ["auto im"], "im | 0 | 4 | ", { OFF_im: "1" }),
  listed("the same for one that is on", "im", ["on im"], "im | 0 | 4 | im", { OFF_im: "1" }),
  listed("VK_INSTANCE_LAYERS and off", "a b", ["auto b", "off a"], "b | 0 | 4 | ", { VK_INSTANCE_LAYERS: A }),
  listed("VK_INSTANCE_LAYERS and auto", "a b", ["auto b", "auto a"], "b a | 0 | 4 | a", { VK_INSTANCE_LAYERS: A }),
  listed("VK_INSTANCE_LAYERS and on", "a b", ["auto b", "on a"], "b a | 0 | 4 | a", { VK_INSTANCE_LAYERS: A }),
  listed("two names, two off", "a b c", ["off a", "off b", "auto c"], "c | 0 | 4 | ", {
    VK_INSTANCE_LAYERS: `${B}:${A}`,
  }),
  listed("two names, one off", "a b c", ["auto a", "off b", "auto c"], "a c | 0 | 4 | a", {
    VK_INSTANCE_LAYERS: `${B}:${A}`,
  }),
  listed("two names, both there", "a b c", ["on a", "on b", "auto c"], "a b c | 0 | 4 | a b", {
    VK_INSTANCE_LAYERS: `${B}:${A}`,
  }),
  listed("VK_LOADER_LAYERS_ENABLE and off", "a", ["off a"], " | 0 | 4 | ", { VK_LOADER_LAYERS_ENABLE: A }),
  listed("VK_LOADER_LAYERS_DISABLE and on", "a", ["on a"], "a | 0 | 4 | a", { VK_LOADER_LAYERS_DISABLE: A }),
  listed("VK_LOADER_LAYERS_DISABLE and auto", "im", ["auto im"], "im | 0 | 4 | ", { VK_LOADER_LAYERS_DISABLE: "*im" }),
  listed("many, one off that VK_INSTANCE_LAYERS names", "im1 im2 a b c", MANY, "im1 im2 a c | 0 | 4 | im1 im2 c", {
    VK_INSTANCE_LAYERS: B,
  }),
  listed("many, one off that VK_LOADER_LAYERS_ENABLE names", "im1 im2 a b c", MANY, "im1 im2 a c | 0 | 4 | im1 im2 c", {
    VK_LOADER_LAYERS_ENABLE: B,
  }),
  listed("many, one off that the application names", "im1 im2 a b c", MANY, "im1 im2 a c | -6", {}, ["b"]),
  listed("on in three ways", "a b c d", ["on a", "auto b", "auto c", "on d"], "a b c d | 0 | 4 | a b d", {
    VK_INSTANCE_LAYERS: B,
    VK_LOADER_LAYERS_ENABLE: A,
  }),
  listed("both filters and the application", "a b c im", ["auto a", "*", "auto c"], "a im c | 0 | 4 | a im c", {
    VK_LOADER_LAYERS_ENABLE: A,
    VK_LOADER_LAYERS_DISABLE: "~explicit~",
    VK_LOADER_LAYERS_ALLOW: C,
  }, ["c"]),
  listed("VK_LOADER_LAYERS_DISABLE and VK_INSTANCE_LAYERS", "a", ["auto a"], "a | 0 | 4 | ", {
    VK_INSTANCE_LAYERS: A,
    VK_LOADER_LAYERS_DISABLE: A,
  }),
  listed("~all~ leaves what is on", "a im b", ["auto im", "on a", "*"], "im a | 0 | 4 | a", {
    VK_LOADER_LAYERS_DISABLE: "~all~",
  }),
  listed("~implicit~ and ALLOW", "a im1 im2", ["auto im1", "on a", "*"], "im1 a | 0 | 4 | im1 a", {
    VK_LOADER_LAYERS_DISABLE: "~implicit~",
    VK_LOADER_LAYERS_ALLOW: "*im1",
  }),
  ...orders(["a", "b", "im1", "im2"]).map((order) => {
    const all = order.join(" ");
    return listed(`ordered ${all}`, all, order.map((short) => `on ${short}`), `${all} | 0 | 4 | ${all}`);
  }),
  ...[NAMES, NAMES.toReversed()].map((names) => {
    const all = names.join(" ");
    return listed(`forty from ${names[0]}`, all, names.map((short) => `on ${short}`), `${all} | 0 | 4 | ${all}`);
  }),
  {
    title: "entries for another program and for all",
    set: (machine) => {
      install(machine, "a", "b");
      writeSettings(machine, [
        { app_keys: ["/no/such"], layers: entries(machine, "on a") },
        { layers: entries(machine, "on b") },
      ]);
    },
    gets: "b | 0 | 4 | b",
    isNewer: true,
  },
  {
    title: "an entry for this program and for all",
    set: (machine) => {
      install(machine, "a", "b");
      const own = { app_keys: ["/no/such", Deno.execPath()], layers: entries(machine, "on a") };
      writeSettings(machine, [{ layers: entries(machine, "on b") }, own]);
    },
    gets: "a | 0 | 4 | a",
    isNewer: true,
  },
  {
    title: "entries for others only",
    set: (machine) => {
      install(machine, "a", "im");
      writeSettings(machine, [{ app_keys: ["/no/such"], layers: entries(machine, "on a") }]);
    },
    gets: "im a | 0 | 4 | im",
  },
  {
    title: "two manifests of one name",
    set: (machine) => {
      installOne(machine, "first", { layer: { name: A } });
      installOne(machine, "second", { layer: { name: A } });
      writeSettings(machine, {
        layers: entries(machine, "on first", "on second").map((each) => ({ ...each, name: A })),
      });
    },
    gets: "first second | 0 | 4 | first second",
    isNewer: true,
  },
  {
    title: "another name than the manifest's",
    set: (machine) => {
      install(machine, "a", "im");
      writeSettings(machine, { layers: entries(machine, "on a").map((each) => ({ ...each, name: B })) });
    },
    gets: " | 0 | 4 | ",
    isNewer: true,
  },
  {
    title: "a manifest that is none",
    set: (machine) => {
      const layers = ["/road/to/nowhere.json", "/road/to/nowhere"].map((path) => ({ name: A, path, control: "on" }));
      install(machine, "b");
      writeSettings(machine, { layers: [...layers, ...entries(machine, "on b")] });
    },
    gets: "b | 0 | 4 | b",
    isNewer: true,
  },
];
