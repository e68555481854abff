import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { SETUID } from "../../driver/fake_host.ts";
import { NEEDS_TINY } from "../../tiny.ts";
import { layerName, said, withMachine } from "./layer_machine.ts";

const B = { ppEnabledLayerNames: [layerName("b")] };

Deno.test(
  "acceptance 51: VK_LAYER_PATH names files and folders, and replaces the search for explicit layers",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      machine.implicit("i");
      machine.explicit("a");
      const b = machine.explicit("b", { at: "more" });
      for (const value of [b, `${machine.folder}/more`, `/nowhere:${b}`, `${b}:${machine.folder}/more`]) {
        assertEquals(machine.order({ VK_LAYER_PATH: value }, B), "i b");
        assertEquals(machine.order({ VK_LAYER_PATH: value }, { ppEnabledLayerNames: [layerName("a")] }), "-6");
      }
      assertEquals(machine.order({}, B), "-6");
      const findings = machine.findings({ VK_LAYER_PATH: b, VK_ADD_LAYER_PATH: "/other" });
      assertEquals(said(findings, "VK_LAYER_PATH"), [[true, "replaces the search for explicit layers"]]);
      assertEquals(said(findings, "VK_ADD_LAYER_PATH"), [[false, "ignored, because VK_LAYER_PATH is set"]]);
    });
  },
);

Deno.test(
  "acceptance 51: VK_ADD_LAYER_PATH goes before the search; of two layers of a name the first counts",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      machine.explicit("a");
      machine.explicit("b", { layer: { description: "found later" } });
      machine.explicit("b", { at: "more", layer: { description: "found first" } });
      const env = { VK_ADD_LAYER_PATH: `${machine.folder}/more` };
      assertEquals(machine.order(env, { ppEnabledLayerNames: [layerName("a"), layerName("b")] }), "a b");
      using vulkan = machine.load(env);
      const listed = vulkan.vkEnumerateInstanceLayerProperties().map((
        { layerName: name, description },
      ) => [name, description]);
      assertEquals(listed, [[layerName("b"), "found first"], [layerName("a"), "The layer a"]]);
      const [, reason] = said(machine.findings(env), layerName("b"))[0];
      assertStringIncludes(reason, "a layer of that name was found before");
    });
  },
);

Deno.test(
  "acceptance 52: VK_IMPLICIT_LAYER_PATH and VK_ADD_IMPLICIT_LAYER_PATH do the same for implicit layers",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      machine.implicit("a");
      const b = machine.implicit("b", { at: "more" });
      assertEquals(machine.order(), "a");
      assertEquals(machine.order({ VK_ADD_IMPLICIT_LAYER_PATH: b }), "b a");
      assertEquals(machine.order({ VK_IMPLICIT_LAYER_PATH: `${machine.folder}/more` }), "b");
      assertEquals(machine.order({ VK_IMPLICIT_LAYER_PATH: b, VK_ADD_IMPLICIT_LAYER_PATH: "/x" }), "b");
    });
  },
);

Deno.test("acceptance 51: layers are found in every folder of the search, and sorted within one", NEEDS_TINY, () => {
  withMachine((machine) => {
    const places = { XDG_CONFIG_HOME: "1", XDG_CONFIG_DIRS: "2", XDG_DATA_HOME: "3", XDG_DATA_DIRS: "4" };
    for (const folder of Object.values(places).toReversed()) {
      for (const short of ["z", "a"]) {
        machine.implicit(`${short}${folder}`, { at: `${folder}/vulkan/implicit_layer.d` });
      }
    }
    const env = Object.fromEntries(
      Object.entries(places).map(([name, folder]) => [name, `${machine.folder}/${folder}`]),
    );
    assertEquals(machine.order(env), "a1 z1 a2 z2 a3 z3 a4 z4");
  });
});

Deno.test(
  "acceptance 51: an elevated process ignores every variable that chooses layers, and that is said",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      const a = machine.explicit("a", { at: "more" }), i = machine.implicit("i", { at: "more" });
      const env = {
        VK_LAYER_PATH: a,
        VK_ADD_LAYER_PATH: a,
        VK_IMPLICIT_LAYER_PATH: i,
        VK_ADD_IMPLICIT_LAYER_PATH: i,
        VK_INSTANCE_LAYERS: layerName("a"),
        VK_LOADER_LAYERS_ENABLE: "*",
        VK_LOADER_LAYERS_DISABLE: "x",
        VK_LOADER_LAYERS_ALLOW: "x",
        XDG_DATA_HOME: `${machine.folder}/more`,
      };
      assertEquals(machine.order(env), "i a");
      machine.identity = SETUID;
      assertEquals(machine.order(env), "");
      const findings = machine.findings(env);
      for (const name of Object.keys(env)) {
        const [[taken, reason]] = said(findings, name);
        assert(!taken);
        assertStringIncludes(reason, "ignored, because this process has other rights");
      }
    });
  },
);

Deno.test(
  "acceptance 58: a manifest may declare several layers; one that is wrong does no harm to the others",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      const layers = ["a", "b", "c"].map((short) => machine.layer("explicit", short));
      delete layers[1].description;
      machine.write("vulkan/explicit_layer.d/all.json", { file_format_version: "1.0.1", layers });
      const names = ["c", "a"].map(layerName);
      assertEquals(machine.order({}, { ppEnabledLayerNames: names }), "c a");
      assertEquals(machine.order({}, B), "-6");
      const reasons = said(machine.findings({}, B), "all.json");
      assertEquals(reasons.map(([taken]) => taken), [false, true]);
      assertStringIncludes(reasons[0][1], '"description" is missing');
    });
  },
);

Deno.test("acceptance 46: a layer's library is found relative to what the manifest links to", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.library("a");
    const real = machine.explicit("a", { at: "real", layer: { library_path: `../lib/${layerName("a")}.so` } });
    Deno.mkdirSync(`${machine.folder}/deep/er/vulkan/explicit_layer.d`, { recursive: true });
    Deno.symlinkSync(real, `${machine.folder}/deep/er/vulkan/explicit_layer.d/a.json`);
    const env = { XDG_DATA_HOME: `${machine.folder}/deep/er` };
    assertEquals(machine.order(env, { ppEnabledLayerNames: [layerName("a")] }), "a");
  });
});

Deno.test(
  "acceptance 36: manifests of every version are read, and layers of both interface versions load",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      const versions = ["1.0.0", "1.0.1", "1.1.0", "1.1.1", "1.1.2", "1.2.0", "1.2.1", "9.9.9"];
      const ways = ["", "+v1", "+old"];
      for (const [index, file_format_version] of versions.entries()) {
        for (const flags of ways) {
          machine.explicit("a", {
            flags,
            top: { file_format_version },
            layer: { library_arch: index > 5 ? "64" : undefined },
          });
          assertEquals(
            machine.order({}, { ppEnabledLayerNames: [layerName("a")] }),
            "a",
            `${file_format_version}${flags}`,
          );
        }
      }
    });
  },
);

Deno.test("acceptance 36: interface functions go by the names in the manifest", NEEDS_TINY, () => {
  withMachine((machine) => {
    const functions = {
      vkNegotiateLoaderLayerInterfaceVersion: "renamed_negotiate",
      vkGetInstanceProcAddr: "renamed_instance_proc",
    };
    const info = { ppEnabledLayerNames: [layerName("a")] };
    for (const flags of ["", "+old"]) {
      machine.explicit("a", { flags, layer: { functions } });
      assertEquals(machine.order({}, info), "a");
    }
    assertEquals(machine.log().filter((line) => line.includes("negotiate")), Array(2).fill("a renamed negotiate"));
  });
});

Deno.test("a layer manifest for another width, kind or variant is left out, and why is said", NEEDS_TINY, () => {
  const cases = [
    [{ library_arch: "32" }, "32"],
    [{ library_arch: "arm" }, "arm"],
    [{ type: "DEVICE" }, "device layers are no more"],
    [{ type: undefined }, "missing"],
    [{ api_version: "1.1.3.0" }, "variant 1"],
    [{ implementation_version: undefined }, "implementation_version"],
    [{ component_layers: [layerName("b")] }, "keep one"],
    [{ component_layers: [], library_path: undefined }, "lists no layer"],
    [{ name: `VK_LAYER_${"x".repeat(300)}` }, "shorten it"],
    [{ name: "VK_LAYER_\0" }, "NUL"],
    [{ library_path: "/x\0.so" }, "NUL"],
  ] as const;
  withMachine((machine) => {
    for (const [layer, word] of cases) {
      machine.explicit("a", { layer });
      const [[taken, reason]] = said(machine.findings({ VK_INSTANCE_LAYERS: layerName("a") }), "a.json");
      assertEquals(taken, false);
      assertStringIncludes(reason, word);
    }
    machine.explicit("a");
    machine.implicit("i", { layer: { disable_environment: undefined } });
    assertStringIncludes(said(machine.findings(), "i.json")[0][1], "has no disable_environment");
  });
});

Deno.test("a layer need not describe itself, but its manifest has the key", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.explicit("a", { layer: { description: "" } });
    machine.explicit("b", { layer: { description: undefined } });
    using vulkan = machine.load();
    const listed = vulkan.vkEnumerateInstanceLayerProperties();
    assertEquals(listed.map((each) => [each.layerName, each.description]), [[layerName("a"), ""]]);
    assertEquals(machine.order({}, { ppEnabledLayerNames: [layerName("a")] }), "a");
  });
});
