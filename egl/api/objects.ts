import type { NativeBlock } from "../../ffi/block.ts";
import type { Thunk } from "../../ffi/thunk/thunk.ts";
import type { GlDebugMessage } from "../command/types.ts";
import type { HookVersion } from "../dispatch/dispatch.ts";
import type { ClientArrays } from "./client_arrays.ts";
import type { DriverCalls, Word } from "./driver_calls.ts";
import { FIRST_HANDLE, HANDLE_STEP } from "./handle_table.ts";
import type { MappedBuffers } from "./mapped_buffers.ts";

/** A context as the loader keeps it. Scripts and layers see its handle, the driver its own. */
export interface ContextObject {
  /** The caller's handle. */
  readonly handle: bigint;
  /** The driver's handle. */
  readonly driver: bigint;
  /** The driver's display of the object. */
  readonly display: bigint;
  /** The hooks that its commands use. */
  readonly hooks: HookVersion;
  /** The capabilities, known once the context was current. */
  facts?: ContextFacts;
  /** Native copies of client arrays. */
  readonly arrays: ClientArrays;
  /** The receiver of the driver's debug messages. */
  listener?: DebugListener;
  /** Views of mapped buffers. */
  readonly mapped: MappedBuffers;
}

/**
 * The callback that the driver gets, one for the life of a context: a thread of
 * the driver's may still be about to call a replaced callback.
 */
export interface DebugListener {
  /** The thunk whose address the driver has. */
  readonly thunk: Thunk;
  /** The current listener. */
  told?: (message: GlDebugMessage) => void;
}

/** The capabilities of a context. */
export interface ContextFacts {
  /** Major and minor version of OpenGL ES. */
  readonly version: readonly [number, number];
  /** Whether the context is of desktop OpenGL. */
  readonly isDesktop: boolean;
  /** The context's extensions; on Android's display GL_EXT_debug_marker is among them. */
  readonly extensions: readonly string[];
  /** The address of their list as one string, and of each name. */
  readonly list: bigint;
  /** Addresses of each name. */
  readonly names: readonly bigint[];
  /** Owns those strings. */
  readonly memory: NativeBlock;
}

/** A surface as the loader keeps it. */
export interface SurfaceObject {
  /** The caller's handle. */
  readonly handle: bigint;
  /** The driver's handle. */
  readonly driver: bigint;
  /** The driver's display of the object. */
  readonly display: bigint;
  /** The window it shows in; 0n for none. */
  readonly window: bigint;
  /** Lets go of the window: when it is destroyed, also while it is current. */
  leave?(): void;
}

let last = BigInt(FIRST_HANDLE);

/** A handle nobody had before. */
export function freshHandle(): bigint {
  return last += BigInt(HANDLE_STEP);
}

/** Frees what a context keeps in native memory. */
export function forgetContext(context: ContextObject): void {
  context.arrays.close();
  context.mapped.leave();
  context.listener?.thunk.free();
  context.listener = undefined;
  context.facts?.memory.close();
  context.facts = undefined;
}

/** An object that will be destroyed. */
export interface Doomed {
  /** As callers have it. */
  readonly handle: bigint;
  /** The display of the object. */
  readonly display: bigint;
  /** Makes the driver destroy the object. */
  readonly destroy?: () => Word;
  /** Frees what the loader keeps of it; the driver may use that as long as it is current. */
  readonly forget?: () => void;
}

/** The loader whose driver ends an object. */
interface Calling {
  readonly calls: DriverCalls;
}

/** Ends a context. */
export function doomedContext({ calls }: Calling, context: ContextObject): Doomed {
  const { handle, display, driver } = context;
  const destroy = () => calls.call("eglDestroyContext", display, driver);
  return { handle, display, destroy, forget: () => forgetContext(context) };
}

/** Ends a surface. From now on its window may get another surface, as on Android. */
export function doomedSurface({ calls }: Calling, surface: SurfaceObject): Doomed {
  const { handle, display, driver } = surface;
  surface.leave?.();
  return { handle, display, destroy: () => calls.call("eglDestroySurface", display, driver) };
}
