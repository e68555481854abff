/**
 * Layer manifests and settings files that are wrong in some way, each by a
 * name. `LIBRARY` stands for the path of a good layer's library, `MANIFEST` for
 * that of its manifest.
 *
 * @module
 */
import { corruptManifests } from "../../driver/corpus.ts";

/** Values of every JSON kind. */
const VALUES: readonly [string, string][] = [
  ["null", "null"],
  ["true", "true"],
  ["zero", "0"],
  ["huge number", "1e999"],
  ["empty string", '""'],
  ["NUL", '"\\u0000"'],
  ["lone surrogate", '"\\ud800"'],
  ["long string", `"${"x".repeat(70_000)}"`],
  ["empty array", "[]"],
  ["array of null", "[null]"],
  ["array of numbers", "[1,2,3]"],
  ["array of arrays", "[[[]]]"],
  ["empty object", "{}"],
  ["nested object", '{"name":{"name":{}}}'],
];

/** A good implicit layer with every key there is. */
const LAYER: Readonly<Record<string, unknown>> = {
  name: "VK_LAYER_TEST_bad",
  type: "GLOBAL",
  library_path: "LIBRARY",
  library_arch: "64",
  api_version: "1.3.250",
  implementation_version: "1",
  description: "wrong in some way",
  functions: { vkGetInstanceProcAddr: "vkGetInstanceProcAddr" },
  instance_extensions: [{ name: "VK_TEST_a", spec_version: "1" }],
  device_extensions: [{ name: "VK_TEST_b", spec_version: "1", entrypoints: ["vkTest"] }],
  enable_environment: { ON: "1" },
  disable_environment: { OFF: "1" },
  pre_instance_functions: { vkEnumerateInstanceVersion: "pre_version" },
};
/** A good settings file with every key there is. */
const SETTINGS: Readonly<Record<string, unknown>> = {
  app_keys: ["/opt/game/bin/game"],
  stderr_log: ["error"],
  log_locations: [],
  layers: [{ name: "VK_LAYER_TEST_good", path: "MANIFEST", control: "on" }],
  additional_drivers: [{ path: "/nowhere.json" }],
  additional_drivers_use_exclusively: false,
  device_configurations: [{ deviceUUID: Array(16).fill(1), driverUUID: Array(16).fill(2), driverVersion: 3 }],
};

/** A case: what is wrong, and the file's bytes. */
export type Case = readonly [name: string, bytes: Uint8Array];

/** Layer manifests. The driver's corpus is among them: a driver's manifest is no layer's. */
export function corruptLayerManifests(library: string): Case[] {
  const whole = (layer: string) => `{"file_format_version":"1.2.0","layer":${layer}}`;
  const metas = ["[]", "[null]", '["VK_LAYER_TEST_bad"]', '["VK_LAYER_TEST_nobody"]', "{}", "7"];
  return [
    ...corruptManifests(library),
    ...encoded([
      ...variations("layer", LAYER, whole),
      ...VALUES.map((
        [kind, value],
      ): [string, string] => [`layers is ${kind}`, `{"file_format_version":"1.0.1","layers":${value}}`]),
      ...metas.map((list): [string, string] => {
        const layer = JSON.stringify({ ...LAYER, library_path: undefined, component_layers: "LIST" });
        return [`components ${list}`, whole(layer.replace('"LIST"', list))];
      }),
    ], library),
  ];
}

/** Settings files. */
export function corruptSettings(manifest: string): Case[] {
  const whole = (settings: string) => `{"file_format_version":"1.0.0","settings":${settings}}`;
  const arrays = VALUES.map(([kind, value]): [string, string] => [
    `settings_array is ${kind}`,
    `{"file_format_version":"1.0.0","settings_array":${value}}`,
  ]);
  const layers = VALUES.flatMap(([kind, value]) =>
    ["name", "path", "control", "treat_as_implicit_manifest"].map((key): [string, string] => {
      const layer = { ...(SETTINGS.layers as object[])[0], [key]: "VALUE" };
      return [`layers[0].${key} is ${kind}`, whole(JSON.stringify({ layers: [layer] }).replace('"VALUE"', value))];
    })
  );
  return encoded([...variations("settings", SETTINGS, whole), ...arrays, ...layers], manifest);
}

/** The object as each kind of value, cut short, and with each member as each kind of value or left out. */
function* variations(
  what: string,
  object: Readonly<Record<string, unknown>>,
  whole: (text: string) => string,
): Iterable<[string, string]> {
  const text = whole(JSON.stringify(object));
  for (let length = 0; length < text.length; length += 7) yield [`${what} cut after ${length}`, text.slice(0, length)];
  for (const [kind, value] of VALUES) {
    yield [`${what} is ${kind}`, whole(value)];
    for (const key in object) {
      const members = Object.entries(object).map(([name, each]) =>
        `"${name}":${name === key ? value : JSON.stringify(each)}`
      );
      yield [`${what}.${key} is ${kind}`, whole(`{${members.join(",")}}`)];
    }
  }
  for (const key in object) yield [`${what} without ${key}`, whole(JSON.stringify({ ...object, [key]: undefined }))];
}

function encoded(cases: readonly [string, string][], path: string): Case[] {
  const inserted = JSON.stringify(path).slice(1, -1), encoder = new TextEncoder();
  return cases.map(([name, text]) => [name, encoder.encode(text.replaceAll(/LIBRARY|MANIFEST/g, inserted))]);
}
