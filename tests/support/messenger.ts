import { readCString } from "../../ffi/cstring.ts";
import { peek64 } from "../../ffi/machine.ts";
import { createThunk } from "../../ffi/thunk.ts";
import type { VkDebugUtilsMessengerCreateInfoEXT, VkInstance } from "../../loader/types.ts";

/** Errors and warnings, of every kind. */
const WARNING_AND_ERROR = 0x1100, EVERY_TYPE = 7;
/** VkDebugUtilsMessengerCallbackDataEXT.pMessage. */
const MESSAGE = 40n;

/** What validation says of an instance. */
export interface Messenger extends Disposable {
  /** The messages so far. */
  readonly messages: string[];
  /** The struct that made it, also good in the chain of VkInstanceCreateInfo. */
  readonly info: VkDebugUtilsMessengerCreateInfoEXT & { sType: 1000128004 };
}

/**
 * A callback for VK_EXT_debug_utils, through an emitted thunk:
 * `VkBool32 (severity, types, pCallbackData, pUserData)`. `react` is told each
 * message before it is kept; it may throw.
 */
export function createMessenger(react: (message: string) => void = () => {}): Messenger {
  const messages: string[] = [];
  const thunk = createThunk("w:wwqq", (...args) => {
    const message = readCString(peek64(args[2] as bigint + MESSAGE));
    messages.push(message);
    react(message);
    return 0;
  }, { failure: 1 }); // VK_TRUE: the layer gives up the call instead of carrying out what we threw about
  return {
    messages,
    info: {
      sType: 1000128004,
      messageSeverity: WARNING_AND_ERROR,
      messageType: EVERY_TYPE,
      pfnUserCallback: thunk.address,
    },
    [Symbol.dispose]: () => thunk.close(),
  };
}

/** Lets the messenger listen to a live instance; returns what takes it away again. */
export function listen(instance: VkInstance, { info }: Messenger): Disposable {
  const handle = instance.vkCreateDebugUtilsMessengerEXT(info);
  return { [Symbol.dispose]: () => instance.vkDestroyDebugUtilsMessengerEXT(handle) };
}
