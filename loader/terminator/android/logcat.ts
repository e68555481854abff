import { inFrame } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { codec } from "../../codec/codec.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";
import { SEVERITY } from "./messages.ts";
import { isOn } from "./options.ts";

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
