import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LOG } from "../../../../loader/driver/report/log.ts";
import { type LoaderSettings, readLoaderSettings } from "../../../../loader/driver/manifest/settings_file.ts";
import type { Finding } from "../../../../loader/mod.ts";
import { withFolder } from "../../../support/temporary.ts";
import { fakeHost, SETUID } from "../fake_host.ts";

const PROGRAM = "/opt/game/bin/game";
const NOWHERE = { XDG_CONFIG_HOME: "/nowhere", XDG_CONFIG_DIRS: "/nowhere", XDG_DATA_DIRS: "/nowhere" };

/** Writes a settings file below a folder; returns its path. */
function writeSettings(folder: string, content: unknown): string {
  const path = `${folder}/vulkan/loader_settings.d/vk_loader_settings.json`;
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** The settings that a program reads when a file with this content is the only one. */
function read(content: unknown, report: Finding[] = []): LoaderSettings | undefined {
  return withFolder((folder) => {
    writeSettings(folder, content);
    const host = { ...fakeHost({ env: { ...NOWHERE, XDG_DATA_HOME: folder } }), executable: () => PROGRAM };
    return readLoaderSettings(host, report);
  });
}

const format = { file_format_version: "1.0.0" };

Deno.test("readLoaderSettings() reads every key into one object", () => {
  const uuid = Array.from({ length: 16 }, (_, index) => index);
  const settings = read({
    ...format,
    settings: {
      layers: [
        { name: "VK_LAYER_a", path: "/a.json", control: "on", treat_as_implicit_manifest: true },
        { control: "unordered_layer_location" },
        { name: "VK_LAYER_b", path: "/b.json", control: "off" },
      ],
      stderr_log: ["error", "layer", "validation"],
      additional_drivers: [{ path: "/d.json" }],
      additional_drivers_use_exclusively: true,
      device_configurations: [{ deviceUUID: uuid, driverUUID: uuid, driverVersion: 4294967295, deviceName: "GPU" }],
    },
  })!;
  assertStringIncludes(settings.path, "vk_loader_settings.json");
  assertEquals(settings.layers, [
    { name: "VK_LAYER_a", path: "/a.json", control: "on", implicit: true },
    { name: "", path: "", control: "unordered_layer_location", implicit: false },
    { name: "VK_LAYER_b", path: "/b.json", control: "off", implicit: false },
  ]);
  assertEquals(settings.stderrLog, LOG.error | LOG.layer | LOG.validation);
  assertEquals([settings.additionalDrivers, settings.additionalDriversExclusively], [["/d.json"], true]);
  const bytes = Uint8Array.from(uuid);
  assertEquals(settings.deviceConfigurations, [
    { deviceUUID: bytes, driverUUID: bytes, driverVersion: 0xffff_ffff, deviceName: "GPU", driverName: "" },
  ]);
});

Deno.test("acceptance 87: readLoaderSettings() takes the entry whose app_keys name the program, else one without", () => {
  const entry = (word: string, ...app_keys: string[]) => ({
    stderr_log: [word],
    ...(app_keys.length > 0 ? { app_keys } : {}),
  });
  const log = (...settings_array: unknown[]) => read({ ...format, settings_array })?.stderrLog;
  assertEquals(log(entry("info"), entry("error", "/other", PROGRAM)), LOG.error);
  assertEquals(log(entry("error", "/other"), entry("info"), entry("debug")), LOG.info);
  assertEquals(log(entry("error", "/other"), entry("info", "game")), undefined);
  assertEquals(read({ ...format, settings: entry("info", "/other") }), undefined);
});

Deno.test("readLoaderSettings() looks in every folder in order; an elevated process leaves out the home ones", () => {
  withFolder((folder) => {
    const places = ["config_home", "data_home", "config", "data"].map((name) => `${folder}/${name}`);
    const env = {
      XDG_CONFIG_HOME: places[0],
      XDG_DATA_HOME: places[1],
      XDG_CONFIG_DIRS: places[2],
      XDG_DATA_DIRS: `/nowhere:${places[3]}`,
    };
    const files = places.map((place) => writeSettings(place, { ...format, settings: {} }));
    for (const file of files) {
      assertEquals(readLoaderSettings(fakeHost({ env }), [])?.path, file);
      assertEquals(readLoaderSettings(fakeHost({ env, identity: SETUID }), []), undefined);
      Deno.removeSync(file);
    }
    const atHome = { HOME: folder, XDG_CONFIG_DIRS: "/nowhere", XDG_DATA_DIRS: "/nowhere" };
    for (const place of [".config", ".local/share"]) {
      const file = writeSettings(`${folder}/${place}`, { ...format, settings: {} });
      assertEquals(readLoaderSettings(fakeHost({ env: atHome }), [])?.path, file);
      Deno.removeSync(file);
    }
  });
});

Deno.test("readLoaderSettings() leaves out what is malformed and says what", () => {
  const report: Finding[] = [];
  const good = { name: "VK_LAYER_a", path: "/a.json", control: "auto" };
  const uuid = Array(16).fill(7), device = { deviceUUID: uuid, driverUUID: uuid, driverVersion: 1 };
  const settings = read({
    ...format,
    settings: {
      layers: [{ ...good, control: "maybe" }, { ...good, path: "a\0b" }, good],
      stderr_log: 7,
      additional_drivers: "/d.json",
      device_configurations: [
        {},
        { ...device, deviceUUID: uuid.slice(1) },
        { ...device, driverUUID: [...uuid.slice(1), 256] },
        { ...device, driverVersion: "1" },
        device,
      ],
    },
  }, report)!;
  assertEquals(settings.layers!.map(({ control }) => control), ["auto", "auto"]);
  assertEquals([settings.stderrLog, settings.additionalDrivers, settings.deviceConfigurations!.length], [0, [], 1]);
  const wrong = report.filter(({ subject, taken }) => subject === "setting" && !taken);
  assertEquals(wrong.length, 2 + 1 + 1 + 4);
  for (const { reason } of wrong) assert(/mend it|write it as an array/.test(reason), reason);
});

Deno.test("readLoaderSettings() counts a file as absent if an entry of its layers is malformed, and says why", () => {
  const good = { name: "VK_LAYER_a", path: "/a.json", control: "on" };
  for (const bad of [7, {}, { ...good, name: 7 }, { ...good, path: undefined }, { ...good, control: 5 }]) {
    const report: Finding[] = [];
    assertEquals(read({ ...format, settings: { layers: [good, bad] } }, report), undefined);
    const { message, reason, messageLevel } = report.find(({ subject }) => subject === "setting")!;
    assertMatch(reason, /an entry of "layers" .*, the file counts as absent; mend it$/);
    assertMatch(message!, /^vk_loader_settings.json file found at ".*" but did not contain any valid settings.$/);
    assertEquals(messageLevel, "info");
  }
});

Deno.test("readLoaderSettings() leaves out all devices if one of them is none at all", () => {
  const uuid = Array(16).fill(7), device = { deviceUUID: uuid, driverUUID: uuid, driverVersion: 1 };
  const report: Finding[] = [];
  const settings = read({ ...format, settings: { device_configurations: [device, null] } }, report)!;
  assertEquals(settings.deviceConfigurations, undefined);
  assertMatch(
    report.find(({ taken, subject }) => subject === "setting" && !taken)!.reason,
    /all are ignored; mend it$/,
  );
});

Deno.test("readLoaderSettings() counts a broken file as absent and says why", () => {
  const tail = `${JSON.stringify({ ...format, settings: {} })} x`;
  for (const content of ["", "{", tail, "[]", "null", {}, { settings: {} }, format, { ...format, settings: 7 }]) {
    const report: Finding[] = [];
    assertEquals(read(content, report), undefined);
    const { taken, reason } = report.find(({ subject }) => subject === "setting")!;
    assertEquals(taken, false);
    assert(reason.length > 20, reason);
  }
});
