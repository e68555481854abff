/**
 * Situations of settings files that are not as they should be.
 *
 * @module
 */
import type { LayerMachine } from "../../layers/choice/layer_machine.ts";
import { entries, install, installDriver, type Situation, writeSettings } from "./situation.ts";

/** Two layers are installed, and the settings file is this. */
function odd(title: string, content: unknown, gets: string): Situation {
  const set = (machine: LayerMachine) => {
    install(machine, "a", "im");
    machine.write("vulkan/loader_settings.d/vk_loader_settings.json", content);
  };
  return { title, set, gets, layers: ["a"] };
}

/** The settings file is this, on a machine with an implicit layer. */
function file(title: string, content: unknown, gets: string): Situation {
  const set = (machine: LayerMachine) => {
    install(machine, "im");
    const whole = typeof content === "string" ? content : { file_format_version: "1.0.0", ...content as object };
    machine.write("vulkan/loader_settings.d/vk_loader_settings.json", whole);
  };
  return { title, set, gets, isNewer: gets !== ALL };
}

/** The first of two entries of `layers` is changed. */
function entry(title: string, change: (first: Record<string, unknown>) => unknown, gets: string): Situation {
  const set = (machine: LayerMachine) => {
    install(machine, "a", "b");
    const [first, second] = entries(machine, "on a", "on b");
    writeSettings(machine, { layers: [change(first), second] });
  };
  return { title: `an entry ${title}`, set, gets, isNewer: true };
}

/** The settings file lists these devices, on a machine whose only device has no UUID. */
function devices(title: string, device_configurations: unknown, gets: string): Situation {
  const set = (machine: LayerMachine) => {
    installDriver(machine);
    writeSettings(machine, { device_configurations });
  };
  return { title: `devices: ${title}`, set, gets, isNewer: true };
}

const ID = { deviceUUID: Array(16).fill(7), driverUUID: Array(16).fill(8), driverVersion: 1 };
const SHORT = ID.deviceUUID.slice(1), NONE = " | 0 | 4 | ", ALL = "im | 0 | 4 | im", BOTH = "im a | 0 | 4 | im a";
const HIDDEN = " | 0 | -3", IGNORED = "a b | 0 | 4 | ";

/** Situations with settings files that are not as they should be. */
export const SETTINGS_ODD: readonly Situation[] = [
  odd("nothing but a version", { file_format_version: "0.0.0" }, BOTH),
  odd(
    "an empty array and empty settings",
    { file_format_version: "0.0.0", settings_array: [], settings: {} },
    BOTH,
  ),
  odd("keys that come again", `{${`"settings_array":[],"x":{},"settings":{},`.repeat(3)}"y":1}`, BOTH),
  odd("no JSON", "{]", BOTH),
  odd("JSON of another kind", "[5]", BOTH),
  odd("an empty file", "", BOTH),
  entry("without a name", (first) => ({ ...first, name: undefined }), IGNORED),
  entry("without a path", (first) => ({ ...first, path: undefined }), IGNORED),
  entry("without a control", (first) => ({ ...first, control: undefined }), IGNORED),
  entry("with a control of another kind", (first) => ({ ...first, control: 5 }), IGNORED),
  entry("with a name of another kind", (first) => ({ ...first, name: 5 }), IGNORED),
  entry("that is none", () => 5, IGNORED),
  entry("with a control of another word", (first) => ({ ...first, control: "odd" }), "a b | 0 | 4 | b"),
  entry("with a name that is empty", (first) => ({ ...first, name: "" }), "b | 0 | 4 | b"),
  entry(
    "for all others with a name",
    (first) => ({ ...first, control: "unordered_layer_location" }),
    "a b | 0 | 4 | b",
  ),
  entry("odd about being implicit", (first) => ({ ...first, treat_as_implicit_manifest: 5 }), "a b | 0 | 4 | a b"),
  file("layers of another kind", { settings: { layers: 5 } }, NONE),
  file("layers that are an object", { settings: { layers: {} } }, NONE),
  file("odd stderr_log", { settings: { stderr_log: 5, layers: [] } }, NONE),
  file("odd additional_drivers", { settings: { additional_drivers: 5, layers: [] } }, NONE),
  file(
    "odd entries of additional_drivers",
    { settings: { additional_drivers: [5, {}, { path: 5 }], layers: [] } },
    NONE,
  ),
  file("odd device_configurations", { settings: { device_configurations: 5, layers: [] } }, " | -9"),
  file("an odd entry of device_configurations", { settings: { device_configurations: [5], layers: [] } }, NONE),
  file("odd app_keys", { settings: { app_keys: 5, layers: [] } }, ALL),
  file("empty app_keys", { settings: { app_keys: [], layers: [] } }, ALL),
  file("two entries for all", { settings_array: [{ layers: [] }, {}] }, NONE),
  file("two entries for all, the other way", { settings_array: [{}, { layers: [] }] }, ALL),
  file("an odd entry of the array", { settings_array: [5, { layers: [] }] }, ALL),
  file("an empty array beside settings", { settings_array: [], settings: { layers: [] } }, ALL),
  file("an array that is none", { settings_array: 5, settings: { layers: [] } }, ALL),
  file("an array for others and settings", { settings_array: [{ app_keys: ["/x"] }], settings: { layers: [] } }, ALL),
  file("settings are a list", { settings: [] }, ALL),
  file("the version is a number", { file_format_version: 1, settings: { layers: [] } }, ALL),
  file("the version is a word", { file_format_version: "x", settings: { layers: [] } }, NONE),
  file("the version is newer", { file_format_version: "9.0.0", settings: { layers: [] } }, NONE),
  file("a comma too many", `{"file_format_version":"1.0.0","settings":{"layers":[]},}`, ALL),
  file("a byte order mark", `\ufeff{"file_format_version":"1.0.0","settings":{"layers":[]}}`, NONE),
  devices("none matches", [ID], HIDDEN),
  devices("an odd one before", [5, ID], NONE),
  devices("an odd one after", [ID, 5], NONE),
  devices("without driverUUID", [{ ...ID, driverUUID: undefined }], HIDDEN),
  devices("without deviceUUID", [{ ...ID, deviceUUID: undefined }], HIDDEN),
  devices("without driverVersion", [{ ...ID, driverVersion: undefined }], HIDDEN),
  devices("a short UUID", [{ ...ID, deviceUUID: SHORT }], HIDDEN),
  devices("a long UUID", [{ ...ID, deviceUUID: [7, 7, ...SHORT] }], HIDDEN),
  devices("a word in a UUID", [{ ...ID, deviceUUID: [...SHORT, "x"] }], HIDDEN),
  devices("256 in a UUID", [{ ...ID, deviceUUID: [...SHORT, 256] }], HIDDEN),
  devices("a version that is a word", [{ ...ID, driverVersion: "1" }], HIDDEN),
  devices("a negative version", [{ ...ID, driverVersion: -1 }], HIDDEN),
  devices("a name that is none", [{ ...ID, deviceName: 5 }], HIDDEN),
  devices("none at all", [], HIDDEN),
];
