import { inFrame } from "../../../../ffi/arena.ts";
import { invokeAddress, poke64 } from "../../../../ffi/machine.ts";
import { nextOf } from "../../../driver/structs/create_info.ts";
import { type Listener, listenersIn, readListener, tell, wants } from "./debug_message.ts";
import { giveBack, hasCallbacks, keepCallbacks } from "../../../driver/structs/allocator.ts";
import { keepFor, keepNoLonger } from "../../../chain/object/kept_memory.ts";
import type { LiveMember } from "../members/member.ts";
import type { Level } from "../../../driver/report/log.ts";
import { VK_ERROR_OUT_OF_HOST_MEMORY } from "../../../gen/native_gen.ts";

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

  /** Implements vkSubmitDebugUtilsMessageEXT. Members do not get the message. */
  submit(severity: number, types: number, data: bigint): void {
    for (const listener of this.#of("utils")) {
      if (wants(listener, severity, types)) {
        invokeAddress(listener.callback, "w:wwqq", [severity, types, data, listener.userData]);
      }
    }
  }

  /** Implements vkDebugReportMessageEXT, given its parameters after the instance. */
  report(flags: number, ...rest: readonly [number, bigint, bigint, number, bigint, bigint]): void {
    for (const { callback, userData, ...listener } of this.#of("report")) {
      if (wants({ ...listener, callback, userData }, flags, 1)) {
        invokeAddress(callback, "w:wwqqsqqq", [flags, ...rest, userData]);
      }
    }
  }

  #of(kind: Listener["kind"]): Registered[] {
    return [...this.#registered.values()].filter((listener) => listener.kind === kind);
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
