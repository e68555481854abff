import { checkOptions, number, type OptionRules } from "../../ffi/check_options.ts";
import { storeFault } from "../../ffi/error.ts";
import { threadId } from "../../ffi/machine.ts";
import { type MessageArgs, messageCopy, MessengerThunk } from "./messenger_thunk.ts";
import { CallRing, type RingRecord } from "../../ffi/thunk/ring.ts";
import type { Chained } from "../base.ts";
import type { VkInstance } from "../gen/types_core_gen.ts";
import type {
  VkDebugUtilsMessageSeverityFlagsEXT,
  VkDebugUtilsMessageTypeFlagsEXT,
  VkDebugUtilsMessengerCreateInfoEXT,
} from "../gen/types_ext_gen.ts";
import { inHandler, isPutOff } from "./closing.ts";
import { type DebugMessage, liveMessage, recordedMessage } from "./debug_message.ts";
import {
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
  VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
} from "../gen/native_gen.ts";

const SEVERITIES = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
const TYPES = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
  VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
/** Bytes of a record before the copied part. */
const CALL_SIZE = 256;

/**
 * Handles a message. The handler must not call Vulkan. On the thread of a wrong
 * call, the handler runs during that call: if it returns `true` or throws, the
 * layer gives the call up, and the caller gets the error.
 */
export type DebugMessageHandler = (message: DebugMessage) => boolean | void;

/** Settings of {@linkcode createDebugMessenger}. */
export interface DebugMessengerOptions {
  /** The severities of interest. Default: warnings and errors. */
  severity?: VkDebugUtilsMessageSeverityFlagsEXT;
  /** The types of interest. Default: general, validation and performance. */
  types?: VkDebugUtilsMessageTypeFlagsEXT;
  /** The most messages of other threads that can wait, 1 to 2²⁰. Default 128. */
  records?: number;
  /** Bytes for each such message, 512 to 65536. Text, objects and labels beyond that are cut off. Default 4096. */
  recordSize?: number;
  /**
   * Milliseconds between checks for messages of other threads; 0 for no checks.
   * The timer keeps no program alive. Default 100.
   */
  interval?: number;
}

const RULES: OptionRules<DebugMessengerOptions> = {
  severity: number,
  types: number,
  records: number,
  recordSize: number,
  interval: number,
};

/** Messages of VK_EXT_debug_utils for a handler in TypeScript. */
export interface DebugMessenger extends Disposable {
  /** For the `pNext` chain of vkCreateInstance, to get the messages of the instance's creation and destruction. */
  readonly info: Chained<VkDebugUtilsMessengerCreateInfoEXT>;
  /** The number of messages of other threads that found no room, or came while the messenger was being closed. */
  readonly lost: number;
  /**
   * Listens to one more instance, which must have VK_EXT_debug_utils enabled,
   * until the returned object or the messenger is closed.
   */
  listen(instance: VkInstance): Disposable;
  /** Passes the waiting messages of other threads to the handler, and returns how many. */
  drain(): number;
  /**
   * Stops listening and passes waiting messages to the handler. Native code
   * that still uses `info` gets no answer any more. A second call does nothing.
   */
  close(): void;
}

/**
 * Calls a handler for the messages of drivers, layers and the loader about an
 * instance, on whatever thread they come.
 *
 * On this thread the handler is called at once. Another thread leaves a copy,
 * in machine code and without waiting, because layers hold their locks
 * meanwhile. The handler gets the copy at the next message of this thread, at
 * {@linkcode DebugMessenger.drain}, at the next check of a timer, or when the
 * messenger is closed. Its return value means nothing then. An error thrown
 * during a check of the timer is an uncaught error.
 *
 * Without an instance, the messenger listens to none yet: use its `info` when
 * creating one.
 *
 * Throws a `NativeError` `unsupported` where emitted code cannot be used.
 *
 * @example
 * ```ts ignore
 * import { createDebugMessenger, loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan({ layers: ["VK_LAYER_KHRONOS_validation"] });
 * using messenger = createDebugMessenger(undefined, ({ message }) => console.log(message));
 * using instance = vulkan.vkCreateInstance({
 *   ppEnabledExtensionNames: ["VK_EXT_debug_utils"],
 *   pNext: [messenger.info],
 * });
 * using _listening = messenger.listen(instance);
 * ```
 */
export function createDebugMessenger(
  instance: VkInstance | undefined,
  handler: DebugMessageHandler,
  options: DebugMessengerOptions = {},
): DebugMessenger {
  checkOptions("createDebugMessenger()", options, RULES);
  const messenger = new Messenger(handler, options);
  try {
    if (instance) messenger.listen(instance);
    return messenger;
  } catch (error) {
    messenger.close();
    throw error;
  }
}

class Messenger implements DebugMessenger {
  readonly info: DebugMessenger["info"];
  readonly #handler: DebugMessageHandler;
  readonly #ring: CallRing;
  readonly #thunk: MessengerThunk;
  readonly #listening = new Set<Disposable>();
  readonly #timer: ReturnType<typeof startTimer>;
  #open = true;

  constructor(handler: DebugMessageHandler, options: DebugMessengerOptions) {
    this.#handler = handler;
    this.#ring = ringFor(options);
    this.#thunk = new MessengerThunk((...args) => this.#answer(args), this.#ring);
    this.info = {
      sType: VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      messageSeverity: options.severity ?? SEVERITIES,
      messageType: options.types ?? TYPES,
      pfnUserCallback: this.#thunk.address,
      pUserData: this.#thunk.token,
    };
    this.#timer = startTimer(options.interval ?? 100, () => this.drain());
  }

  get lost(): number {
    return this.#ring.lost;
  }

  listen(instance: VkInstance): Disposable {
    if (!this.#open) throw new TypeError("Cannot listen to an instance: the messenger is closed; make another");
    const handle = instance.vkCreateDebugUtilsMessengerEXT(this.info), listening = this.#listening;
    const one = {
      [Symbol.dispose]() {
        if (listening.delete(one)) destroyerIn(instance)?.call(instance, handle);
      },
    };
    listening.add(one);
    return one;
  }

  drain(): number {
    return this.#open ? this.#ring.drain((call) => void this.#tell(call)) : 0;
  }

  close(): void {
    if (!this.#open || isPutOff(false, () => this.close())) return;
    clearInterval(this.#timer);
    for (const one of this.#listening) one[Symbol.dispose]();
    this.#thunk.close();
    try {
      this.drain();
    } finally {
      this.#open = false;
      this.#ring.close();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Handles a message of this thread, after the waiting ones, which came earlier. */
  #answer([severity, types, data]: MessageArgs): boolean {
    this.#ring.drain((call) => this.#tellSafely(call));
    return inHandler(() => this.#handler(liveMessage(data, { severity, types, thread: threadId() }))) === true;
  }

  #tell(call: RingRecord): void {
    const args = this.#thunk.argsOf(call);
    if (!args) return;
    const [severity, types] = args, { thread } = call;
    inHandler(() => this.#handler(recordedMessage(call.extra!, { severity, types, thread })));
  }

  /** The present call is not to blame for an error about an earlier one, so the error does not end the present call. */
  #tellSafely(call: RingRecord): void {
    try {
      this.#tell(call);
    } catch (error) {
      storeFault(error);
    }
  }
}

function ringFor({ records = 128, recordSize = 4096, interval = 0 }: DebugMessengerOptions): CallRing {
  if (!(recordSize >= 512 && recordSize <= 65536)) {
    throw new RangeError(`Cannot keep messages in ${recordSize} bytes: give a recordSize from 512 to 65536`);
  }
  if (!(interval >= 0)) {
    throw new RangeError(`Cannot check for messages every ${interval} ms: give an interval of 0 or more`);
  }
  return new CallRing({ records, extra: { size: recordSize - CALL_SIZE, copy: messageCopy() } });
}

function startTimer(interval: number, look: () => void): ReturnType<typeof setInterval> | undefined {
  if (interval === 0) return undefined;
  const timer = setInterval(look, interval);
  Deno.unrefTimer(timer);
  return timer;
}

/** Returns the command that ends listening; `undefined` if the instance is closed, which ended the listening. */
function destroyerIn(instance: VkInstance): VkInstance["vkDestroyDebugUtilsMessengerEXT"] | undefined {
  try {
    return instance.vkDestroyDebugUtilsMessengerEXT;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
