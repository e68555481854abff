import { assertEquals, assertStringIncludes } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { openBlocks } from "../../../../ffi/block.ts";
import { mappings } from "../../../support/open_files.ts";
import { interfaceDriver } from "../../driver/machine.ts";
import { NEEDS_TINY } from "../../tiny.ts";
import { type LayerMachine, layerName, withMachine } from "./layer_machine.ts";

const HOOKS = {
  vkEnumerateInstanceVersion: "pre_version",
  vkEnumerateInstanceExtensionProperties: "pre_extensions",
  vkEnumerateInstanceLayerProperties: "pre_layers",
};
const hooked = { layer: { pre_instance_functions: HOOKS }, top: { file_format_version: "1.1.2" } };
const VERSION_1_3 = 0x403000;

/** An extension as manifests have it. */
function extension(name: string, spec_version: string) {
  return { name, spec_version };
}

/** Calls the three commands and says what the layers saw of it. */
function callAll(machine: LayerMachine, env: Record<string, string> = {}): string {
  using vulkan = machine.load(env);
  const before = machine.log().length;
  vulkan.vkEnumerateInstanceVersion();
  const memory = arena(), mark = memory.mark(), count = memory.address(memory.alloc(4));
  vulkan.raw.vkEnumerateInstanceExtensionProperties(0n, count, 0n);
  vulkan.raw.vkEnumerateInstanceLayerProperties(count, 0n);
  memory.release(mark);
  return machine.log().slice(before).join(" ");
}

/** The loader's own extensions. */
const OWN = ["VK_EXT_debug_report", "VK_EXT_debug_utils", "VK_KHR_portability_enumeration"];

Deno.test(
  "acceptance 13: an implicit layer may answer vkEnumerateInstanceVersion in the driver's place",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      using vulkan = machine.load();
      assertEquals(vulkan.vkEnumerateInstanceVersion(), VERSION_1_3);
      machine.implicit("i", hooked);
      assertEquals(vulkan.vkEnumerateInstanceVersion(), VERSION_1_3 + 1);
      assertEquals(mappings(layerName("i")), 0);
    });
  },
);

Deno.test(
  "acceptance 13: functions before an instance are those of implicit layers that are on, by a manifest of 1.1.2",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      machine.implicit("i", hooked);
      assertEquals(callAll(machine), "i version i extensions i layers");
      assertEquals(callAll(machine, { OFF_i: "" }), "");
      machine.implicit("i", { ...hooked, top: { file_format_version: "1.1.1" } });
      assertEquals(callAll(machine), "");
      machine.implicit("i", { ...hooked, layer: { pre_instance_functions: { vkEnumerateInstanceVersion: "nobody" } } });
      assertEquals(callAll(machine), "");
      using vulkan = machine.load();
      vulkan.vkEnumerateInstanceVersion();
      assertStringIncludes(vulkan.explain().at(-1)!.reason, "does not export nobody");
      machine.implicit("i", { ...hooked, layer: { ...hooked.layer, library_path: "/nowhere/libVkLayer.so" } });
      assertEquals([callAll(machine), vulkan.vkEnumerateInstanceVersion()], ["", VERSION_1_3]);
    });
  },
);

Deno.test("acceptance 17: an explicit layer's functions before an instance are not called", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.explicit("a", hooked);
    assertEquals(callAll(machine, { VK_INSTANCE_LAYERS: layerName("a") }), "");
  });
});

Deno.test(
  "the functions that an implicit layer has before an instance are called, too, where the caller names the layer",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      const path = machine.implicit("i", hooked);
      machine.explicit("a", hooked);
      const off = { OFF_i: "" }; // so that the layer does not come by itself
      using vulkan = machine.load(off, { layers: [path, layerName("a")] });
      const before = machine.log().length;
      assertEquals(vulkan.vkEnumerateInstanceVersion(), VERSION_1_3 + 1);
      assertEquals(machine.log().slice(before), ["i version"]);
      using bare = machine.load(off);
      assertEquals(bare.vkEnumerateInstanceVersion(), VERSION_1_3);
    });
  },
);

Deno.test("acceptance 18: of three layers the one found last is called first", NEEDS_TINY, () => {
  withMachine((machine) => {
    for (const short of ["i", "j", "k"]) machine.implicit(short, hooked);
    const expected = ["version", "extensions", "layers"].flatMap((what) =>
      ["k", "j", "i"].map((short) => `${short} ${what}`)
    );
    const blocks = openBlocks();
    assertEquals(callAll(machine), expected.join(" "));
    assertEquals(openBlocks(), blocks);
  });
});

Deno.test(
  "acceptance 14: instance extensions are the driver's and those of implicit layers that are on, each once",
  NEEDS_TINY,
  () => {
    const driver = interfaceDriver("shared", `-DEXTENSION="VK_TEST_shared"`)!;
    withMachine((machine) => {
      const list = (...names: [string, string][]) => ({
        layer: { instance_extensions: names.map((each) => extension(...each)) },
      });
      machine.implicit("i", list(["VK_TEST_i", "4"], ["VK_TEST_shared", "9"]));
      machine.implicit("j", list(["VK_TEST_i", "5"], ["VK_TEST_j", "6"]));
      machine.explicit("a", list(["VK_TEST_a", "7"]));
      using vulkan = machine.load({ OFF_none: "" }, { driver });
      const names = vulkan.vkEnumerateInstanceExtensionProperties(null).map((each) => each.extensionName);
      assertEquals(names, ["VK_TEST_shared", ...OWN, "VK_TEST_i", "VK_TEST_j"]);
      using off = machine.load({ OFF_j: "" }, { driver });
      assertEquals(off.vkEnumerateInstanceExtensionProperties(null).length, 2 + OWN.length);
    });
  },
);

Deno.test(
  "acceptance 14: a layer's name lists its extensions, in two calls, short, and not for an unknown layer",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      const instance_extensions = [extension("VK_TEST_one", "1"), extension("VK_TEST_two", "2")];
      machine.explicit("a", { layer: { instance_extensions } });
      using vulkan = machine.load();
      const memory = arena(), mark = memory.mark(), count = memory.alloc(4), out = memory.alloc(520);
      const name = memory.place(new TextEncoder().encode(`${layerName("a")}\0`));
      const call = (layer: bigint, to: number) =>
        vulkan.raw.vkEnumerateInstanceExtensionProperties(layer, memory.address(count), memory.address(to));
      assertEquals([call(name, 0), memory.view.getUint32(count, true)], [0, 2]);
      memory.view.setUint32(count, 1, true);
      assertEquals([call(name, out), memory.view.getUint32(count, true)], [5, 1]);
      memory.view.setUint32(count, 2, true);
      assertEquals([call(name, out), memory.view.getUint32(count, true)], [0, 2]);
      assertEquals(memory.view.getUint32(out + 260 + 256, true), 2);
      assertEquals(call(memory.place(new TextEncoder().encode("VK_LAYER_nobody\0")), out), -6);
      assertEquals(vulkan.raw.vkEnumerateInstanceExtensionProperties(name, 0n, 0n), 5);
      memory.release(mark);
    });
  },
);

Deno.test(
  "acceptance 16: all layers there are get listed, with what their manifests say, in two calls and short",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      machine.explicit("a", {
        layer: { api_version: "1.2.131", implementation_version: "42", description: "ä".repeat(200) },
      });
      machine.implicit("i", { layer: { enable_environment: { ON_i: "1" } } });
      using vulkan = machine.load();
      const [i, a] = vulkan.vkEnumerateInstanceLayerProperties();
      assertEquals([i.layerName, i.specVersion, i.implementationVersion, i.description], [
        layerName("i"),
        0x4030fa,
        7,
        "The layer i",
      ]);
      assertEquals([a.specVersion, a.implementationVersion, a.description], [0x402083, 42, "ä".repeat(127)]);
      const memory = arena(), mark = memory.mark(), count = memory.alloc(4), out = memory.alloc(520);
      memory.view.setUint32(count, 1, true);
      const result = vulkan.raw.vkEnumerateInstanceLayerProperties(memory.address(count), memory.address(out));
      assertEquals([result, memory.view.getUint32(count, true)], [5, 1]);
      memory.release(mark);
    });
  },
);
