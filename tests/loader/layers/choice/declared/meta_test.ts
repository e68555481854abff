import { assertEquals, assertStringIncludes } from "@std/assert";
import { NEEDS_TINY } from "../../../tiny.ts";
import { type LayerMachine, layerName, PROGRAM, said, withMachine } from "../layer_machine.ts";

const OVERRIDE = "VK_LAYER_LUNARG_override";

/** The chain of an instance for which these layers are asked for. */
function asked(machine: LayerMachine, ...short: string[]): string {
  return machine.order({}, { ppEnabledLayerNames: short.map(layerName) });
}

/** Explicit layers a, b and c. */
function withThree(use: (machine: LayerMachine) => void): void {
  withMachine((machine) => {
    for (const short of ["a", "b", "c"]) machine.explicit(short);
    use(machine);
  });
}

Deno.test("acceptance 60: a meta-layer gives place to its components, in their order, each once", NEEDS_TINY, () => {
  withThree((machine) => {
    machine.meta("m", ["c", "a"]);
    assertEquals(asked(machine, "m"), "c a");
    assertEquals(asked(machine, "a", "m", "b"), "a c b");
    assertEquals(machine.order({}, {}, { layers: [layerName("m")] }), "c a");
    machine.meta("i", ["b"], {}, "implicit");
    assertEquals(asked(machine), "b");
  });
});

Deno.test("acceptance 60: a meta-layer of which a component is missing or older is none", NEEDS_TINY, () => {
  withThree((machine) => {
    machine.meta("m", ["a", "nobody"]);
    machine.meta("n", ["a"], { layer: { api_version: "1.4.0" } });
    machine.meta("o", ["m"]);
    machine.meta("fine", ["a"], { layer: { api_version: "1.3.999" } });
    assertEquals([asked(machine, "m"), asked(machine, "n"), asked(machine, "o"), asked(machine, "fine")], [
      "-6",
      "-6",
      "-6",
      "a",
    ]);
    const findings = machine.findings();
    assertStringIncludes(said(findings, layerName("m"))[0][1], `${layerName("nobody")} is not there`);
    assertStringIncludes(said(findings, layerName("n"))[0][1], "older Vulkan");
  });
});

Deno.test("acceptance 60: a meta-layer that stands for itself or for another meta-layer is none", NEEDS_TINY, () => {
  withThree((machine) => {
    machine.meta("m", ["a", "m"]);
    machine.meta("n", ["o"]);
    machine.meta("o", ["b", "n"]);
    machine.meta("p", ["c", "q"]);
    machine.meta("q", ["b"]);
    for (const short of ["m", "n", "o", "p"]) assertEquals(asked(machine, short), "-6");
    assertEquals(asked(machine, "q"), "b");
    assertStringIncludes(said(machine.findings(), layerName("m"))[0][1], "stands for itself");
    assertStringIncludes(said(machine.findings(), layerName("p"))[0][1], `${layerName("q")} is a meta-layer itself`);
  });
});

Deno.test("a meta-layer does without a component that a variable turns off", NEEDS_TINY, () => {
  withThree((machine) => {
    machine.implicit("i");
    machine.meta("m", ["a", "b", "i"]);
    const wish = { ppEnabledLayerNames: [layerName("m")] };
    assertEquals(machine.order({ VK_LOADER_LAYERS_DISABLE: layerName("a") }, wish), "i b");
    assertEquals(machine.order({ OFF_i: "1" }, wish), "a b");
    assertEquals(machine.order({ VK_LOADER_LAYERS_DISABLE: "*_a,*_b,*_i" }, wish), "");
  });
});

Deno.test(
  "acceptance 60: a meta-layer has its own extensions and those of its components, each once",
  NEEDS_TINY,
  () => {
    const extensions = (kind: string, version: string, ...names: string[]) =>
      [kind, names.map((name) => ({ name: `VK_TEST_${name}`, spec_version: version }))] as const;
    const layer = (version: string, ...names: string[]) => ({
      layer: Object.fromEntries(
        ["instance_extensions", "device_extensions"].map((kind) => extensions(kind, version, ...names)),
      ),
    });
    withMachine((machine) => {
      machine.explicit("a", layer("2", "a"));
      machine.explicit("b", layer("3", "b", "own"));
      machine.meta("m", ["a", "b"], layer("4", "own"));
      using vulkan = machine.load(), instance = vulkan.vkCreateInstance({});
      const [gpu] = instance.vkEnumeratePhysicalDevices(), name = layerName("m");
      for (
        const listed of [
          vulkan.vkEnumerateInstanceExtensionProperties(name),
          gpu.vkEnumerateDeviceExtensionProperties(name),
        ]
      ) {
        assertEquals(listed.map((each) => each.extensionName), ["VK_TEST_own", "VK_TEST_a", "VK_TEST_b"]);
      }
      const ppEnabledExtensionNames = ["VK_TEST_a", "VK_TEST_b", "VK_TEST_own"];
      assertEquals(machine.order({}, { ppEnabledLayerNames: [name], ppEnabledExtensionNames }), "a b");
    });
  },
);

Deno.test("acceptance 61: the override layer's components count for every instance", NEEDS_TINY, () => {
  withThree((machine) => {
    machine.implicit("i");
    machine.meta(OVERRIDE, ["c", "b"], {}, "implicit");
    assertEquals(machine.order(), "c b i");
    assertEquals(machine.order({ [`OFF_${OVERRIDE}`]: "1" }), "i");
  });
});

Deno.test("acceptance 61: the override layer's blacklist takes implicit and explicit layers away", NEEDS_TINY, () => {
  withThree((machine) => {
    machine.implicit("i");
    machine.implicit("j");
    const blacklisted_layers = ["i", "a"].map(layerName);
    machine.meta(OVERRIDE, ["b"], { layer: { blacklisted_layers } }, "implicit");
    assertEquals([machine.order(), asked(machine, "c"), asked(machine, "a")], ["b j", "b j c", "-6"]);
    assertStringIncludes(said(machine.findings(), layerName("i"))[0][1], "on the blacklist of");
    assertEquals(machine.order({ [`OFF_${OVERRIDE}`]: "1" }, { ppEnabledLayerNames: [layerName("a")] }), "i j a");
  });
});

Deno.test(
  "acceptance 61: the override layer's paths replace the search for explicit layers, VK_LAYER_PATH as well",
  NEEDS_TINY,
  () => {
    withThree((machine) => {
      machine.explicit("d", { at: "override" });
      const override_paths = [`${machine.folder}/override`];
      machine.meta(OVERRIDE, ["d"], { layer: { override_paths } }, "implicit");
      const env = { VK_LAYER_PATH: `${machine.folder}/vulkan/explicit_layer.d` };
      assertEquals(machine.order(env), "d");
      assertEquals(machine.order(env, { ppEnabledLayerNames: [layerName("a")] }), "-6");
      machine.order({ ...env, VK_LOADER_DEBUG: "layer" });
      const said = "Ignoring VK_LAYER_PATH. The Override layer is active and has override paths set, which takes " +
        `priority. VK_LAYER_PATH is set to ${env.VK_LAYER_PATH}`;
      assertEquals(machine.lines.filter((line) => line.endsWith(said)), [`[Vulkan Loader] INFO | LAYER:   ${said}`]);
    });
  },
);

Deno.test(
  "acceptance 61: the override layer that names the program counts, else one that names none",
  NEEDS_TINY,
  () => {
    withThree((machine) => {
      const install = (file: string, component: string, app_keys?: string[]) => {
        const layer = machine.layer("implicit", OVERRIDE, {
          layer: { library_path: undefined, component_layers: [layerName(component)], app_keys },
        });
        machine.write(`vulkan/implicit_layer.d/${file}.json`, { file_format_version: "1.1.1", layer });
      };
      install("1", "a", ["/other"]);
      assertEquals(machine.order(), "");
      install("2", "b");
      assertEquals(machine.order(), "b");
      install("3", "c", ["/other", PROGRAM]);
      assertEquals(machine.order(), "c");
      assertEquals(said(machine.findings(), OVERRIDE).filter(([taken]) => !taken).length, 2);
    });
  },
);

Deno.test("acceptance 61: an override layer with a missing or older component is none", NEEDS_TINY, () => {
  withThree((machine) => {
    machine.meta(OVERRIDE, ["a", "nobody"], {}, "implicit");
    assertEquals(machine.order(), "");
    machine.meta(OVERRIDE, ["a"], { layer: { api_version: "1.4.0" } }, "implicit");
    assertEquals(machine.order(), "");
    machine.meta(OVERRIDE, ["a"], { layer: { api_version: "1.1.0" } }, "implicit");
    assertEquals(machine.order(), "a");
  });
});
