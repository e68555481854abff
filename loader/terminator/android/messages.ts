import { inFrame } from "../../../ffi/arena.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { invokeAddress, peek32, peek64, poke64 } from "../../../ffi/machine.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { codec } from "../../codec/codec.ts";
import { chain, firstOfChain } from "../../driver/structs/create_info.ts";
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
import type { DriverSide, RawArguments } from "./driver_side.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";
import { isOn } from "../../driver/android/options.ts";

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

/** The property with which a developer has the messages of all layers and drivers logged. */
const PROPERTY = "debug.vulkan.enable_callback";
/** VkBool32 (flags, objectType, object, location, messageCode, pLayerPrefix, pMessage, pUserData) */
const SIGNATURE = "w:wsqqsqqq";

/** A debug_report callback that logs errors and warnings. */
export class Logcat {
  readonly #thunk: Thunk;

  private constructor(log: (message: string) => void) {
    this.#thunk = createThunk(SIGNATURE, (...values: unknown[]) => {
      const [prefix, message] = (values.slice(5, 7) as bigint[]).map((text) => readCString(text));
      Promise.resolve().then(() => log(`${prefix}: ${message}`));
      return 0;
    });
  }

  /** Returns a callback, if the property asks for it and the application may be debugged. */
  static wanted({ options: { debuggable, property, log } }: AndroidLevel): Logcat | undefined {
    return debuggable && log && isOn(property?.(PROPERTY) ?? "") ? new Logcat(log) : undefined;
  }

  /** Registers the callback in an instance. Returns a VkResult. */
  attach({ reports }: AndroidInstance): number {
    return inFrame((memory) => {
      const { size, encode } = codec("VkDebugReportCallbackCreateInfoEXT");
      const at = memory.alloc(size), out = memory.alloc(8);
      encode({ flags: SEVERITY.error | SEVERITY.warning, pfnCallback: this.#thunk.address }, at);
      return reports.create(memory.address(at), 0n, memory.address(out));
    });
  }

  /** Frees the callback. All instances must be gone. */
  close(): void {
    this.#thunk.free();
  }
}

const CREATE = "vkCreateDebugReportCallbackEXT", DESTROY = "vkDestroyDebugReportCallbackEXT";
const MESSAGE = "vkDebugReportMessageEXT";

/** A listener with the driver's handle for it, 0n if the driver lacks the extension. */
interface Registered extends Listener {
  readonly inDriver: bigint;
}

/** The first bits of our handles. A driver's handles are addresses or small numbers and never begin like this. */
const OURS = 0x7e57n;
let nextHandle = OURS << 48n;

/**
 * The VK_EXT_debug_report callbacks of an instance. The loader keeps its own
 * list for its messages, and also creates each callback in the driver, if the
 * driver has the extension.
 */
export class DebugReports {
  readonly #side: DriverSide;
  readonly #instance: bigint;
  readonly #driverHasThem: boolean;
  readonly #registered = new Map<bigint, Registered>();

  /** Starts without callbacks. `driverHasThem`: the extension is enabled in the driver. */
  constructor(side: DriverSide, instance: bigint, driverHasThem: boolean) {
    this.#side = side;
    this.#instance = instance;
    this.#driverHasThem = driverHasThem;
  }

  /** The current callbacks. */
  listeners(): Iterable<Listener> {
    return this.#registered.values();
  }

  /** vkCreateDebugReportCallbackEXT. */
  create(info: bigint, allocator: bigint, out: bigint): number {
    const inDriver = this.#createInDriver(info, allocator);
    if (typeof inDriver === "number") return inDriver;
    const handle = nextHandle += 1n;
    this.#registered.set(handle, { ...listenerAt(info), inDriver });
    poke64(out, handle);
    return 0;
  }

  /** vkDestroyDebugReportCallbackEXT. */
  destroy(handle: bigint, allocator: bigint): void {
    const unknown = handle >> 48n === OURS ? 0n : handle; // created on another thread, by the driver itself
    const inDriver = this.#registered.get(handle)?.inDriver ?? unknown;
    this.#registered.delete(handle);
    if (inDriver !== 0n && this.#driverHasThem) {
      this.#side.call(this.#instance, DESTROY, [this.#instance, inDriver, allocator]);
    }
  }

  /**
   * vkDebugReportMessageEXT, without the instance. The driver sends the message
   * or, if it lacks the extension, the loader does.
   */
  message(values: RawArguments): void {
    if (this.#driverHasThem) this.#side.call(this.#instance, MESSAGE, [this.#instance, ...values]);
    else this.#tell(values);
  }

  /** Destroys the callbacks that an application left behind. */
  clear(): void {
    for (const handle of [...this.#registered.keys()]) this.destroy(handle, 0n);
  }

  #tell(values: RawArguments): void {
    const [flags] = values as [number];
    for (const listener of this.#registered.values()) {
      if ((listener.flags & flags) === 0) continue;
      invokeAddress(listener.callback, CALLBACK_SIGNATURE, [...values, listener.userData]);
    }
  }

  #createInDriver(info: bigint, allocator: bigint): bigint | number {
    if (!this.#driverHasThem) return 0n;
    return inFrame((memory) => {
      const out = memory.address(memory.alloc(8));
      const result = this.#side.call(this.#instance, CREATE, [this.#instance, info, allocator, out]) as number;
      return result < 0 ? result : peek64(out);
    });
  }
}
