import { inFrame } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { invokeAddress, peek32, peek64 } from "../../../ffi/machine.ts";
import { chain } from "../../driver/structs/create_info.ts";
import { firstOfChain } from "./create_info.ts";

/** How grave a message is: VkDebugReportFlagBitsEXT. */
export const SEVERITY = { information: 1, warning: 2, error: 8 } as const;
/** VkDebugReportObjectTypeEXT of what messages are about. */
const OBJECT_TYPE = { instance: 1, "physical device": 2, device: 3 } as const;
/** VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT, and where its members are. */
const CALLBACK_INFO = { sType: 1000011000, flags: 16, callback: 24, userData: 32 } as const;
/** VkBool32 (flags, objectType, object, location, messageCode, pLayerPrefix, pMessage, pUserData) */
const CALLBACK_SIGNATURE = "w:wsqqsqqq";
/** Bytes of a message, with its NUL: the rest is cut. */
const MOST_BYTES = 1024;
const PREFIX = "vulkan";

/** A callback of VK_EXT_debug_report. */
export interface Listener {
  /** Which messages it wants: VkDebugReportFlagsEXT. */
  readonly flags: number;
  /** Address of its function; 0n for none. */
  readonly callback: bigint;
  /** What the function is given back. */
  readonly userData: bigint;
}

/** A message with what it is about. */
export interface Message {
  /** How grave it is. */
  readonly severity: number;
  /** The kind of object. */
  readonly type: keyof typeof OBJECT_TYPE;
  /** The object's handle; 0n when there is none yet. */
  readonly object: bigint;
  /** The sentence. */
  readonly text: string;
}

/** The listener that a VkDebugReportCallbackCreateInfoEXT at an address describes. */
export function listenerAt(info: bigint): Listener {
  return {
    flags: peek32(info + BigInt(CALLBACK_INFO.flags)),
    callback: peek64(info + BigInt(CALLBACK_INFO.callback)),
    userData: peek64(info + BigInt(CALLBACK_INFO.userData)),
  };
}

/** The listeners in the chain of a VkInstanceCreateInfo: they hear what happens while the instance is made. */
export function listenersOf(info: bigint): Listener[] {
  return [...chain(firstOfChain(info))].filter(({ sType }) => sType === CALLBACK_INFO.sType)
    .map(({ address }) => listenerAt(address));
}

/** Lets listeners hear a message of the loader, cut to what Android gives it. */
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
