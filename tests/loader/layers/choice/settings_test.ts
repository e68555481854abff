import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { NEEDS_TINY } from "../../tiny.ts";
import { type LayerMachine, layerName, PROGRAM, said, withMachine } from "./layer_machine.ts";

const UNORDERED = { control: "unordered_layer_location" };

/** Writes the settings file: one entry, or several. */
function settle(machine: LayerMachine, ...entries: Record<string, unknown>[]): void {
  const settings = entries.length === 1 ? { settings: entries[0] } : { settings_array: entries };
  machine.write("vulkan/loader_settings.d/vk_loader_settings.json", { file_format_version: "1.0.0", ...settings });
}

/** Installs explicit layers a and b and an implicit layer i; hands over what the settings file says of a layer. */
function withSettings(
  use: (
    machine: LayerMachine,
    entry: (short: string, control: string, more?: object) => Record<string, unknown>,
  ) => void,
): void {
  withMachine((machine) => {
    const paths: Record<string, string> = {
      a: machine.explicit("a"),
      b: machine.explicit("b"),
      i: machine.implicit("i"),
    };
    use(machine, (short, control, more = {}) => ({ name: layerName(short), path: paths[short], control, ...more }));
  });
}

const wish = (...short: string[]) => ({ ppEnabledLayerNames: short.map(layerName) });

Deno.test("acceptance 87: the settings entry for the program counts, else the one for all", NEEDS_TINY, () => {
  withSettings((machine, entry) => {
    const all = { layers: [entry("a", "on")] }, ours = { app_keys: ["/other", PROGRAM], layers: [entry("b", "on")] };
    const other = { app_keys: ["/other"], layers: [] };
    settle(machine, all, ours, other);
    assertEquals(machine.order(), "b");
    settle(machine, other, all);
    assertEquals(machine.order(), "a");
    settle(machine, other);
    assertEquals(machine.order(), "i");
  });
});

Deno.test("acceptance 88: the settings file's order holds for all layers, whoever wants them", NEEDS_TINY, () => {
  withSettings((machine, entry) => {
    settle(machine, {
      layers: [entry("b", "auto"), entry("a", "on"), entry("i", "auto", { treat_as_implicit_manifest: true })],
    });
    assertEquals(machine.order(), "a i");
    assertEquals(machine.order({}, wish("b")), "b a i");
    assertEquals(machine.order({ VK_INSTANCE_LAYERS: layerName("b") }), "b a i");
    assertEquals(machine.order({ VK_LOADER_LAYERS_ENABLE: "*_b", OFF_i: "" }), "b a");
    assertEquals(machine.order({ VK_LOADER_LAYERS_DISABLE: "*" }), "a");
  });
});

Deno.test("acceptance 88: a layer that the settings file turns off is refused and not listed", NEEDS_TINY, () => {
  withSettings((machine, entry) => {
    settle(machine, {
      layers: [entry("a", "off"), entry("b", "auto"), entry("i", "off", { treat_as_implicit_manifest: true })],
    });
    assertEquals([machine.order(), machine.order({}, wish("b")), machine.order({}, wish("a"))], ["", "b", "-6"]);
    assertEquals(machine.order({ VK_INSTANCE_LAYERS: `${layerName("a")}:${layerName("b")}` }), "b");
    using vulkan = machine.load();
    assertEquals(vulkan.vkEnumerateInstanceLayerProperties().map((each) => each.layerName), [layerName("b")]);
    assertEquals(said(machine.findings(), layerName("a")), [[false, "turned off by the settings file"]]);
  });
});

Deno.test("acceptance 88: a layer by another name than its manifest's does not count", NEEDS_TINY, () => {
  withSettings((machine, entry) => {
    settle(machine, {
      layers: [{ ...entry("a", "on"), name: layerName("b") }, { ...entry("b", "on"), path: "/nowhere.json" }],
    });
    assertEquals(machine.order(), "");
    assertStringIncludes(said(machine.findings(), layerName("b"))[0][1], "no layer of that name");
  });
});

Deno.test(
  "the settings file may name two layers of one name, by two manifests, and each manifest once",
  NEEDS_TINY,
  () => {
    withSettings((machine, entry) => {
      const other = machine.write("other.json", {
        file_format_version: "1.2.0",
        layer: { ...machine.layer("explicit", "b"), name: layerName("a"), description: "The other one" },
      });
      const on = entry("a", "on");
      settle(machine, { layers: [on, on, { ...on, path: other }] });
      assertEquals(machine.order(), "a b");
      using vulkan = machine.load();
      using instance = vulkan.vkCreateInstance({});
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      for (const listed of [vulkan.vkEnumerateInstanceLayerProperties(), gpu.vkEnumerateDeviceLayerProperties()]) {
        assertEquals(listed.map((each) => [each.layerName, each.description]), [
          [layerName("a"), "The layer a"],
          [layerName("a"), "The other one"],
        ]);
      }
    });
  },
);

Deno.test(
  "acceptance 89: without an entry in layers there are none at all; without layers, all as usual",
  NEEDS_TINY,
  () => {
    withSettings((machine) => {
      settle(machine, { layers: [] });
      assertEquals([machine.order(), machine.order({}, wish("a"))], ["", "-6"]);
      settle(machine, {});
      assertEquals([machine.order(), machine.order({}, wish("a"))], ["i", "i a"]);
      machine.write("vulkan/loader_settings.d/vk_loader_settings.json", "{");
      assertEquals([machine.order(), machine.order({}, wish("a"))], ["i", "i a"]);
    });
  },
);

Deno.test("acceptance 90: unordered_layer_location is where all others go", NEEDS_TINY, () => {
  withSettings((machine, entry) => {
    settle(machine, { layers: [entry("b", "on"), UNORDERED, entry("a", "on")] });
    assertEquals(machine.order(), "b i a");
    settle(machine, { layers: [UNORDERED, entry("a", "on")] });
    assertEquals([machine.order(), machine.order({}, wish("b"))], ["i a", "i b a"]);
    settle(machine, { layers: [entry("i", "off"), UNORDERED] });
    assertEquals(machine.order({}, wish("a")), "a");
  });
});

Deno.test("acceptance 93: the settings file's stderr_log asks for lines as VK_LOADER_DEBUG does", NEEDS_TINY, () => {
  withSettings((machine, entry) => {
    settle(machine, { layers: [entry("a", "on")] });
    machine.order();
    assertEquals(machine.lines, []);
    settle(machine, { layers: [entry("a", "on")], stderr_log: ["layer"] });
    machine.order();
    assert(
      machine.lines.length > 5 && machine.lines.every((line) => /^\[Vulkan Loader\] (\w+ \| )?LAYER: /.test(line)),
    );
  });
});

Deno.test("the log shows which layers an instance was made with, as the Khronos loader does", NEEDS_TINY, () => {
  withSettings((machine, entry) => {
    machine.order({ VK_LOADER_DEBUG: "layer", VK_INSTANCE_LAYERS: layerName("b") }, wish("a"));
    const texts = machine.lines.map((line) => line.slice(32)),
      at = texts.indexOf("vkCreateInstance layer callstack setup to:");
    const block = (short: string, type: string, by: string) => [
      `   ${layerName(short)}`,
      `           Type: ${type}`,
      `           Enabled By: ${by}`,
      ...(type === "Implicit" ? [`               Disable Env Var:  OFF_${short}`] : []),
      `           Manifest: ${entry(short, "").path}`,
      `           Library:  ${machine.folder}/lib/${layerName(short)}.so`,
      "     ||",
    ];
    assertEquals(texts.slice(at), [
      "vkCreateInstance layer callstack setup to:",
      "   <Application>",
      "     ||",
      "   <Loader>",
      "     ||",
      ...block("i", "Implicit", "Implicit Layer"),
      ...block("b", "Explicit", "Environment Variable VK_INSTANCE_LAYERS"),
      ...block("a", "Explicit", "By the Application"),
      "   <Drivers>",
      ...["i", "b", "a"].map((short) => `Unloading layer library ${machine.folder}/lib/${layerName(short)}.so`),
    ]);
  });
});

Deno.test(
  "the log shows which layers a device was made with, without those that have no part in devices",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      machine.implicit("i");
      machine.implicit("j", { flags: "+instance" });
      using vulkan = machine.load({ VK_LOADER_DEBUG: "layer" });
      using instance = vulkan.vkCreateInstance({});
      machine.lines.length = 0;
      instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({
        pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
      });
      const texts = machine.lines.map((line) => line.slice(32));
      const inserted = `Inserted device layer "${layerName("i")}" (${machine.folder}/lib/${layerName("i")}.so)`;
      assertEquals(texts.slice(0, 2), [inserted, "vkCreateDevice layer callstack setup to:"]);
      assertEquals(texts.at(-1), "   <Device>");
      const listed = texts.slice(2).filter((text) => text.includes("VK_LAYER") && !text.includes(":"));
      assertEquals(listed, [`   ${layerName("i")}`]);
    });
  },
);
