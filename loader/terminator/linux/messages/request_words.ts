import { readCString } from "../../../../ffi/cstring.ts";
import { peek32, peek64 } from "../../../../ffi/machine.ts";
import { LOG, type LogMessage } from "../../../driver/report/log.ts";
import {
  enabledExtensions,
  isBelowVulkan,
  namedLayers,
  requestedVersion,
} from "../../../driver/structs/create_info.ts";
import { VkApplicationInfo, VkInstanceCreateInfo } from "../../../gen/native_gen.ts";
import { versionText } from "../../../version.ts";

/**
 * Returns what the Khronos loader says first of a VkInstanceCreateInfo: the
 * application, the names of its layers and extensions, and that there is no
 * settings file. An impossible apiVersion is on standard error whatever messages are requested.
 */
export function requestWords(info: bigint, hasSettings: boolean): LogMessage[] {
  const layers = peek32(info + VkInstanceCreateInfo.enabledLayerCount);
  const extensions = peek32(info + VkInstanceCreateInfo.enabledExtensionCount);
  const lines = [
    application(info),
    ...requested("layer", layers, namedLayers(info)),
    ...requested("extension", extensions, enabledExtensions(info)),
    ...(hasSettings ? [] : ["No valid vk_loader_settings.json file found, no loader settings will be active"]),
  ];
  const said = lines.map((text): LogMessage => ({ level: "info", bits: LOG.info, text }));
  if (!isBelowVulkan(info)) return said;
  const text =
    `VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of ${
      requestedVersion(info)
    } which is not permitted. ` +
    "If apiVersion is not 0, then it must be greater than or equal to the value of VK_API_VERSION_1_0 " +
    "[VUID-VkApplicationInfo-apiVersion]";
  return [...said, { level: "error", bits: LOG.fatal | LOG.error, text }];
}

function application(info: bigint): string {
  const at = peek64(info + VkInstanceCreateInfo.pApplicationInfo);
  const text = (member: bigint) => at === 0n ? "" : readCString(peek64(at + member));
  const number = (member: bigint) => at === 0n ? 0 : peek32(at + member);
  return [
    `vkCreateInstance: applicationName: "${text(VkApplicationInfo.pApplicationName)}"`,
    `applicationVersion: ${number(VkApplicationInfo.applicationVersion)}`,
    `engineName: "${text(VkApplicationInfo.pEngineName)}"`,
    `engineVersion: ${number(VkApplicationInfo.engineVersion)}`,
    `apiVersion: ${versionText(requestedVersion(info))}`,
  ].join(", ");
}

function requested(kind: string, count: number, names: readonly string[] = []): string[] {
  return [`vkCreateInstance: Requested ${count} instance ${kind}(s):`, ...names.map((name) => `   ${name}`)];
}
