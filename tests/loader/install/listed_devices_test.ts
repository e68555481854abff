import { assertEquals } from "@std/assert";
import { loadVulkan } from "../../../loader/mod.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { writeManifest } from "../driver/machine.ts";
import { LayerMachine } from "../layers/choice/layer_machine.ts";
import { runClient } from "./client.ts";
import { app, DEBUG, INFO, type Message, only, WARNING } from "./words.ts";

const DRIVERS = [lavapipePath(), swiftshaderPath()];
const OPTIONS = needs(
  "Vulkan headers, a C compiler, Mesa lavapipe and SwiftShader",
  DRIVERS.every((path) => path) && app,
);

/** A device of these drivers: an entry of the settings file, and the words about the device. */
interface Device {
  readonly entry: Record<string, unknown>;
  readonly name: string;
  readonly driverName: string;
}

function devices(): Device[] {
  using vulkan = loadVulkan({ driver: DRIVERS as string[] });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x402000 } });
  return instance.vkEnumeratePhysicalDevices().map((gpu) => {
    const chain = [{ sType: 1000071004 }, { sType: 1000196000 }] as const;
    const { properties, pNext: [ids, { driverName }] } = gpu.vkGetPhysicalDeviceProperties2(chain);
    const { deviceUUID, driverUUID } = ids, { driverVersion, deviceName: name } = properties;
    return { entry: { deviceUUID: [...deviceUUID], driverUUID: [...driverUUID], driverVersion }, name, driverName };
  });
}

function uuid(bytes: unknown): string {
  return new Uint8Array(bytes as number[]).toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const APPLY = "loader_apply_settings_device_configurations:";
const BEGIN: Message = [
  INFO,
  "Selecting and ordering VkPhysicalDevices to match the loader settings device configurations list",
];

function selected(place: number, { name, driverName, entry: { driverVersion } }: Device): Message {
  return [
    DEBUG,
    `pPhysicalDevices array index ${place} is set to "${name}" (${driverName}, version ${driverVersion}) `,
  ];
}

function missing({ deviceUUID, driverUUID, driverVersion }: Device["entry"], name = "", driver = ""): Message {
  const what = `${name}deviceUUID: ${uuid(deviceUUID)}, ${driver}driverUUID: ${uuid(driverUUID)}`;
  return [
    WARNING,
    `${APPLY} settings file contained device_configuration which does not appear in the enumerated ` +
    `VkPhysicalDevices. Missing VkPhysicalDevice with ${what}, driverVersion: ${driverVersion}`,
  ];
}

function leftOut({ name }: Device): Message {
  return [
    INFO,
    `VkPhysicalDevice "${name}" did not appear in the settings file device configurations list, so was not added to ` +
    "the pPhysicalDevices array",
  ];
}

const UNMATCHED: Message = [
  WARNING,
  `${APPLY} None of the settings file device configurations had deviceUUID's that corresponded to enumerated ` +
  "VkPhysicalDevices. Returning VK_ERROR_INITIALIZATION_FAILED",
];

function groupOut(index: number): Message {
  return [
    INFO,
    `terminator_EnumeratePhysicalDeviceGroups: Physical device group ${index} contains a VkPhysicalDevice which the ` +
    "settings file device configurations exclude, so the group was not reported.",
  ];
}

/** The program's lines with a list in the settings file: the words while devices are listed, then those for groups. */
function linesWith(device_configurations: readonly unknown[], where: "here" | "thread"): string[] {
  return withFolder((folder) => {
    DRIVERS.forEach((path, index) => writeManifest(`${folder}/vulkan/icd.d/${index}.json`, path!));
    const settings = { file_format_version: "1.0.0", settings: { device_configurations } };
    new LayerMachine(folder).write("vulkan/loader_settings.d/vk_loader_settings.json", settings);
    return [...runClient(app!, { loader: "pumice", where, env: only(folder), what: 3 }).said];
  });
}

Deno.test(
  "programs hear what the settings file's devices select, miss and leave out, in the Khronos loader's words",
  OPTIONS,
  () => {
    const [one, other] = devices(), entry = { ...one.entry, driverVersion: 0xffff_fff6 };
    const wrong = { ...entry, driverVersion: -10 };
    const about = { deviceName: "own name", driverName: "own driver" }, named = 'deviceName: "own name", ';
    const both = [BEGIN, selected(0, other), selected(1, one)];
    const mixed = [
      BEGIN,
      missing(wrong, named),
      selected(0, other),
      missing(wrong, named, "driverName: own driver, "),
      missing(wrong),
      leftOut(one),
    ];
    const none = [BEGIN, missing(wrong), leftOut(one), leftOut(other), UNMATCHED];
    const rows: [list: unknown[], devices: Message[], groups: Message[], ends: string[]][] = [
      [[other.entry, one.entry], both, both, ["devices 0 2", "groups 0 2"]],
      [
        [
          { ...entry, deviceName: "own name" },
          other.entry,
          { ...entry, ...about },
          { ...entry, driverName: "own driver" },
        ],
        mixed,
        [...mixed, groupOut(0)],
        ["devices 0 1", "groups 0 1"],
      ],
      [[entry], none, none, ["devices -3 0", "groups -3 0"]],
    ];
    for (const [list, ofDevices, ofGroups, [devicesEnd, groupsEnd]] of rows) {
      const lines = (messages: readonly Message[]) =>
        messages.map(([severity, text]) => `utils ${severity.toString(16)} Loader Message: ${text}`);
      const said = linesWith(list, "here");
      assertEquals(said, ["devices", ...lines(ofDevices), devicesEnd, "groups", ...lines(ofGroups), groupsEnd]);
      // another thread hears of groups where it waits for them
      const heard = ofGroups === none ? lines(none) : [];
      assertEquals(linesWith(list, "thread"), ["devices", devicesEnd, "groups", ...heard, groupsEnd]);
    }
  },
);
