import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { codec } from "../../../../loader/codec/codec.ts";
import { defineLayer, VulkanError } from "../../../../loader/mod.ts";
import { writeManifest } from "../../driver/machine.ts";
import {
  asking,
  DATA,
  DEBUG,
  DEBUGGABLE,
  layerName,
  NEEDS_LAYER,
  ONE_QUEUE,
  OWN,
  RELEASED,
  settingsFor,
  withPhone,
} from "./phone.ts";

const ALL = ["a", "b", "c", "d"];
/** debug.vulkan.layers, by short names. */
const listing = (...shorts: string[]) => ({ "debug.vulkan.layers": shorts.map(layerName).join(":") });

Deno.test("layers of the settings come first, then the application's, and none twice", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, ...ALL);
    const order = (settings: string, ...asked: string[]) =>
      phone.order({ app: DEBUGGABLE, settings: settingsFor(settings) }, asking(...asked));
    assertEquals(order("b:a", "d", "c"), "b a d c");
    assertEquals(order("b:a", "a", "c", "b", "c"), "b a c");
    assertEquals(order("b:a:b"), "b a");
  });
});

Deno.test("the settings count only if all of them are meant for this application", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a");
    const rows: [settings: Record<string, string>, order: string][] = [
      [settingsFor("a"), "a"],
      [settingsFor("a", { enable_gpu_debug_layers: "2" }), "a"],
      [settingsFor("a", { enable_gpu_debug_layers: "0" }), ""],
      [settingsFor("a", { enable_gpu_debug_layers: "" }), ""],
      [settingsFor("a", { enable_gpu_debug_layers: "yes" }), ""],
      [settingsFor("a", { gpu_debug_app: "org.example.gam" }), ""],
      [settingsFor("a", { gpu_debug_app: "" }), ""],
      [{ gpu_debug_layers: layerName("a") }, ""],
    ];
    for (const [settings, order] of rows) {
      assertEquals(phone.order({ app: DEBUGGABLE, settings }), order, JSON.stringify(settings));
    }
    assertEquals(phone.order({ app: { ...DEBUGGABLE, packageName: undefined }, settings: settingsFor("a") }), "");
  });
});

Deno.test("what the settings come to is said, and why", NEEDS_LAYER, () => {
  withPhone((phone) => {
    const said = (app: object, settings: Record<string, string>) =>
      phone.findings({ app, settings }).filter(({ subject }) => subject === "setting")
        .map(({ path, taken, reason }) => [path, taken, reason]);
    const none = "so no layer comes by settings", on = settingsFor("a", { gpu_debug_layer_app: "org.x" });
    assertEquals(said(DEBUGGABLE, {}), []);
    assertEquals(said(DEBUGGABLE, on), [
      ["enable_gpu_debug_layers", true, "debug layers are on, as the application may be debugged"],
      ["gpu_debug_layers", true, "names layers for every instance of this application"],
      ["gpu_debug_layer_app", true, "names packages that bring layers"],
    ]);
    assertEquals(said(DEBUGGABLE, { ...on, enable_gpu_debug_layers: "0" }), [
      ["enable_gpu_debug_layers", false, `debug layers are off, ${none}`],
    ]);
    assertEquals(said(DEBUGGABLE, { ...on, gpu_debug_app: "x" }), [
      ["gpu_debug_app", false, `this application is org.example.game, ${none}`],
    ]);
    assertEquals(said(RELEASED, on), [
      ["enable_gpu_debug_layers", false, `the application may not be debugged and lets no layers in, ${none}`],
    ]);
    assertEquals(said({}, on), [
      ["gpu_debug_app", false, `nobody said which application this is (app.packageName), ${none}`],
    ]);
  });
});

Deno.test("debug.vulkan.layers and debug.vulkan.layer.N are in the order of their numbers", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, ...ALL);
    const single = (rows: Record<number, string>) =>
      Object.fromEntries(Object.entries(rows).map(([n, short]) => [`debug.vulkan.layer.${n}`, layerName(short)]));
    const order = (properties: Record<string, string>) => phone.order({ app: RELEASED, systemProperties: properties });
    assertEquals(order(listing("c", "a")), "c a");
    assertEquals(order({ "debug.vulkan.layers": `::${layerName("c")}::${layerName("a")}:` }), "c a");
    assertEquals(order({ ...single({ 9: "d", 0: "b" }), ...listing("c", "a") }), "c a b d");
    assertEquals(order(single({ 3: "b", 9: "a", 10: "c", 11: "d" })), "b a c d");
    assertEquals(order(single({ 9: "a", 11: "d" })), "a");
    assertEquals(order(single({ 10: "c" })), "");
    assertEquals(phone.order({ app: RELEASED, systemProperties: single({ 0: "b" }) }, asking("a", "b")), "b a");
  });
});

Deno.test("settings that name a layer make the properties count for nothing", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, ...ALL);
    const properties = listing("b");
    const order = (layers?: string) =>
      phone.order({ app: DEBUGGABLE, settings: settingsFor(layers), systemProperties: properties });
    assertEquals([order("a"), order(), order("")], ["a", "b", "b"]);
  });
});

Deno.test("a name that no layer has fails the instance, by an application's list or by a setting", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a");
    const settings = settingsFor("nobody:a"), app = DEBUGGABLE;
    assertEquals(phone.order({ app }, asking("a", "nobody")), "-6");
    assertEquals(phone.order({ app, settings }), "-6");
    using vulkan = phone.load({ app, settings });
    const error = assertThrows(() => vulkan.vkCreateInstance({}), VulkanError);
    assertStringIncludes(error.message, "there are no such layers: VK_LAYER_TEST_nobody");
    const finding = vulkan.explain().find(({ path }) => path === layerName("nobody"))!;
    assertEquals([finding.origin, finding.level], ["gpu_debug_layers", "error"]);
  });
});

Deno.test("a stale debug.vulkan.layers does no harm to applications that lack the layer", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a");
    const options = { app: RELEASED, systemProperties: listing("stale", "a") };
    assertEquals(phone.order(options), "a");
    assertEquals(phone.order({ ...options, quirks: "aosp" }), "-6");
    assertEquals(phone.said("stale", options), [[false, "in no library that was found, and instances do without"]]);
    const strict = phone.said("stale", { ...options, quirks: "aosp" });
    assertEquals(strict, [[false, "in no library that was found, so no instance can be made"]]);
  });
});

Deno.test("nothing between two colons of gpu_debug_layers is no name", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a", "b");
    for (const names of ["a::b", ":a:b", "a:b:"]) {
      const options = { app: DEBUGGABLE, settings: settingsFor(names) };
      assertEquals(phone.order(options), "a b", names);
      assertEquals(phone.order({ ...options, quirks: "aosp" }), "-6", names);
      assertEquals(phone.said("a name that is empty", { ...options, quirks: "aosp" }).map(([taken]) => taken), [false]);
    }
  });
});

Deno.test("from release 17 on the system's own layers are nearest the driver, and nobody is told", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a", "b").put("/system/lib64/vulkan", "p", "unnamed").put("/product/lib64/vulkan", "o");
    const properties = {
      "ro.vulkan.layers.oem": "libVkLayer_o.so",
      "ro.vulkan.layers.platform": "libVkLayer_p.so:libVkLayer_none.so:libother.so:",
    };
    const order = (more: object = {}, ...asked: string[]) =>
      phone.order({ app: RELEASED, systemProperties: properties, ...more }, asking(...asked));
    assertEquals([order(), order({}, "b", "a"), order({ release: 16 })], ["p o", "b a p o", ""]);
    assertEquals(order({}, "o", "a"), "o a p");
    assertEquals(phone.listed({ app: RELEASED, systemProperties: properties }), ["a", "b"]);
    assertEquals(phone.said("libVkLayer_none.so", { systemProperties: properties })[0][0], false);
    // AOSP counts two layers of the system, and looks for them among the first two of all
    assertEquals([order({ quirks: "aosp" }), order({ quirks: "aosp", app: {} })], ["", "p o"]);
    phone.put(OWN, "p");
    assertEquals(order({}, "b"), "b o");
  });
});

Deno.test("VK14: implicit layers are no part of Android, whoever asks for them", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a");
    const library = `${phone.root}${OWN}/libVkLayer_a.so`, folder = `${phone.root}/vulkan/implicit_layer.d`;
    const layer = { name: layerName("a"), type: "GLOBAL", library_path: library, api_version: "1.3.0" };
    const rest = { implementation_version: "1", description: "x", disable_environment: { OFF: "1" } };
    writeManifest(`${folder}/a.json`, library, {}, { layer: { ...layer, ...rest } });
    const variables: Record<string, string> = { XDG_DATA_HOME: phone.root, VK_IMPLICIT_LAYER_PATH: folder };
    const instance = { VK_INSTANCE_LAYERS: layerName("a"), VK_LOADER_LAYERS_ENABLE: "*" };
    const env = { ...variables, ...instance };
    assertEquals(phone.order({ implicitLayers: true }, {}, env), "");
    assertEquals(phone.order({ implicitLayers: true, platform: "linux" }, {}, variables), "a");
    const [[taken, reason]] = phone.said("implicitLayers", { implicitLayers: true });
    assert(!taken);
    assertStringIncludes(reason, "Android has no implicit layers");
  });
});

Deno.test("a script's own layers stand above those that are found", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a").put(DATA, "b");
    const seen: string[] = [];
    const layer = defineLayer({
      name: "VK_LAYER_TEST_script",
      commands: {
        vkCreateDevice(next, ...args) {
          seen.push(...phone.log().filter((line) => line.includes("device")));
          return next(...args);
        },
      },
    });
    const given = `${phone.root}${OWN}/libVkLayer_a.so`;
    using vulkan = phone.load({ app: DEBUGGABLE, settings: settingsFor("a:b"), layers: [layer, given] });
    using instance = vulkan.vkCreateInstance(asking("script"));
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    gpu.vkCreateDevice(ONE_QUEUE).close();
    assertEquals(seen, []);
    const made = phone.log().filter((line) => line.includes("create"));
    assertEquals(made, ["a create instance", "b create instance", "a create device", "b create device"]);
    const listed = vulkan.vkEnumerateInstanceLayerProperties().map(({ layerName }) => layerName);
    assertEquals(listed, ["VK_LAYER_TEST_script", given, layerName("b"), layerName("a")]);
  });
});

Deno.test("a layer in the developers' folder hides the application's own of that file's name", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a").put(DEBUG, "a");
    const paths = phone.findings({ app: DEBUGGABLE }, asking("a")).filter(({ reason }) => reason.includes("enabled by"))
      .map(({ path }) => path);
    assertEquals(paths, [`${phone.root}${DEBUG}/libVkLayer_a.so`]);
  });
});

Deno.test("layers see all their names in the create info", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a", "b+names", "c");
    const names = (options: object, ...asked: string[]) => {
      const before = phone.log().length;
      phone.order({ app: DEBUGGABLE, ...options }, { ...asking(...asked), ppEnabledExtensionNames: [] });
      return phone.log().slice(before).filter((line) => line.startsWith("b VK_")).map((line) => line.slice(-1)).join(
        "",
      );
    };
    assertEquals(names({ settings: settingsFor("c:b") }, "a", "b"), "cba");
    assertEquals(names({}, "a", "b"), "ab");
    const script = defineLayer({ name: layerName("s") });
    assertEquals(names({ layers: [script], settings: settingsFor("b") }, "s"), "sb");
  });
});

Deno.test(
  "layers that a device is asked for count for nothing, and that is said where they are others",
  NEEDS_LAYER,
  () => {
    withPhone((phone) => {
      phone.put(OWN, "a", "b");
      const said = (...shorts: string[]) => {
        using vulkan = phone.load({ app: RELEASED });
        using instance = vulkan.vkCreateInstance(asking("a"));
        instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({ ...ONE_QUEUE, ...asking(...shorts) }).close();
        return vulkan.explain().filter(({ origin }) => origin === "VkDeviceCreateInfo").map(({ path }) => path);
      };
      assertEquals([said(), said("a"), said("b"), said("a", "b")], [[], [], [layerName("b")], [
        `${layerName("a")}, ${layerName("b")}`,
      ]]);
      assert(!phone.log().includes("b create device"));
    });
  },
);

Deno.test("a list of layers that is NULL, or has a NULL in it, fails the instance", NEEDS_LAYER, () => {
  withPhone((phone) => {
    using vulkan = phone.load({ app: RELEASED });
    const memory = arena(), mark = memory.mark(), { size } = codec("VkInstanceCreateInfo"), info = memory.alloc(size);
    const out = memory.address(memory.alloc(8)), names = memory.alloc(8);
    memory.bytes.fill(0, info, info + size);
    memory.view.setUint32(info, 1, true); // VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO
    memory.view.setUint32(info + 32, 1, true); // enabledLayerCount
    memory.view.setBigUint64(names, 0n, true);
    for (const array of [0n, memory.address(names)]) {
      memory.view.setBigUint64(info + 40, array, true); // ppEnabledLayerNames
      assertEquals(vulkan.raw.vkCreateInstance(memory.address(info), 0n, out), -6);
    }
    memory.release(mark);
  });
});
