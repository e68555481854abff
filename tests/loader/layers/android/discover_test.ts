import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openBlocks } from "../../../../ffi/block.ts";
import { mappings, openFiles } from "../../../support/open_files.ts";
import { SETUID } from "../../driver/fake_host.ts";
import { asking, DATA, DEBUG, DEBUGGABLE, NEEDS_LAYER, OWN, RELEASED, settingsFor, withPhone } from "./phone.ts";

Deno.test("VK5: a layer without a manifest is found by its file's name", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a");
    const names = ["libVkLayerb.so", "libVKLayer_c.so", "VkLayer_d.so", "libVkLayer_e.so.1", "xlibVkLayer_f.so"];
    for (const name of names) phone.file(`${OWN}/${name}`, `${phone.root}${OWN}/libVkLayer_a.so`);
    Deno.writeTextFileSync(`${phone.root}${OWN}/libVkLayer_a.json`, "{}");
    using vulkan = phone.load({ app: RELEASED });
    const found = vulkan.explain().filter(({ subject, origin }) => subject === "layer" && origin.includes("libraries"));
    const [misspelt, ...layers] = found.map(({ path, taken, reason }) => {
      return [path.replace(phone.root + OWN, ""), taken, reason.includes("rename the file")];
    });
    assertEquals(misspelt, ["/libVKLayer_c.so", false, true]);
    assertEquals(layers.map(([path]) => path), ["/libVkLayer_a.so", "/libVkLayerb.so"]);
    assertEquals(phone.order({ app: RELEASED }, asking("a")), "a");
  });
});

Deno.test(
  "VK15: an application that may not be debugged has the layers in its own folder, and no others",
  NEEDS_LAYER,
  () => {
    withPhone((phone) => {
      phone.put(OWN, "own").put(DEBUG, "debug").put(DATA, "data").put("/data/app/layers/lib", "packaged");
      const settings = settingsFor("own", { gpu_debug_layer_app: "org.layers" });
      const app = { ...RELEASED, layerPackages: { "org.layers": "/data/app/layers/lib" } };
      assertEquals(phone.listed({ app, settings }), ["own"]);
      assertEquals(phone.listed({ app: { ...app, debuggable: true } }), ["debug", "own"]);
      assertEquals(phone.listed({ app: { ...app, debuggable: true }, settings }), ["debug", "data", "packaged", "own"]);
    });
  },
);

Deno.test("VK13: nothing of others is even opened for an application that may not be debugged", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(DEBUG, "debug").put(DATA, "data");
    assertEquals(phone.order({ app: RELEASED, settings: settingsFor("debug:data") }), "");
    assertEquals(phone.log(), []);
  });
});

Deno.test("VK12: without an application there is no folder to look at", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(DEBUG, "a").put("/system/lib64", "b").put("/vendor/lib64", "c").put("/system/lib64/vulkan", "d");
    assertEquals(phone.listed(), []);
    assertEquals(phone.findings().filter(({ subject }) => subject === "folder"), []);
  });
});

Deno.test("a build that may be debugged opens the developers' folder to every application", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(DEBUG, "a");
    assertEquals(phone.listed({ systemProperties: { "ro.debuggable": "1" } }), ["a"]);
    assertEquals(phone.listed({ systemProperties: { "ro.debuggable": "0" } }), []);
  });
});

Deno.test("a process with rights of another gets no layers of others, whoever names them", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(DEBUG, "a").put(OWN, "own");
    phone.identity = SETUID;
    const properties = { "ro.debuggable": "1", "debug.vulkan.layers": "VK_LAYER_TEST_own" };
    assertEquals(phone.listed({ app: DEBUGGABLE, systemProperties: properties, settings: settingsFor("a") }), ["own"]);
    assertEquals(phone.order({ app: DEBUGGABLE, systemProperties: properties, settings: settingsFor("a") }), "");
    const [[taken, reason]] = phone.said("enable_gpu_debug_layers", { app: DEBUGGABLE, settings: settingsFor("a") });
    assert(!taken);
    assertStringIncludes(reason, "other rights");
  });
});

Deno.test("of two files of one name the one in the earlier folder counts, if it can be used", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a", "b").put(DEBUG, "a").copy(DEBUG, "b", ["-DNO_LAYERS"]);
    const { said, paths } = pathsOf(phone.findings({ app: DEBUGGABLE }, asking("a", "b")));
    assertEquals(paths, [`${DEBUG}/libVkLayer_a.so`, `${OWN}/libVkLayer_b.so`]);
    assert(said.some((reason) => reason.includes("was found before, in")));
  });

  function pathsOf(findings: readonly { path: string; taken: boolean; reason: string; origin: string }[]) {
    const taken = findings.filter(({ taken, reason }) => taken && reason.includes("enabled by"));
    const short = (path: string) => path.slice(path.indexOf("/data"));
    return { said: findings.map(({ reason }) => reason), paths: taken.map(({ path }) => short(path)) };
  }
});

Deno.test("of two layers of one name the one found first counts, and is listed once", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a+other", "b+other");
    assertEquals(phone.listed({ app: RELEASED }), ["shared"]);
    assertEquals(phone.order({ app: RELEASED }, asking("shared")), "a");
    const [, reason] = phone.said("VK_LAYER_TEST_shared", { app: RELEASED })[0];
    assertStringIncludes(reason, "a layer of that name was found before");
  });
});

Deno.test("libraries of one folder come sorted by name", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "c", "a", "b");
    assertEquals(phone.listed({ app: RELEASED }), ["a", "b", "c"]);
  });
});

Deno.test("a library that is no library of layers is left out, and why is said", NEEDS_LAYER, () => {
  withPhone((phone) => {
    const flags = { x1: ["-DNO_LAYERS"], x2: ["-DNO_EXTENSIONS"] };
    const rows: [name: string, words: string][] = [
      ["x1", "does not export vkEnumerateInstanceLayerProperties"],
      ["x2", "does not export vkEnumerateInstanceExtensionProperties"],
      ["x3+none", "declares no layer"],
      ["x4+fails1", "vkEnumerateInstanceLayerProperties returned -3"],
      ["x5+fails2", "vkEnumerateInstanceLayerProperties returned -3"],
      ["x6+failsdevice", "vkEnumerateDeviceLayerProperties returned -3"],
      ["x7+failsextensions", "vkEnumerateInstanceExtensionProperties for VK_LAYER_TEST_x7 returned -3"],
      ["x8+failsdeviceextensions", "vkEnumerateDeviceExtensionProperties for VK_LAYER_TEST_x8 returned -3"],
      ["x9+many", "counts 4000000000 layers"],
    ];
    for (const [name] of rows) phone.copy(OWN, name, flags[name as keyof typeof flags] ?? []);
    Deno.writeTextFileSync(`${phone.root}${OWN}/libVkLayer_text.so`, "INPUT(libreal.so)");
    Deno.mkdirSync(`${phone.root}${OWN}/libVkLayer_folder.so`);
    assertEquals(phone.put(OWN, "good").listed({ app: RELEASED }), ["good"]);
    for (const [name, words] of [...rows, ["text", "no ELF"], ["folder", "a directory"]]) {
      const [taken, reason] = phone.said(`libVkLayer_${name}.so`, { app: RELEASED })[0];
      assert(!taken);
      assertStringIncludes(reason, words.replace("no ELF", "ELF"));
    }
  });
});

Deno.test("no part of a layer library crashes, or does harm to another", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "good", "whole");
    const path = `${phone.root}${OWN}/libVkLayer_whole.so`, whole = Deno.readFileSync(path);
    const sizes = [0, 1, 4, 16, 63, 64, 65, ...Array.from({ length: 24 }, (_, part) => whole.length * part / 24 | 0)];
    Deno.removeSync(path);
    for (const size of sizes) {
      Deno.writeFileSync(`${phone.root}${OWN}/libVkLayer_part.so`, whole.subarray(0, size));
      assertEquals(phone.listed({ app: RELEASED })[0], "good", `${size} bytes`);
      const [[, reason]] = phone.said("libVkLayer_part.so", { app: RELEASED });
      assert(reason.length > 8, `${size} bytes: ${reason}`);
    }
  });
});

Deno.test("libraries are closed after they were asked, and opened again for each instance", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a");
    using vulkan = phone.load({ app: RELEASED });
    for (let round = 0; round < 2; round++) vulkan.vkEnumerateInstanceLayerProperties();
    assertEquals([phone.log(), mappings("libVkLayer_a.so")], [["a opened", "a closed"], 0]);
    {
      using _instance = vulkan.vkCreateInstance(asking("a"));
      assert(mappings("libVkLayer_a.so") > 0);
    }
    const expected = ["a opened", "a create instance", "a closed"];
    assertEquals([phone.log().slice(2), mappings("libVkLayer_a.so")], [expected, 0]);
  });
});

Deno.test(
  "what was found stays for the life of a loader, and properties are read for each instance",
  NEEDS_LAYER,
  () => {
    withPhone((phone) => {
      phone.put(OWN, "a");
      const properties: Record<string, string> = {};
      using vulkan = phone.load({ app: RELEASED, systemProperties: properties });
      const made = () => {
        const before = phone.log().length;
        vulkan.vkCreateInstance({}).close();
        return phone.log().slice(before).filter((line) => line.endsWith("create instance")).join();
      };
      assertEquals(made(), "");
      phone.put(OWN, "b");
      properties["debug.vulkan.layers"] = "VK_LAYER_TEST_b:VK_LAYER_TEST_a";
      assertEquals(made(), "a create instance");
    });
  },
);

Deno.test("a layer inside a package is not looked for, and that is said", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a");
    const app = { ...RELEASED, nativeLibraryDir: `${OWN}:/data/app/game/base.apk!/lib/x86_64` };
    assertEquals(phone.listed({ app }), ["a"]);
    const advice = "lies inside a package; unpack it and name the folder";
    assertEquals(phone.said("base.apk!/lib/x86_64", { app }), [[false, advice]]);
  });
});

Deno.test("every folder is told of, those that are not there, too", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a");
    Deno.mkdirSync(`${phone.root}${DATA}`, { recursive: true });
    const folders = phone.findings({ app: DEBUGGABLE, settings: settingsFor() }).filter(({ subject }) =>
      subject === "folder"
    );
    assertEquals(folders.map(({ path, taken, reason }) => [path.replace(phone.root, ""), taken, reason]), [
      [DEBUG, false, "no such folder"],
      [DATA, true, "holds no layer library"],
      [OWN, true, "holds libVkLayer_a.so"],
    ]);
  });
});

Deno.test("whatever is said of layers has a subject, an origin and a reason", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a", "b+none", "c+differs").put(DEBUG, "a");
    const settings = settingsFor("a:gone", { gpu_debug_layer_app: "org.none" });
    const properties = { "debug.vulkan.layer.0": "x", "ro.vulkan.layers.oem": "libVkLayer_o.so" };
    for (
      const options of [{ settings }, { settings, quirks: "aosp" as const }, {
        systemProperties: properties,
        implicitLayers: true,
      }]
    ) {
      const findings = phone.findings({ app: DEBUGGABLE, ...options }, asking("c"));
      assert(findings.length > 6);
      for (const { path, origin, reason } of findings) {
        assert(path !== "" && origin !== "" && reason !== "" && !reason.endsWith("."), `${path}: ${reason}`);
      }
    }
  });
});

Deno.test("layer packages that nobody gave folders for are looked for below /data/app", NEEDS_LAYER, () => {
  withPhone((phone) => {
    const abi = Deno.build.arch === "aarch64" ? "arm64" : "x86_64";
    phone.put(`/data/app/~~x1==/org.layers-y2==/lib/${abi}`, "a");
    const options = { app: DEBUGGABLE, settings: settingsFor("a", { gpu_debug_layer_app: "org.none:org.layers" }) };
    assertEquals(phone.order(options), "a");
    assertEquals(phone.said("/data/app", options), [[
      false,
      "does not hold org.none; give its folders in app.layerPackages",
    ]]);
  });
});

Deno.test("Android's layers leave no file, block or mapping behind", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a", "b+bare", "x+none").copy(OWN, "c", ["-DNO_INSTANCE_PROC"]);
    const use = () => {
      phone.order({ app: RELEASED }, asking("a", "b"));
      phone.order({ app: RELEASED }, asking("a", "c"));
    };
    use(); // whatever is opened once for the process is open now
    const before = [openFiles(), openBlocks(), mappings("libVkLayer")];
    for (let round = 0; round < 20; round++) use();
    assertEquals([openFiles(), openBlocks(), mappings("libVkLayer")], before);
  });
});
