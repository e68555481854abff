import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { asking, layerName, NEEDS_LAYER, OWN, type Phone, RELEASED, withPhone } from "./phone.ts";

const LIBRARY = "libVkLayer_a";

/** The first letters of the commands that the layers asked for see: making an instance, a device and a buffer. */
function seen(phone: Phone, more: object = {}, ...shorts: string[]): string {
  using vulkan = phone.load({ app: RELEASED, ...more });
  const before = phone.log().length;
  using instance = vulkan.vkCreateInstance(asking(...shorts));
  using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 2 }));
  const lines = phone.log().slice(before).filter((line) => line.includes("create"));
  return lines.map((line) => line.replace(" create ", ":").replace(/(?<=:.).*/, "")).join(" ");
}

Deno.test("a layer has a part in devices if its properties are the same there in every byte", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a", "b+bare", "c+differs", "d+tail");
    assertEquals(seen(phone, {}, "a", "b", "c", "d"), "a:i b:i c:i d:i a:d a:b");
    const reasons = ["a", "b+bare", "c+differs", "d+tail"].map((name) =>
      phone.said(`libVkLayer_${name}.so`, { app: RELEASED })[0][1]
    );
    assertEquals(reasons, [
      "declares VK_LAYER_TEST_a (for instances and devices)",
      "declares VK_LAYER_TEST_b (for instances only)",
      "declares VK_LAYER_TEST_c (for instances only, its properties there being others)",
      "declares VK_LAYER_TEST_d (for instances only, its properties there being others)",
    ]);
  });
});

Deno.test("a layer that has no list for devices any more has a part in them all the same", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.copy(OWN, "a", ["-DNO_DEVICE_LISTS"]);
    assertEquals(seen(phone, {}, "a"), "a:i a:d a:b");
    const said = phone.said(`${LIBRARY}.so`, { app: RELEASED })[0][1];
    assertStringIncludes(said, "(for instances and devices, though it has no vkEnumerateDeviceLayerProperties)");
    const strict = phone.said(`${LIBRARY}.so`, { app: RELEASED, quirks: "aosp" })[0][1];
    assertStringIncludes(strict, "(for instances only, having no vkEnumerateDeviceLayerProperties)");
    phone.copy(OWN, "a+bare", ["-DNO_DEVICE_LISTS"]);
    Deno.removeSync(`${phone.root}${OWN}/${LIBRARY}.so`);
    assertEquals(seen(phone, { quirks: "aosp" }, "a"), "a:i");
  });
});

Deno.test("a layer for devices without vkGetDeviceProcAddr stays out of them", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.copy(OWN, "a+bare", ["-DNO_DEVICE_PROC"]).put(OWN, "b");
    assertEquals(seen(phone, {}, "a", "b"), "a:i b:i b:d b:b");
  });
});

Deno.test("a library may hold several layers, told apart by the names of their exports", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.copy(OWN, "pair", [], "android_pair");
    const [[, reason]] = phone.said("libVkLayer_pair.so", { app: RELEASED });
    const names = ["VK_LAYER_TEST_first (for instances and devices)", "VK_LAYER_TEST_second (for instances only)"];
    assertEquals(reason, `declares ${names.join(", ")}`);
    assertEquals(phone.listed({ app: RELEASED }), ["first", "second"]);
    for (const order of [["first", "second"], ["second", "first"]]) {
      assertEquals(phone.order({ app: RELEASED }, asking(...order)), order.join(" "));
    }
  });
});

Deno.test("VK16: exports that begin with the layer's name go before the plain ones", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.copy(OWN, "a", ["-DPREFIXED"]);
    assertEquals(seen(phone, {}, "a"), "a:i a:d a:b");
    assert(!phone.log().some((line) => line.includes("plain name")));
  });
});

Deno.test("a layer is never asked for its interface version", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.copy(OWN, "a", ["-DNEGOTIATES"]);
    assertEquals(seen(phone, {}, "a"), "a:i a:d a:b");
    assert(!phone.log().includes("a negotiated"));
    using vulkan = phone.load({ layers: [`${phone.root}${OWN}/${LIBRARY}.so`] });
    vulkan.vkCreateInstance({}).close();
    assert(phone.log().includes("a negotiated")); // a script's own layers go by the Khronos interface
  });
});

Deno.test("layers that make no instance are refused before they are called", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "above", "b+nocreate").copy(OWN, "a", ["-DNO_INSTANCE_PROC"]);
    const rows = [["a", "does not export vkGetInstanceProcAddr"], [
      "b",
      "vkGetInstanceProcAddr has no vkCreateInstance",
    ]];
    for (const [short, words] of rows) {
      assertEquals(phone.order({ app: RELEASED }, asking("above", short)), "-6");
      const findings = phone.findings({ app: RELEASED }, asking(short));
      assertStringIncludes(findings.at(-1)!.reason, words);
      const properties = { "debug.vulkan.layers": `${layerName("above")}:${layerName(short)}` };
      assertEquals(phone.order({ app: RELEASED, systemProperties: properties }), "above");
      assertEquals(phone.order({ app: RELEASED, systemProperties: properties, quirks: "aosp" }), "-6");
    }
  });
});

Deno.test("what applications are told of a layer is what its library says", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a");
    using vulkan = phone.load({ app: RELEASED });
    assertEquals(vulkan.vkEnumerateInstanceLayerProperties(), [{
      layerName: layerName("a"),
      specVersion: 1 << 22 | 1 << 12 | 68,
      implementationVersion: 7,
      description: "The layer a",
    }]);
  });
});

Deno.test("layers find the loader's structs of both systems before an instance's chain", NEEDS_LAYER, () => {
  withPhone((phone) => {
    phone.put(OWN, "a+structs");
    assertEquals(phone.order({ app: RELEASED }, asking("a")), "a");
    const LINK = 0, DATA_CALLBACK = 1, DEVICE_CALLBACK = 2, FEATURES = 3;
    const structs = [FEATURES, DEVICE_CALLBACK, DATA_CALLBACK, LINK].join(" ");
    assert(phone.log().includes(`a structs ${structs}`));
  });
});
