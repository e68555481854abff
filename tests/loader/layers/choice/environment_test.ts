import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { NEEDS_TINY } from "../../tiny.ts";
import { type LayerMachine, layerName, said, withMachine } from "./layer_machine.ts";

/** A list of layers as VK_INSTANCE_LAYERS has it. */
function named(...short: string[]): Record<string, string> {
  return { VK_INSTANCE_LAYERS: short.map(layerName).join(":") };
}

/** Implicit layers i and j, explicit layers a, b and c. */
function withFive(use: (machine: LayerMachine) => void): void {
  withMachine((machine) => {
    for (const short of ["i", "j"]) machine.implicit(short);
    for (const short of ["a", "b", "c"]) machine.explicit(short);
    use(machine);
  });
}

Deno.test("acceptance 53: VK_INSTANCE_LAYERS puts layers in as they are written, each once", NEEDS_TINY, () => {
  withFive((machine) => {
    assertEquals(machine.order(), "i j");
    assertEquals(machine.order(named("b", "a", "b")), "i j b a");
    assertEquals(machine.order(named("a", "i")), "j a i");
    assertEquals(machine.order({ VK_INSTANCE_LAYERS: ":" }), "i j");
  });
});

Deno.test(
  "acceptance 53: a name in VK_INSTANCE_LAYERS that is no layer's is tolerated, and that is said",
  NEEDS_TINY,
  () => {
    withFive((machine) => {
      assertEquals(machine.order(named("nobody", "a")), "i j a");
      const [, [taken, reason]] = said(machine.findings(named("nobody")), "VK_INSTANCE_LAYERS");
      assert(!taken);
      assertStringIncludes(reason, layerName("nobody"));
    });
  },
);

Deno.test("acceptance 53: only whole names count in VK_INSTANCE_LAYERS", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.implicit("foo");
    machine.explicit("foo_extra");
    assertEquals(machine.order(named("foo_extra")), "foo foo_extra");
  });
});

Deno.test(
  "acceptance 54: VK_LOADER_LAYERS_ENABLE brings in explicit layers it matches, in the order found",
  NEEDS_TINY,
  () => {
    withFive((machine) => {
      const enable = (value: string, more = {}) => machine.order({ VK_LOADER_LAYERS_ENABLE: value, ...more });
      assertEquals(enable("*_b,vk_layer_test_A"), "i j a b");
      assertEquals(enable("~all~"), "i j a b c");
      assertEquals(enable("*test_b", named("c")), "i j c b");
    });
  },
);

Deno.test("acceptance 54: VK_LOADER_LAYERS_DISABLE takes layers away from everyone", NEEDS_TINY, () => {
  withFive((machine) => {
    const env = (value: string) => ({ VK_LOADER_LAYERS_DISABLE: value });
    const wish = { ppEnabledLayerNames: [layerName("a")] };
    assertEquals(machine.order(env("*_a,*_i"), wish), "-6");
    assertEquals(machine.order(env("*_i"), wish), "j a");
    assertEquals(machine.order(env("~implicit~"), wish), "a");
    assertEquals([machine.order(env("~explicit~"), wish), machine.order(env("~explicit~"))], ["-6", "i j"]);
    for (const all of ["~all~", "*", "**"]) {
      assertEquals([machine.order(env(all)), machine.order(env(all), wish)], ["", "-6"]);
    }
    using vulkan = machine.load(env("*_a,*_i"));
    const names = vulkan.vkEnumerateInstanceLayerProperties().map((each) => each.layerName);
    assertEquals(names, ["j", "b", "c"].map(layerName));
    assertEquals(said(machine.findings(env("*_i")), layerName("i")), [[false, "VK_LOADER_LAYERS_DISABLE matches it"]]);
  });
});

Deno.test(
  "acceptance 54: ENABLE beats DISABLE, which beats VK_INSTANCE_LAYERS; ALLOW exempts without enabling",
  NEEDS_TINY,
  () => {
    withFive((machine) => {
      const order = (more: Record<string, string>, ...names: string[]) =>
        machine.order({ VK_LOADER_LAYERS_DISABLE: "*", ...more }, { ppEnabledLayerNames: names.map(layerName) });
      assertEquals(order({ VK_LOADER_LAYERS_ENABLE: "*_b,*_j" }), "j b");
      assertEquals(order(named("c")), "");
      assertEquals(order({ VK_LOADER_LAYERS_ALLOW: "*_b,*_i" }), "i");
      assertEquals(order({ VK_LOADER_LAYERS_ALLOW: "*_b" }, "b"), "b");
      assertEquals(order({ VK_LOADER_LAYERS_ALLOW: "*_b" }, "c"), "-6");
      assertEquals(order({ VK_LOADER_LAYERS_DISABLE: "~implicit~", VK_LOADER_LAYERS_ALLOW: "*_j" }, "a"), "j a");
    });
  },
);

Deno.test("acceptance 55: an implicit layer's disable variable turns it off, even when it is empty", NEEDS_TINY, () => {
  withFive((machine) => {
    for (const value of ["", "0", "1"]) assertEquals(machine.order({ OFF_i: value }), "j");
    assertEquals(said(machine.findings({ OFF_i: "1" }), layerName("i")), [[false, "OFF_i is set"]]);
    assertEquals(machine.order({ OFF_i: "1", VK_LOADER_LAYERS_ENABLE: "*_i" }), "j");
  });
});

Deno.test("acceptance 55: an implicit layer with an enable variable counts when that has the value", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.implicit("i", { layer: { enable_environment: { ON_i: "yes" } } });
    assertEquals(machine.order({ ON_i: "yes" }), "i");
    const off: Record<string, string>[] = [{}, { ON_i: "" }, { ON_i: "1" }, { ON_i: "yes", OFF_i: "" }];
    for (const env of off) {
      assertEquals(machine.order(env), "");
    }
    assertEquals(machine.order({ VK_LOADER_LAYERS_ENABLE: "*_i" }), "i");
    assertEquals(said(machine.findings(), layerName("i")), [[false, "ON_i is not yes"]]);
  });
});

Deno.test(
  "acceptance 57: implicit layers, then the environment's, then those of filters, then the application's",
  NEEDS_TINY,
  () => {
    withFive((machine) => {
      const env = { ...named("c"), VK_LOADER_LAYERS_ENABLE: "*_b" };
      assertEquals(machine.order(env, { ppEnabledLayerNames: [layerName("a")] }), "i j c b a");
      assertEquals(
        machine.order({ ...env, ...named("c", "j") }, { ppEnabledLayerNames: ["b", "a", "i"].map(layerName) }),
        "i c j b a",
      );
    });
  },
);

Deno.test("layers a script names come first; those the machine adds count once, below them", NEEDS_TINY, () => {
  withFive((machine) => {
    const layers = [layerName("b"), layerName("j")];
    assertEquals(machine.order(named("b", "c"), {}, { layers }), "b j i c");
    const plain = `${machine.folder}/lib/${layerName("i")}.so`;
    assertEquals(machine.order({}, {}, { layers: [plain] }), "i j");
    using vulkan = machine.load({}, { layers });
    const names = vulkan.vkEnumerateInstanceLayerProperties().map((each) => each.layerName);
    assertEquals(names, ["b", "j", "i", "a", "c"].map(layerName));
  });
});

Deno.test("a driver that was named is bare: only layers that somebody names count", NEEDS_TINY, () => {
  withFive((machine) => {
    const bare = { implicitLayers: undefined };
    assertEquals(machine.order({}, {}, bare), "");
    assertEquals(machine.order(named("a"), {}, bare), "a");
    assertEquals(machine.order({ VK_LOADER_LAYERS_ENABLE: "*_b,*_i" }, {}, bare), "i b");
    assertEquals(machine.order({}, { ppEnabledLayerNames: [layerName("c"), layerName("i")] }, bare), "c i");
    assertEquals(machine.order(named("a"), {}, { platform: "android" }), "");
    assertEquals(machine.order({}, { ppEnabledLayerNames: [layerName("a")] }, { platform: "android" }), "-6");
  });
});

Deno.test("the environment is read anew for every instance", NEEDS_TINY, () => {
  withFive((machine) => {
    const env: Record<string, string | undefined> = {};
    const { host } = machine.options(), live = { ...host!, env: (name: string) => env[name] ?? host!.env(name) };
    using vulkan = machine.load({}, { host: live });
    const created = () => {
      const before = machine.log().length;
      machine.result(vulkan, {});
      return machine.log().slice(before).filter((line) => line.includes("create")).map((line) => line[0]).join("");
    };
    assertEquals(created(), "ji");
    env.VK_INSTANCE_LAYERS = layerName("a");
    env.OFF_j = "1";
    assertEquals(created(), "ai");
  });
});
