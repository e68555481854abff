import { NativeBlock } from "../../ffi/block.ts";
import { cstring, readCString } from "../../ffi/cstring.ts";
import { peek32, poke32, poke64 } from "../../ffi/machine.ts";
import { bindByAddress, type NativeFunction } from "../../ffi/stubs.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import type { Composer } from "../composer.ts";
import { CAPABILITY } from "../device_types.ts";
import { FUNCTION_NAMES } from "../function_names.ts";
import { ERROR } from "../types.ts";
import { abiOf } from "./call/abi.ts";
import { answered, answering } from "./call/answer.ts";
import { pokeBytes } from "./values/byte_inputs.ts";
import { answeringSample, SAMPLE_SIGNATURE } from "./values/content_sample.ts";
import { FUNCTIONS, type MethodName } from "./call/functions.ts";
import { DEVICE, DEVICE_TAG, DEVICE_VERSION, MODULE, MODULE_ID, MODULE_NAME, MODULE_TAG } from "./layout.ts";
import type { ComposerCallbacks } from "../composer_records.ts";
import { refuse } from "../core/refusal.ts";
import { Call } from "./call/call.ts";
import { CALLBACK_SHAPES, type CallbackShape } from "./call/callbacks.ts";

/** Registers a client's function with a composer; NULL ends it. */
function registerNative(composer: Composer, descriptor: number, data: bigint, address: bigint): void {
  const shape = CALLBACK_SHAPES[descriptor];
  if (!shape) refuse(ERROR.BAD_PARAMETER, `there is no callback ${descriptor} in hwcomposer2.h; give 1 to 6`);
  const callback = address === 0n ? null : calling(shape, data, address);
  composer.registerCallback(descriptor as keyof ComposerCallbacks, callback as ComposerCallbacks[1] | null);
}

/** Ends all of a client's callbacks. */
function unregisterAll(composer: Composer): void {
  for (const descriptor of Object.keys(CALLBACK_SHAPES)) {
    composer.registerCallback(Number(descriptor) as keyof ComposerCallbacks, null);
  }
}

function calling(shape: CallbackShape, data: bigint, address: bigint): (...args: unknown[]) => void {
  const native = bindByAddress(shape.signature);
  return (display, ...values) => {
    const call = new Call();
    try {
      native(data, display as bigint, ...shape.write(values, call), address);
    } finally {
      call.finish(true);
    }
  };
}

/** A composer that native code of this process can open as a module. */
export interface ExportedHwc2 extends Disposable {
  /** Address of the hw_module_t. */
  readonly module: bigint;
  /**
   * Ends native code's access; native code must no longer hold the device. The caller keeps and closes the composer. A
   * second call does nothing.
   */
  close(): void;
}

/** Offsets of the parts in our block. */
const AT = { module: 0, methods: 256, device: 272, id: 512, name: 544, author: 608, size: 640 } as const;
const EINVAL = -22;

/**
 * Offers a composer to native code as an Android hardware module: `methods->open(module, "composer", &device)` returns
 * a hwc2_device_t whose getFunction returns the functions that the composer has. All callers of `open` share the
 * composer. The caller of `exportHwc2` keeps and closes the composer. Native code may call the functions on any thread;
 * on other threads a call waits for this isolate's event loop. The composer's callbacks run on this thread: a client
 * that holds a lock while calling from another thread must not take the same lock in a callback.
 *
 * @example
 * ```ts ignore
 * import { createReferenceComposer, exportHwc2 } from "@pumice/gfx/hwc";
 *
 * using composer = createReferenceComposer();
 * using exported = exportHwc2(composer);
 * Deno.dlopen("libclient.so", { use: { parameters: ["u64"], result: "void" } }).symbols.use(exported.module);
 * ```
 */
export function exportHwc2(composer: Composer): ExportedHwc2 {
  return new Exported(composer);
}

class Exported implements ExportedHwc2 {
  readonly module: bigint;
  readonly #composer: Composer;
  readonly #block = new NativeBlock(AT.size);
  readonly #thunks: Thunk[] = [];
  readonly #functions = new Map<number, bigint>();
  #dumped = new Uint8Array();
  #opened = 0;
  #isOpen = true;

  constructor(composer: Composer) {
    this.#composer = composer;
    this.module = this.#block.address + BigInt(AT.module);
    this.#writeModule();
    this.#writeDevice();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#opened > 0) unregisterAll(this.#composer);
    for (const thunk of this.#thunks) thunk.free();
    this.#block.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** A function for native code. */
  #thunk(signature: string, run: NativeFunction, failure: number | bigint = 0): bigint {
    const thunk = createThunk(signature, run, { onForeignThread: "block", failure });
    this.#thunks.push(thunk);
    return thunk.address;
  }

  #at(part: number, offset = 0): bigint {
    return this.#block.address + BigInt(part + offset);
  }

  #text(part: number, text: string): bigint {
    this.#block.bytes.set(cstring(text), part);
    return this.#at(part);
  }

  #writeModule(): void {
    const { view } = this.#block;
    view.setUint32(MODULE.tag, MODULE_TAG, true);
    view.setUint16(MODULE.apiVersion, 0x0200, true);
    view.setBigUint64(MODULE.id, this.#text(AT.id, MODULE_ID), true);
    view.setBigUint64(MODULE.name, this.#text(AT.name, MODULE_NAME), true);
    view.setBigUint64(MODULE.author, this.#text(AT.author, "Pumice"), true);
    view.setBigUint64(MODULE.methods, this.#at(AT.methods), true);
    // int open(const hw_module_t *module, const char *id, hw_device_t **device)
    view.setBigUint64(AT.methods, this.#thunk("s:qqq", (_, id, out) => this.#open(id, out), EINVAL), true);
  }

  #writeDevice(): void {
    const { view } = this.#block, at = AT.device;
    view.setUint32(at + DEVICE.tag, DEVICE_TAG, true);
    view.setUint32(at + DEVICE.version, DEVICE_VERSION, true);
    view.setBigUint64(at + DEVICE.module, this.module, true);
    view.setBigUint64(at + DEVICE.close, this.#thunk("s:q", () => this.#closeDevice()), true);
    const capabilities = this.#thunk("v:qqq", (_, count, out) => this.#getCapabilities(count, out));
    view.setBigUint64(at + DEVICE.getCapabilities, capabilities, true);
    view.setBigUint64(at + DEVICE.getFunction, this.#thunk("q:qs", (_, number) => this.#getFunction(number), 0n), true);
  }

  #open(id: bigint, out: bigint): number {
    if (out === 0n || readCString(id) !== "composer") return EINVAL;
    poke64(out, this.#at(AT.device));
    this.#opened++;
    return 0;
  }

  /** The last one takes the callbacks with it. */
  #closeDevice(): number {
    if (this.#opened > 0 && --this.#opened === 0) unregisterAll(this.#composer);
    return 0;
  }

  /** The capabilities; those of composer3 have no number in C. */
  #getCapabilities(count: bigint, out: bigint): void {
    if (count === 0n) return;
    const all = this.#composer.getCapabilities().filter((one) => one <= CAPABILITY.SKIP_VALIDATE);
    const room = out === 0n ? all.length : Math.min(peek32(count), all.length);
    if (out !== 0n) all.slice(0, room).forEach((one, index) => poke32(out + BigInt(4 * index), one));
    poke32(count, room);
  }

  #getFunction(descriptor: number): bigint {
    let address = this.#functions.get(descriptor);
    if (address === undefined) this.#functions.set(descriptor, address = this.#make(descriptor));
    return address;
  }

  #make(descriptor: number): bigint {
    const name = FUNCTION_NAMES[descriptor] as MethodName | undefined, composer = this.#composer;
    if (!name || !composer.getFunction(descriptor)) return 0n;
    const register: NativeFunction = (_, what, data, address) =>
      answered(() => (registerNative(composer, what, data, address), ERROR.NONE));
    if (name === "registerCallback") return this.#thunk("s:qsqq", register, ERROR.NO_RESOURCES);
    if (name === "getDisplayedContentSample") {
      return this.#thunk(SAMPLE_SIGNATURE, answeringSample(composer), ERROR.NO_RESOURCES);
    }
    if (name === "dump") return this.#thunk("v:qqq", (_, size, out) => this.#dump(size, out));
    const called = FUNCTIONS[name]!, failure = called.returns === "s" ? ERROR.NO_RESOURCES : 0;
    return this.#thunk(abiOf(called).signature, answering(called, name, composer), failure);
  }

  /** The first call keeps the text for the second. */
  #dump(size: bigint, out: bigint): void {
    if (size === 0n) return;
    if (out === 0n) {
      this.#dumped = new TextEncoder().encode(this.#composer.dump());
      return poke32(size, this.#dumped.length);
    }
    const written = this.#dumped.subarray(0, peek32(size));
    pokeBytes(out, written);
    poke32(size, written.length);
  }
}
