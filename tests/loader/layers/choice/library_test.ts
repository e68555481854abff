import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { openBlocks } from "../../../../ffi/block.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { DriverError, type Layer, loadVulkan, VulkanError } from "../../../../loader/mod.ts";
import { lavapipePath, validationManifest } from "../../../../tools/setup/parts.ts";
import { compileFixture } from "../../../support/compile.ts";
import { openDevice } from "../../../support/device.ts";
import { mappings, openFiles } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { withEnvironment, withFolder } from "../../../support/temporary.ts";
import { fillAndRead } from "../../fill.ts";
import { NEEDS_TINY, TINY, tinyCount, tinyVariant } from "../../tiny.ts";

const driver = lavapipePath()!;
const VALIDATED = {
  ignore: NEEDS_TINY.ignore || needs("Mesa lavapipe", driver).ignore ||
    needs("Khronos validation layer", validationManifest()).ignore,
};
const PLAIN = compileFixture("plain_layer")!;
const PREFIXED = compileFixture("plain_layer", ["-DPREFIXED"], "prefixed")!;
const INSTANCE_ONLY = compileFixture("plain_layer", ["-DINSTANCE_ONLY"], "instance_only")!;

/** The numbers of instances, devices and buffers that passed through a build of the plain layer. */
function passed(path: string): number[] {
  using library = Library.open(path);
  return ["instances", "devices", "buffers"].map((what) =>
    invokeAddress(library.require(`plain_${what}`), "s:", []) as number
  );
}

/** Makes a device and a buffer through `layers` and returns what passed through the layer at `path`. */
function passBuffer(path: string, layers: (Layer | string)[], named = TINY!): number[] {
  using open = openDevice({ driver: named, layers });
  open.device.vkDestroyBuffer(open.device.vkCreateBuffer({ size: 16n, usage: 2 }));
  return passed(path);
}

const VERSIONS = { api_version: "1.3.0", implementation_version: "1", description: "for tests" };

function manifest(folder: string, name: string, library: string): string {
  const path = `${folder}/${name}.json`;
  const layer = { name, type: "GLOBAL", library_path: library, ...VERSIONS };
  Deno.writeTextFileSync(path, JSON.stringify({ file_format_version: "1.0.0", layer }));
  return path;
}

/** Loading with this layer fails with an error that has all `words`; nothing stays open. */
function assertRefused(layer: string, ...words: string[]): void {
  const before = openFiles();
  const error = assertThrows(() => loadVulkan({ driver: TINY!, layers: [layer] }), DriverError);
  for (const word of words) assertStringIncludes(error.message, word);
  assertEquals(openFiles(), before);
}

Deno.test("a native layer that does not negotiate stands in the chain", NEEDS_TINY, () => {
  assertEquals(passBuffer(PLAIN, [PLAIN]), [1, 1, 1]);
});

Deno.test("a native layer whose exports begin with its name is found by it", NEEDS_TINY, () => {
  withFolder((folder) => {
    const path = manifest(folder, "VK_LAYER_TEST_prefixed", PREFIXED);
    assertEquals(passBuffer(PREFIXED, [path]), [1, 1, 1]);
  });
});

Deno.test("a layer without device commands stays out of the device chain", NEEDS_TINY, () => {
  assertEquals(passBuffer(INSTANCE_ONLY, [INSTANCE_ONLY]), [1, 0, 0]);
  for (const layers of [[INSTANCE_ONLY, PLAIN], [PLAIN, INSTANCE_ONLY]]) {
    assertEquals(passBuffer(PLAIN, layers), [1, 1, 1]);
  }
});

Deno.test("a native layer cannot be in the chain twice", NEEDS_TINY, () => {
  const before = openFiles();
  const twice = () => loadVulkan({ driver: TINY!, layers: [PLAIN, INSTANCE_ONLY, PLAIN] });
  assertThrows(twice, TypeError, "in the chain twice");
  assertEquals(openFiles(), before);
});

Deno.test("native and TypeScript layers both see a command, the TypeScript layer first", VALIDATED, () => {
  const seen: number[][] = [];
  const layer: Layer = {
    name: "VK_LAYER_TEST_above",
    commands: {
      vkCreateBuffer(next, ...args) {
        seen.push(passed(PLAIN));
        return next(...args);
      },
    },
  };
  assertEquals(passBuffer(PLAIN, [layer, PLAIN, "VK_LAYER_KHRONOS_validation"], driver), [1, 1, 1]);
  assertEquals(seen, [[1, 1, 0]]);
});

Deno.test("a layer is found by name, manifest and library", VALIDATED, () => {
  for (const layer of ["VK_LAYER_KHRONOS_validation", validationManifest()!, "libVkLayer_khronos_validation.so"]) {
    using vulkan = loadVulkan({ driver, layers: [layer] });
    const { path, taken, reason } = vulkan.explain()[1];
    assertEquals([path, taken], ["libVkLayer_khronos_validation.so", true]);
    assertStringIncludes(reason, layer);
    using instance = vulkan.vkCreateInstance({});
    assertEquals(fillAndRead(instance, 99), 99);
  }
});

Deno.test("instance-only device_select and validation share a chain, in both orders", VALIDATED, () => {
  const layers = ["VK_LAYER_MESA_device_select", "VK_LAYER_KHRONOS_validation"];
  for (const order of [layers, layers.toReversed()]) {
    using vulkan = loadVulkan({ driver, layers: order });
    assertEquals(vulkan.vkEnumerateInstanceLayerProperties().map((each) => each.layerName).slice(0, 2), order);
    using instance = vulkan.vkCreateInstance({});
    assertEquals(fillAndRead(instance, 0xabcdef), 0xabcdef);
  }
});

Deno.test("VK_LAYER_PATH says where layers are, as folders or files", NEEDS_TINY, () => {
  withFolder((folder) => {
    const path = manifest(folder, "VK_LAYER_TEST_here", PLAIN);
    Deno.writeTextFileSync(`${folder}/broken.json`, "{");
    for (const value of [folder, path, `/nowhere:${folder}`]) {
      withEnvironment({ VK_LAYER_PATH: value }, () => {
        assertEquals(passBuffer(PLAIN, ["VK_LAYER_TEST_here"]), [1, 1, 1]);
        assertRefused("VK_LAYER_KHRONOS_validation", "VK_LAYER_TEST_here", "VK_LAYER_PATH");
      });
    }
    withEnvironment({ VK_ADD_LAYER_PATH: folder }, () => {
      assertEquals(passBuffer(PLAIN, ["VK_LAYER_TEST_here"]), [1, 1, 1]);
    });
    assertRefused("VK_LAYER_TEST_here", "VK_LAYER_TEST_here", "install it or set VK_LAYER_PATH");
  });
});

Deno.test("a manifest's library_path is relative to the manifest", NEEDS_TINY, () => {
  withFolder((folder) => {
    Deno.copyFileSync(PLAIN, `${folder}/layer.so`);
    assertEquals(
      passBuffer(`${folder}/layer.so`, [manifest(folder, "VK_LAYER_TEST_near", "./layer.so")]),
      [1, 1, 1],
    );
  });
});

Deno.test("a file that is no layer is refused", NEEDS_TINY, () => {
  assertRefused("/nowhere/libVkLayer_x.so", "/nowhere/libVkLayer_x.so", "as a layer", "check the path");
  assertRefused(compileFixture("ffi")!, "vkNegotiateLoaderLayerInterfaceVersion", "vkGetInstanceProcAddr");
  withFolder((folder) => {
    const path = `${folder}/libVkLayer_text.so`;
    Deno.writeTextFileSync(path, "INPUT(libreal.so)\n");
    assertRefused(path, path, "ELF");
  });
});

Deno.test("a malformed layer manifest is refused and what is wrong said", NEEDS_TINY, () => {
  const cases = [
    ["{", "not JSON"],
    ["[]", "not an object"],
    ["{}", '"layer"'],
    ['{"ICD":{}}', "driver's manifest"],
    ['{"layers":[]}', "lists no layer"],
    ['{"layer":{"name":"x"}}', '"library_path" is missing'],
    ['{"layer":{"library_path":"x.so"}}', '"name" is missing'],
  ];
  withFolder((folder) => {
    const path = `${folder}/layer.json`;
    for (const [text, word] of cases) {
      Deno.writeTextFileSync(path, text);
      assertRefused(path, path, word);
    }
  });
  assertRefused("/nowhere/layer.json", "/nowhere/layer.json", "check the path");
});

Deno.test("a driver's failure comes through a native layer, and nothing is left", NEEDS_TINY, () => {
  const failing = tinyVariant("failing", "-DFAIL_CREATE=-9")!, magicless = tinyVariant("no_magic", "-DNO_MAGIC")!;
  const before = openFiles();
  {
    using vulkan = loadVulkan({ driver: failing, layers: [PLAIN] });
    assertThrows(() => vulkan.vkCreateInstance({}), VulkanError, "VK_ERROR_INCOMPATIBLE_DRIVER");
  }
  {
    using vulkan = loadVulkan({ driver: magicless, layers: [PLAIN] });
    assertThrows(() => vulkan.vkCreateInstance({}), DriverError, "loader magic");
    assertEquals(tinyCount("live_instances", magicless), 0);
  }
  assertEquals(openFiles(), before);
});

Deno.test("instances and devices through a native layer are destroyed with the loader", NEEDS_TINY, () => {
  using vulkan = loadVulkan({ driver: TINY!, layers: [PLAIN] });
  for (let i = 0; i < 3; i++) {
    const instance = vulkan.vkCreateInstance({});
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  }
  assertEquals([tinyCount("live_instances"), tinyCount("live_devices")], [3, 3]);
  using other = Library.open(TINY!);
  vulkan.close();
  assertEquals(["live_instances", "live_devices"].map((what) => tinyCount(what, other.path)), [0, 0]);
});

Deno.test("a closed loader with native layers leaves no file, block or mapping behind", NEEDS_TINY, () => {
  passBuffer(PLAIN, [PLAIN]); // whatever is opened once for the process is open now
  const files = openFiles(), blocks = openBlocks();
  for (let i = 0; i < 40; i++) passBuffer(PLAIN, [PLAIN]);
  assertEquals([openFiles(), openBlocks()], [files, blocks]);
  assertEquals([mappings("plain_layer"), mappings("tiny_driver")], [0, 0]);
});
