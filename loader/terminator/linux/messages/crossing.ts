import { type Arena, inFrame } from "../../../../ffi/arena.ts";
import { invokeAddress, peek32, peek64 } from "../../../../ffi/machine.ts";
import {
  offsetsOfVkDebugUtilsMessengerCallbackDataEXT,
  offsetsOfVkDebugUtilsObjectNameInfoEXT,
  sizeOfVkDebugUtilsMessengerCallbackDataEXT,
  sizeOfVkDebugUtilsObjectNameInfoEXT,
  VK_DEBUG_REPORT_DEBUG_BIT_EXT,
  VK_DEBUG_REPORT_ERROR_BIT_EXT,
  VK_DEBUG_REPORT_INFORMATION_BIT_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_KHR_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_MODE_KHR_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_VALIDATION_CACHE_EXT_EXT,
  VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT,
  VK_DEBUG_REPORT_WARNING_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
  VK_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT,
  VK_OBJECT_TYPE_DISPLAY_KHR,
  VK_OBJECT_TYPE_DISPLAY_MODE_KHR,
  VK_OBJECT_TYPE_SURFACE_KHR,
  VK_OBJECT_TYPE_SWAPCHAIN_KHR,
  VK_OBJECT_TYPE_VALIDATION_CACHE_EXT,
  VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
  VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
} from "../../../gen/native_gen.ts";

/** The arguments of vkDebugReportMessageEXT after the flags: object type and object, location, code, prefix, text. */
export type Reported = readonly [
  type: number,
  object: bigint,
  location: bigint,
  code: number,
  prefix: bigint,
  text: bigint,
];

const DATA = offsetsOfVkDebugUtilsMessengerCallbackDataEXT, OBJECT = offsetsOfVkDebugUtilsObjectNameInfoEXT;
const PERFORMANCE = VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;

/** The flags of VK_EXT_debug_report, the first of which counts, and the severity that stands for each. */
const FLAGS = [
  [VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT],
  [VK_DEBUG_REPORT_DEBUG_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT],
  [VK_DEBUG_REPORT_INFORMATION_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT],
  [VK_DEBUG_REPORT_WARNING_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT],
  [VK_DEBUG_REPORT_ERROR_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT],
] as const;

/** Returns the flags by which a report callback hears a message of VK_EXT_debug_utils, as from the Khronos loader. */
export function flagsOf(severity: number, types: number): number {
  const isSlow = (types & PERFORMANCE) !== 0;
  const found = FLAGS.find(([flag, each]) =>
    (severity & each) !== 0 && (flag !== VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT || isSlow)
  );
  return found?.[0] ?? 0;
}

/** Returns the severity and the types by which a messenger hears a message of VK_EXT_debug_report, as from the Khronos loader. */
export function severityOf(flags: number): { severity: number; types: number } {
  const [flag, severity] = FLAGS.find(([each]) => (flags & each) !== 0) ?? [0, 0];
  const isSlow = flag === VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT;
  return { severity, types: isSlow ? PERFORMANCE : VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT };
}

/** Types of objects that the two extensions number in different ways: VkDebugReportObjectTypeEXT and VkObjectType. */
const OTHER_TYPES: readonly (readonly [reported: number, type: number])[] = [
  [VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT, VK_OBJECT_TYPE_SURFACE_KHR],
  [VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT, VK_OBJECT_TYPE_SWAPCHAIN_KHR],
  [VK_DEBUG_REPORT_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT_EXT, VK_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT],
  [VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_KHR_EXT, VK_OBJECT_TYPE_DISPLAY_KHR],
  [VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_MODE_KHR_EXT, VK_OBJECT_TYPE_DISPLAY_MODE_KHR],
  [VK_DEBUG_REPORT_OBJECT_TYPE_VALIDATION_CACHE_EXT_EXT, VK_OBJECT_TYPE_VALIDATION_CACHE_EXT],
];

/** Calls a report callback with a message of VK_EXT_debug_utils: the first object stands for all. */
export function callReport({ callback, userData }: Called, flags: number, data: bigint): void {
  const objects = peek32(data + BigInt(DATA.objectCount)) > 0 ? peek64(data + BigInt(DATA.pObjects)) : 0n;
  const type = objects === 0n ? 0 : peek32(objects + BigInt(OBJECT.objectType));
  const object = objects === 0n ? 0n : peek64(objects + BigInt(OBJECT.objectHandle));
  const code = peek32(data + BigInt(DATA.messageIdNumber)) | 0, text = peek64(data + BigInt(DATA.pMessage));
  const reported = OTHER_TYPES.find(([, each]) => each === type)?.[0] ?? type;
  const prefix = peek64(data + BigInt(DATA.pMessageIdName));
  invokeAddress(callback, "w:wwqqsqqq", [flags, reported, object, 0n, code, prefix, text, userData]);
}

/** Calls a messenger with a message of VK_EXT_debug_report. */
export function callUtils({ callback, userData }: Called, severity: number, types: number, message: Reported): void {
  inFrame((memory) => {
    invokeAddress(callback, "w:wwqq", [severity, types, callbackData(memory, message), userData]);
  });
}

/** An application's function, and the data for it. */
interface Called {
  readonly callback: bigint;
  readonly userData: bigint;
}

/** Returns a VkDebugUtilsMessengerCallbackDataEXT with the contents of a report, of one object. */
export function callbackData(memory: Arena, [reported, handle, , code, prefix, text]: Reported): bigint {
  const { view, bytes } = memory,
    data = memory.alloc(sizeOfVkDebugUtilsMessengerCallbackDataEXT),
    object = memory.alloc(sizeOfVkDebugUtilsObjectNameInfoEXT);
  bytes.fill(0, data, data + sizeOfVkDebugUtilsMessengerCallbackDataEXT);
  bytes.fill(0, object, object + sizeOfVkDebugUtilsObjectNameInfoEXT);
  view.setUint32(data, VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT, true);
  view.setBigUint64(data + DATA.pMessageIdName, prefix, true);
  view.setInt32(data + DATA.messageIdNumber, code, true);
  view.setBigUint64(data + DATA.pMessage, text, true);
  view.setUint32(data + DATA.objectCount, 1, true); // as in the Khronos loader, before the instance has a handle, too
  view.setBigUint64(data + DATA.pObjects, memory.address(object), true);
  view.setUint32(object, VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, true);
  view.setUint32(object + OBJECT.objectType, OTHER_TYPES.find(([each]) => each === reported)?.[1] ?? reported, true);
  view.setBigUint64(object + OBJECT.objectHandle, handle, true);
  return memory.address(data);
}
