import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import * as core from "../../loader/core.ts";
import * as loader from "../../loader/mod.ts";
import * as root from "../../mod.ts";
import { dumpGenerated } from "../../ffi/mod.ts";
import { walk } from "../../tools/walk.ts";
import { NEEDS_TINY, TINY } from "../loader/tiny.ts";
import { type DocDeclaration, publicDocs } from "./docs.ts";
import { withFolder } from "../support/temporary.ts";

type LoadVulkan = (options?: root.VulkanOptions) => root.Vulkan;
const ENTRIES: Readonly<Record<string, LoadVulkan>> = {
  "./core": core.loadVulkan,
  "./loader": loader.loadVulkan,
  ".": root.loadVulkan,
};
/** The options of the lean entry. */
const LEAN = ["driver", "layers", "bottomLayers", "foreignCalls", "log", "host"];

Deno.test("loadVulkan() of every entry has one type and one text", async () => {
  const docs = await publicDocs(), found: [string, DocDeclaration][] = [];
  for (const [entry, symbols] of Object.entries(docs)) {
    const declarations = symbols.find(({ name }) => name === "loadVulkan")?.declarations ?? [];
    found.push(...declarations.map((each): [string, DocDeclaration] => [entry, each]));
  }
  assertEquals(found.map(([entry]) => entry).sort(), Object.keys(ENTRIES).sort());
  const [[, { jsDoc, def }]] = found;
  assert(jsDoc?.doc);
  for (const [entry, each] of found) {
    assertEquals(each.jsDoc, jsDoc, `${entry} has another text`);
    assertEquals(signature(each.def), signature(def), `${entry} has another type`);
    const types = docs[entry].map(({ name }) => name);
    assert(types.includes("VulkanOptions") && types.includes("Vulkan"), entry);
  }
});

/** Parameters and result by the names of their types; where each was imported from differs. */
function signature(def: unknown): unknown {
  return JSON.parse(JSON.stringify(def, (key, value) => key === "resolution" ? undefined : value));
}

Deno.test("loadVulkan() of every entry has the same option names", () => {
  const unknown = { nonsense: 1 } as root.VulkanOptions;
  const names = Object.values(ENTRIES).map((load) => {
    const message = assertThrows(() => load(unknown), TypeError).message;
    return message.split(": there are ")[1].split(", ");
  });
  assertEquals(names, Array(3).fill(names[0]));
  assert(LEAN.every((name) => names[0].includes(name)) && names[0].length > LEAN.length);
});

Deno.test("the lean loadVulkan() refuses by name the options that only a search has a use for", () => {
  const fitting: root.VulkanOptions = {
    platform: "linux",
    release: 17,
    implicitLayers: true,
    root: "/",
    quirks: "aosp",
  };
  for (const [name, value] of Object.entries(fitting)) {
    const message = assertThrows(() => core.loadVulkan({ driver: "/none", [name]: value }), TypeError).message;
    assertMatch(message, new RegExp(`option "${name}" of loadVulkan\\(\\) here: give some of ${LEAN.join(", ")}, `));
  }
});

Deno.test("loadVulkan() of every entry checks its options once", () => {
  for (const [entry, load] of Object.entries(ENTRIES)) {
    let checks = 0;
    const layers: root.Layer[] = [], entries = () => (checks++, [].entries());
    Object.defineProperty(layers, "entries", { value: entries });
    assertThrows(() => load({ driver: "/none", layers }), core.DriverError);
    assertEquals(checks, 1, entry);
  }
});

/** The instance extensions with which the window system is there. */
const WINDOWS = ["VK_KHR_surface", "VK_KHR_android_surface"];

Deno.test("no application hears of the layers of the window system, or can name one", NEEDS_TINY, () => {
  for (const platform of ["android", "linux"] as const) {
    using vulkan = root.loadVulkan({
      driver: TINY!,
      platform,
      layers: [loader.defineLayer({ name: "VK_LAYER_MINE" })],
    });
    const names = vulkan.vkEnumerateInstanceLayerProperties().map(({ layerName }) => layerName);
    assertEquals([names[0], names.filter((name) => name.includes("PUMICE"))], ["VK_LAYER_MINE", []]);
    using instance = vulkan.vkCreateInstance({
      ppEnabledExtensionNames: WINDOWS,
      ppEnabledLayerNames: ["VK_LAYER_MINE"],
    });
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    assertEquals(gpu.vkEnumerateDeviceLayerProperties().map(({ layerName }) => layerName), ["VK_LAYER_MINE"]);
    const hidden = "VK_LAYER_PUMICE_headless_surface_proxy";
    assertThrows(
      () => vulkan.vkCreateInstance({ ppEnabledLayerNames: [hidden] }),
      loader.VulkanError,
      "LAYER_NOT_PRESENT",
    );
    assertThrows(() => vulkan.vkEnumerateInstanceExtensionProperties(hidden), loader.VulkanError, "LAYER_NOT_PRESENT");
  }
});

Deno.test(
  "a command that no layer hooks is built once, also with layers and under the window system",
  NEEDS_TINY,
  () => {
    withFolder((folder) => {
      const other = loader.defineLayer({
        name: "VK_LAYER_OTHER",
        commands: { vkCreateEvent: (next, ...args) => next(...args), vkDestroyEvent: (next, ...args) => next(...args) },
      });
      using vulkan = root.loadVulkan({ driver: TINY!, layers: [other] });
      using instance = vulkan.vkCreateInstance({});
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
      dumpGenerated(folder);
      try {
        device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 2 }));
        // No test before this one in the process has asked a device for that.
        gpu.vkGetPhysicalDeviceSparseImageFormatProperties(37, 1, 1, 1, 0);
        const made = [...walk(folder)].map((path) => path.slice(folder.length + 1));
        const commands = ["vkCreateBuffer", "vkDestroyBuffer", "vkGetPhysicalDeviceSparseImageFormatProperties"];
        const of = (name: string) => made.filter((path) => path.endsWith(`/${name}.js`) && !path.startsWith("codec"));
        assertEquals(commands.map(of), commands.map((name) => [`direct/${name}.js`]));
      } finally {
        dumpGenerated(undefined);
      }
    });
  },
);
