import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { cstring } from "../../../../ffi/cstring.ts";
import type { Vulkan } from "../../../../loader/mod.ts";
import { defineLayer, VulkanError } from "../../../../loader/mod.ts";
import { mappings, openFiles } from "../../../support/open_files.ts";
import { NEEDS_TINY } from "../../tiny.ts";
import { layerName, said, withMachine } from "./layer_machine.ts";

const A = { ppEnabledLayerNames: [layerName("a")] };

/** The result of the raw vkCreateInstance for a create info with these members. */
function rawResult(vulkan: Vulkan, members: { layers?: [number, bigint]; extensions?: [number, bigint] }): number {
  const memory = arena(), mark = memory.mark(), info = memory.alloc(64), out = memory.alloc(8);
  memory.bytes.fill(0, info, info + 64);
  memory.view.setUint32(info, 1, true);
  const { layers = [0, 0n], extensions = [0, 0n] } = members;
  memory.view.setUint32(info + 32, layers[0], true);
  memory.view.setBigUint64(info + 40, layers[1], true);
  memory.view.setUint32(info + 48, extensions[0], true);
  memory.view.setBigUint64(info + 56, extensions[1], true);
  const result = vulkan.raw.vkCreateInstance(memory.address(info), 0n, memory.address(out));
  memory.release(mark);
  return result;
}

/** An array of one string, whatever its bytes. */
function arrayOf(bytes: Uint8Array): [number, bigint] {
  const memory = arena(), array = memory.alloc(8);
  memory.view.setBigUint64(array, memory.place(bytes), true);
  return [1, memory.address(array)];
}

Deno.test("acceptance 4: an instance extension that neither driver nor layers have is refused", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.implicit("i", { layer: { instance_extensions: [{ name: "VK_TEST_one", spec_version: "1" }] } });
    const ask = (...ppEnabledExtensionNames: string[]) => machine.order({}, { ppEnabledExtensionNames });
    assertEquals([ask("VK_TEST_one"), ask("VK_TEST_two"), ask("VK_TEST_one", "VK_TEST_two")], ["i", "-7", "-7"]);
    using vulkan = machine.load();
    const error = assertThrows(
      () => vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_TEST_two"] }),
      VulkanError,
    );
    assertStringIncludes(error.message, "VK_TEST_two");
  });
});

Deno.test("acceptance 5: a layer that is not there is refused, and which one is said", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.explicit("a");
    assertEquals(machine.order({}, { ppEnabledLayerNames: [layerName("a"), layerName("b")] }), "-6");
    using vulkan = machine.load();
    const error = assertThrows(
      () => vulkan.vkCreateInstance({ ppEnabledLayerNames: [layerName("b")] }),
      VulkanError,
      layerName("b"),
    );
    assertEquals(error.code, -6);
    assertEquals(said(vulkan.explain(), layerName("b"))[0][0], false);
  });
});

Deno.test("acceptance 6: a count without an array, and names no layer can have, are refused", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.explicit("a");
    using vulkan = machine.load();
    const memory = arena(), mark = memory.mark();
    assertEquals(rawResult(vulkan, { layers: [1, 0n] }), -6);
    assertEquals(rawResult(vulkan, { extensions: [1, 0n] }), -7);
    const null_ = memory.alloc(8);
    memory.view.setBigUint64(null_, 0n, true);
    const names = [
      arrayOf(cstring("x".repeat(300))),
      arrayOf(new Uint8Array([0x56, 0xff, 0xc0, 0])),
      arrayOf(cstring("")),
    ];
    for (const layers of [...names, [1, memory.address(null_)] as [number, bigint]]) {
      assertEquals(rawResult(vulkan, { layers }), -6);
      assertEquals(rawResult(vulkan, { extensions: layers }), -7);
    }
    memory.release(mark);
  });
});

Deno.test("vkCreateInstance() fails without a create info or a place for the instance", NEEDS_TINY, () => {
  withMachine((machine) => {
    using vulkan = machine.load();
    const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(64));
    const results = [[0n, at], [at, 0n]].map(([info, out]) => vulkan.raw.vkCreateInstance(info, 0n, out));
    assertEquals(results, [-3, -3]);
    memory.release(mark);
  });
});

Deno.test("acceptance 56: layers go in as the application lists them, each once", NEEDS_TINY, () => {
  withMachine((machine) => {
    for (const short of ["a", "b", "c"]) machine.explicit(short);
    const ppEnabledLayerNames = ["c", "a", "c", "b", "a"].map(layerName);
    assertEquals(machine.order({}, { ppEnabledLayerNames }), "c a b");
  });
});

Deno.test("acceptance 62: an implicit layer of an older Vulkan than the application's stays in", NEEDS_TINY, () => {
  for (const api_version of ["1.0.0", "0.1.0", "1.3.0"]) {
    withMachine((machine) => {
      machine.implicit("i", { layer: { api_version } });
      const info = { pApplicationInfo: { apiVersion: 0x404000 } };
      assertEquals(machine.order({}, info), "i");
      const [, reason] = said(machine.findings({}, info), layerName("i"))[0];
      assertStringIncludes(reason, "may cause issues");
    });
  }
});

Deno.test(
  "acceptance 63: an application goes without an implicit layer that cannot be opened, not without its own",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      const broken = { layer: { library_path: "/nowhere/libVkLayer.so" } };
      machine.explicit("a", broken);
      machine.explicit("b");
      machine.implicit("i", broken);
      assertEquals(machine.order({}, { ppEnabledLayerNames: [layerName("b")] }), "b");
      assertEquals(machine.order({ VK_INSTANCE_LAYERS: layerName("a") }), "");
      const before = openFiles();
      assertEquals(machine.order({}, { ppEnabledLayerNames: [layerName("b"), layerName("a")] }), "-6");
      assertEquals([openFiles(), mappings("VK_LAYER_TEST_b")], [before, 0]);
      using vulkan = machine.load();
      const error = assertThrows(() => vulkan.vkCreateInstance(A), VulkanError, "/nowhere/libVkLayer.so");
      assertStringIncludes(error.message, "check the path");
      const { level } = vulkan.explain().find(({ origin }) =>
        origin.endsWith("i.json") && origin.includes("implicit")
      )!;
      assertEquals(level, "warning");
    });
  },
);

Deno.test("acceptance 63: a meta-layer's component that cannot be opened is done without", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.explicit("a", { layer: { library_path: "/nowhere/libVkLayer.so" } });
    machine.explicit("b");
    machine.meta("m", ["a", "b"]);
    assertEquals(machine.order({}, { ppEnabledLayerNames: [layerName("m")] }), "b");
  });
});

Deno.test("a layer is open as long as an instance uses it", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.explicit("a");
    const opened = () => mappings(`${layerName("a")}.so`) > 0;
    using vulkan = machine.load();
    assertEquals(opened(), false);
    const first = vulkan.vkCreateInstance(A), second = vulkan.vkCreateInstance(A);
    first.close();
    assertEquals(opened(), true);
    second.close();
    assertEquals(opened(), false);
    vulkan.vkCreateInstance(A);
    vulkan.close();
    assertEquals(opened(), false);
  });
});

Deno.test("what is found for one instance is not kept for the next", NEEDS_TINY, () => {
  withMachine((machine) => {
    using vulkan = machine.load();
    assertEquals(machine.result(vulkan, A), -6);
    machine.explicit("a");
    assertEquals(machine.result(vulkan, A), 0);
    Deno.removeSync(`${machine.folder}/vulkan`, { recursive: true });
    assertEquals(machine.result(vulkan, A), -6);
  });
});

Deno.test(
  "vkEnumerateDeviceLayerProperties() lists all layers in force, a meta-layer after its components",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      for (const short of ["a", "b", "c", "d"]) machine.explicit(short);
      machine.implicit("i");
      machine.implicit("off", { layer: { enable_environment: { NOBODY_SETS: "1" } } });
      machine.meta("m", ["d"]);
      using vulkan = machine.load({ VK_INSTANCE_LAYERS: `${layerName("m")}:${layerName("c")}` }, {
        layers: [defineLayer({ name: "VK_LAYER_TEST_script" }), layerName("b")],
      });
      using instance = vulkan.vkCreateInstance(A);
      const listed = instance.vkEnumeratePhysicalDevices()[0].vkEnumerateDeviceLayerProperties();
      assertEquals(listed.map((each) => each.layerName), ["script", "b", "i", "d", "m", "c", "a"].map(layerName));
      assertEquals(listed[6].implementationVersion, 7);
    });
  },
);
