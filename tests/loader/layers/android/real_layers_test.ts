import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { halAround } from "../../driver/android/root.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../../tools/setup/parts.ts";
import { createMessenger, listen } from "../../../support/messenger.ts";
import { needs } from "../../../support/require.ts";
import { fillAndRead } from "../../fill.ts";
import { DEBUG, DEBUGGABLE, NEEDS_LAYER, OWN, type Phone, settingsFor, withPhone } from "./phone.ts";

const LAYER = "VK_LAYER_KHRONOS_validation", FILE = "libVkLayer_khronos_validation.so";
const REAL = {
  ignore: NEEDS_LAYER.ignore || needs("Mesa lavapipe", lavapipePath()).ignore ||
    needs("Khronos validation layer", validationManifest()).ignore,
};
const DEVICE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

/** The library that Debian's manifest leads to. */
function validationLibrary(): string {
  const { layer: { library_path: name } } = JSON.parse(Deno.readTextFileSync(validationManifest()!));
  const folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"];
  return [name, ...folders.map((folder) => `${folder}/${name}`)].find((path) => path.startsWith("/") && isFile(path))!;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** A device with a driver in the folder for that, and the validation layer where developers put it. */
function withValidation(use: (phone: Phone, options: object) => void): void {
  withPhone((phone) => {
    phone.file("/vendor/lib64/hw/vulkan.lvp.so", halAround(lavapipePath()!, "lavapipe")!);
    phone.file(`${DEBUG}/${FILE}`, validationLibrary());
    const properties = { "ro.board.platform": "lvp" };
    use(phone, { driver: "auto", app: DEBUGGABLE, settings: settingsFor(LAYER), systemProperties: properties });
  });
}

Deno.test("VK14: the Khronos validation layer in the developers' folder judges what an application does", REAL, () => {
  withValidation((phone, options) => {
    using messenger = createMessenger();
    using vulkan = phone.load(options);
    const listed = vulkan.vkEnumerateInstanceExtensionProperties(null).map(({ extensionName }) => extensionName);
    assert(listed.includes("VK_EXT_debug_utils"));
    using instance = vulkan.vkCreateInstance({
      ppEnabledExtensionNames: ["VK_EXT_debug_utils"],
      pNext: [messenger.info],
    });
    using _listening = listen(instance, messenger);
    assertEquals(fillAndRead(instance, 0x600dca11), 0x600dca11);
    assertEquals(messenger.messages, []);
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    assertEquals(gpu.vkEnumerateDeviceLayerProperties().map(({ layerName }) => layerName), [LAYER]);
    using device = gpu.vkCreateDevice(DEVICE);
    device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 0 }));
    assertEquals(messenger.messages.length, 1);
    assertStringIncludes(messenger.messages[0], "VUID-VkBufferCreateInfo-");
  });
});

Deno.test("the Khronos validation layer shares a chain with a layer of the application's own", REAL, () => {
  withValidation((phone, options) => {
    phone.put(OWN, "a");
    using vulkan = phone.load(options);
    using instance = vulkan.vkCreateInstance({ ppEnabledLayerNames: ["VK_LAYER_TEST_a", LAYER] });
    assertEquals(fillAndRead(instance, 0xfeedbeef), 0xfeedbeef);
    const paths = vulkan.explain().filter(({ reason }) => reason.includes("enabled by"))
      .map(({ path }) => path.replace(phone.root, ""));
    assertEquals(paths, [`${DEBUG}/${FILE}`, `${OWN}/libVkLayer_a.so`]);
    assertEquals(phone.log().filter((line) => line.includes("create")), [
      "a create instance",
      "a create device",
      "a create buffer",
    ]);
  });
});

for (const [name, driver] of [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const) {
  const options = { ignore: NEEDS_LAYER.ignore || needs(name, driver).ignore };

  Deno.test(`${name} works below layers that properties name`, options, () => {
    withPhone((phone) => {
      phone.put(OWN, "a", "b+bare");
      const properties = { "debug.vulkan.layers": "VK_LAYER_TEST_a:VK_LAYER_TEST_b" };
      using vulkan = phone.load({ driver: driver!, app: DEBUGGABLE, systemProperties: properties });
      using instance = vulkan.vkCreateInstance({});
      assertEquals(fillAndRead(instance, 0xabcdef), 0xabcdef);
      const seen = phone.log().filter((line) => line.includes("create"));
      assertEquals(seen, ["a create instance", "b create instance", "a create device", "a create buffer"]);
    });
  });
}
