import { inFrame } from "../../../../ffi/arena.ts";
import { cstring } from "../../../../ffi/cstring.ts";
import { invokeAddress, peek32, peek64, poke64 } from "../../../../ffi/machine.ts";
import { keepFor, keepNoLonger } from "../../../chain/object/kept_memory.ts";
import type { Level, Told } from "../../../driver/report/log.ts";
import { giveBack, hasCallbacks, keepCallbacks } from "../../../driver/structs/allocator.ts";
import { chain, nextOf } from "../../../driver/structs/create_info.ts";
import {
  VK_DEBUG_REPORT_DEBUG_BIT_EXT,
  VK_DEBUG_REPORT_ERROR_BIT_EXT,
  VK_DEBUG_REPORT_INFORMATION_BIT_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT,
  VK_DEBUG_REPORT_WARNING_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
  VK_ERROR_OUT_OF_HOST_MEMORY,
  VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
  VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
  VkDebugReportCallbackCreateInfoEXT,
  VkDebugUtilsMessengerCreateInfoEXT,
} from "../../../gen/native_gen.ts";
import type { LiveMember } from "../members/member.ts";
import { UNCOUNTED } from "../../../chain/table/table_layout.ts";
import { callbackData, callReport, callUtils, flagsOf, type Reported, severityOf } from "./crossing.ts";

/** The commands that create and destroy each kind of listener. */
const COMMANDS = {
  utils: { create: "vkCreateDebugUtilsMessengerEXT", destroy: "vkDestroyDebugUtilsMessengerEXT" },
  report: { create: "vkCreateDebugReportCallbackEXT", destroy: "vkDestroyDebugReportCallbackEXT" },
} as const;

interface Registered extends Listener {
  /** Each member's own object for the listener; 0n for a member without one. */
  readonly own: readonly bigint[];
  /** Address of the loader's data in memory of the application's allocator; 0n without an allocator. */
  readonly kept: bigint;
}

let last = 0n;

/**
 * The listeners of one instance: messengers of VK_EXT_debug_utils and callbacks
 * of VK_EXT_debug_report. The members that have the extension know them, and so
 * does the loader, which has messages of its own. Those in the chain of
 * VkInstanceCreateInfo listen only during the creation and destruction of the
 * instance.
 */
export class Messengers {
  readonly #passing: readonly Listener[];
  readonly #registered = new Map<bigint, Registered>();
  #isPassing = true;
  #instance = 0n;
  #members: readonly LiveMember[] = [];

  /** Starts with those in the chain of a VkInstanceCreateInfo. */
  constructor(info: bigint) {
    this.#passing = listenersIn(nextOf(info));
  }

  /** Notes that the instance exists now. */
  begin(instance: bigint, members: readonly LiveMember[]): void {
    this.#instance = instance;
    this.#members = members;
    this.#isPassing = false;
  }

  /** Notes that the destruction of the instance begins. */
  end(): void {
    this.#isPassing = true;
  }

  /** Sends one of the loader's own messages to all current listeners. */
  tell(level: Level, text: string): void {
    const all = [...this.#isPassing ? this.#passing : [], ...this.#registered.values()];
    for (const listener of all) tell(listener, level, text, this.#instance);
  }

  /** Implements vkCreateDebugUtilsMessengerEXT and vkCreateDebugReportCallbackEXT. */
  create(kind: Listener["kind"], info: bigint, allocator: bigint, out: bigint): number {
    const listener = readListener(kind, info), own: bigint[] = [];
    const has = hasCallbacks(allocator), kept = has ? keepCallbacks(allocator, "VkDebugUtilsMessengerEXT") : 0n;
    if (has && kept === 0n) return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (const { table } of this.#members) {
      const made = createOwn(table.get(COMMANDS[listener.kind].create), table.instance, info, allocator);
      if (typeof made === "number") {
        this.#destroyOwn({ ...listener, own, kept }, allocator);
        return made;
      }
      own.push(made);
    }
    this.#registered.set(++last, { ...listener, own, kept });
    keepFor(this.#instance, kept);
    poke64(out, last);
    return 0;
  }

  /** Implements the commands that destroy listeners. NULL and foreign handles are ignored. */
  destroy(handle: bigint, allocator: bigint): void {
    const listener = this.#registered.get(handle);
    if (!listener) return;
    this.#registered.delete(handle);
    keepNoLonger(this.#instance, listener.kept);
    this.#destroyOwn(listener, allocator);
  }

  /** Implements vkSubmitDebugUtilsMessageEXT. Report callbacks hear the message, too; members do not get it. */
  submit(severity: number, types: number, data: bigint): void {
    for (const listener of [...this.#registered.values()]) {
      const { kind, callback, userData } = listener, flags = flagsOf(severity, types);
      if (kind === "report") {
        if (wants(listener, flags, types)) callReport(listener, flags, data);
      } else if (wants(listener, severity, types)) {
        invokeAddress(callback, "w:wwqq", [severity, types, data, userData]);
      }
    }
  }

  /** Implements vkDebugReportMessageEXT, given its parameters after the instance. Messengers hear the message, too. */
  report(flags: number, ...rest: Reported): void {
    const { severity, types } = severityOf(flags);
    for (const listener of [...this.#registered.values()]) {
      const { kind, callback, userData } = listener;
      if (kind === "utils") {
        if (wants(listener, severity, types)) callUtils(listener, severity, types, rest);
      } else if (wants(listener, flags, EVERY_TYPE)) {
        invokeAddress(callback, "w:wwqqsqqq", [flags, ...rest, userData]);
      }
    }
  }

  #destroyOwn({ kind, own, kept }: Registered, allocator: bigint): void {
    own.forEach((handle, index) => {
      const { table } = this.#members[index];
      if (handle !== 0n) invokeAddress(table.get(COMMANDS[kind].destroy), "v:qqq", [table.instance, handle, allocator]);
    });
    giveBack(kept, allocator);
  }
}

/** Creates a member's own object. Returns 0n if the member has no such command, a number for an error. */
function createOwn(create: bigint, instance: bigint, info: bigint, allocator: bigint): bigint | number {
  if (create === 0n) return 0n;
  return inFrame((memory) => {
    const out = memory.alloc(8);
    const result = invokeAddress(create, "s:qqqo", [instance, info, allocator, out]) as number;
    return result < 0 ? result : memory.view.getBigUint64(out, true);
  });
}

/** A listener: an application's function, and the messages that it wants. */
export interface Listener {
  /** The extension of the listener. */
  readonly kind: "utils" | "report";
  /** Address of the function. */
  readonly callback: bigint;
  /** The user data for the function. */
  readonly userData: bigint;
  /** Severities of VK_EXT_debug_utils, or flags of VK_EXT_debug_report. */
  readonly severities: number;
  /** Message types; all types for VK_EXT_debug_report. */
  readonly types: number;
}

const UTILS = VkDebugUtilsMessengerCreateInfoEXT, REPORT = VkDebugReportCallbackCreateInfoEXT;

const INFORMATION = {
  utils: VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
  report: VK_DEBUG_REPORT_INFORMATION_BIT_EXT,
};
/** The severity of each level, by extension. */
const ERROR = { utils: VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, report: VK_DEBUG_REPORT_ERROR_BIT_EXT };
const SEVERITIES: Readonly<Record<Level, { utils: number; report: number }>> = {
  fatal: ERROR,
  error: ERROR,
  warning: { utils: VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, report: VK_DEBUG_REPORT_WARNING_BIT_EXT },
  info: INFORMATION,
  debug: { utils: VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT, report: VK_DEBUG_REPORT_DEBUG_BIT_EXT },
  plain: INFORMATION,
};
const REPORTED = VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT;
const GENERAL = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
const VALIDATION = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
/** All possible types. */
const EVERY_TYPE = 0xffff_ffff;
const ID_NAME = "Loader Message", PREFIX = "Vulkan Loader";

/** Returns the kind of listener for a structure type; `undefined` for any other struct. */
function kindOf(sType: number): Listener["kind"] | undefined {
  if (sType === VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT) return "utils";
  return sType === VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT ? "report" : undefined;
}

/**
 * Reads the listener of a kind from its create info, whatever its structure
 * type is: some programs leave the type out.
 */
export function readListener(kind: Listener["kind"], info: bigint): Listener {
  if (kind === "utils") {
    return {
      kind: "utils",
      callback: peek64(info + UTILS.pfnUserCallback),
      userData: peek64(info + UTILS.pUserData),
      severities: peek32(info + UTILS.messageSeverity),
      types: peek32(info + UTILS.messageType),
    };
  }
  return {
    kind: "report",
    callback: peek64(info + REPORT.pfnCallback),
    userData: peek64(info + REPORT.pUserData),
    severities: peek32(info + REPORT.flags),
    types: EVERY_TYPE,
  };
}

/** Returns the listeners in a chain, in order. */
export function listenersIn(first: bigint): Listener[] {
  return [...chain(first)].flatMap(({ sType, address }) => {
    const kind = kindOf(sType);
    return kind ? [readListener(kind, address)] : [];
  });
}

/** Sends one of the loader's own messages about an instance to a listener, if it wants the message. */
export function tell(listener: Listener, level: Level, text: string, instance: bigint): void {
  const { kind, callback, userData } = listener, severity = SEVERITIES[level][kind];
  const types = (UNCOUNTED as readonly string[]).includes(text) ? GENERAL | VALIDATION : GENERAL;
  if (!wants(listener, severity, types)) return;
  inFrame((memory) => {
    const message = memory.place(cstring(text));
    if (kind === "utils") {
      const data = callbackData(memory, [
        VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT,
        instance,
        0n,
        0,
        memory.place(cstring(ID_NAME)),
        message,
      ]);
      invokeAddress(callback, "w:wwqq", [severity, types, data, userData]);
    } else {
      const prefix = memory.place(cstring(PREFIX));
      invokeAddress(callback, "w:wwqqsqqq", [severity, REPORTED, instance, 0n, 0, prefix, message, userData]);
    }
  });
}

/**
 * Sends messages to the listeners in the chain of a VkInstanceCreateInfo,
 * before the instance exists. Without listeners, `messages` is not called.
 */
export function tellListeners(info: bigint, messages: () => readonly Told[]): void {
  const listeners = listenersIn(nextOf(info));
  if (listeners.length === 0) return;
  for (const { level, text } of messages()) {
    for (const listener of listeners) tell(listener, level, text, 0n);
  }
}

/** Whether a listener wants messages of a severity and of one of these types. */
export function wants({ severities, types, callback }: Listener, severity: number, messageTypes: number): boolean {
  return callback !== 0n && (severities & severity) !== 0 && (types & messageTypes) !== 0;
}
