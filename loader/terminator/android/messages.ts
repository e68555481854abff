import { inFrame } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { invokeAddress, peek32, peek64 } from "../../../ffi/machine.ts";
import { chain } from "../../driver/structs/create_info.ts";
import { firstOfChain } from "./create_info.ts";
import {
  VK_DEBUG_REPORT_ERROR_BIT_EXT,
  VK_DEBUG_REPORT_INFORMATION_BIT_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_DEVICE_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT,
  VK_DEBUG_REPORT_WARNING_BIT_EXT,
  VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
  VkDebugReportCallbackCreateInfoEXT,
} from "../../gen/native_gen.ts";

/** The severity of a message: VkDebugReportFlagBitsEXT. */
export const SEVERITY = {
  information: VK_DEBUG_REPORT_INFORMATION_BIT_EXT,
  warning: VK_DEBUG_REPORT_WARNING_BIT_EXT,
  error: VK_DEBUG_REPORT_ERROR_BIT_EXT,
} as const;
/** VkDebugReportObjectTypeEXT of the objects of messages. */
const OBJECT_TYPE = {
  instance: VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT,
  "physical device": VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT,
  device: VK_DEBUG_REPORT_OBJECT_TYPE_DEVICE_EXT,
} as const;
const CALLBACK_INFO = VkDebugReportCallbackCreateInfoEXT;
/** VkBool32 (flags, objectType, object, location, messageCode, pLayerPrefix, pMessage, pUserData) */
const CALLBACK_SIGNATURE = "w:wsqqsqqq";
/** The most bytes of a message, with its NUL. The rest is cut. */
const MOST_BYTES = 1024;
const PREFIX = "vulkan";

/** A callback of VK_EXT_debug_report. */
export interface Listener {
  /** The wanted messages: VkDebugReportFlagsEXT. */
  readonly flags: number;
  /** Address of the function; 0n for none. */
  readonly callback: bigint;
  /** The user data for the function. */
  readonly userData: bigint;
}

/** A message and its object. */
export interface Message {
  /** The severity. */
  readonly severity: number;
  /** The kind of object. */
  readonly type: keyof typeof OBJECT_TYPE;
  /** The object's handle; 0n if there is none yet. */
  readonly object: bigint;
  /** The sentence. */
  readonly text: string;
}

/** Reads the listener of the VkDebugReportCallbackCreateInfoEXT at an address. */
export function listenerAt(info: bigint): Listener {
  return {
    flags: peek32(info + CALLBACK_INFO.flags),
    callback: peek64(info + CALLBACK_INFO.pfnCallback),
    userData: peek64(info + CALLBACK_INFO.pUserData),
  };
}

/**
 * Returns the listeners in the chain of a VkInstanceCreateInfo, which get
 * messages during the creation of the instance.
 */
export function listenersOf(info: bigint): Listener[] {
  return [...chain(firstOfChain(info))].filter(({ sType }) =>
    sType === VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT
  )
    .map(({ address }) => listenerAt(address));
}

/** Sends a message of the loader to listeners, cut to Android's limit. */
export function tell(listeners: Iterable<Listener>, { severity, type, object, text }: Message): void {
  inFrame((memory) => {
    const prefix = memory.place(cstring(PREFIX)), bytes = cstring(text);
    if (bytes.length > MOST_BYTES) bytes[MOST_BYTES - 1] = 0;
    const message = memory.place(bytes.subarray(0, MOST_BYTES));
    for (const { flags, callback, userData } of listeners) {
      if ((flags & severity) === 0 || callback === 0n) continue;
      invokeAddress(callback, CALLBACK_SIGNATURE, [
        severity,
        OBJECT_TYPE[type],
        object,
        0n,
        0,
        prefix,
        message,
        userData,
      ]);
    }
  });
}
