import { checkOptions } from "../../ffi/check_options.ts";
import { bindNonblocking } from "../../ffi/stubs.ts";
import { peek64 } from "../../ffi/machine.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { checkArguments } from "../arguments.ts";
import type { AsyncComposer, Composer } from "../composer.ts";
import { FUNCTION_NAMES, functionDescriptor } from "../function_names.ts";
import { HwcError } from "../hwc_error.ts";
import { refuse } from "../core/refusal.ts";
import { ERROR } from "../types.ts";
import { type Asking, asking, checkCode, type DeviceLine, during, Fifo } from "./call/asking.ts";
import { CALLBACK_SHAPES, DeviceCallbacks } from "./call/callbacks.ts";
import { askForSample, SAMPLE_SIGNATURE } from "./values/content_sample.ts";
import { findHwModule, type Hwc2Device, type Hwc2Search, openHwc2Device, SEARCH_RULES } from "./device/open_device.ts";
import { FUNCTIONS, type MethodName } from "./call/functions.ts";
import { HeldBuffers, WithheldFences } from "./device/held_objects.ts";
import { DEVICE, MODULE_ID } from "./layout.ts";
import type { DisplayConfiguration } from "../composer_records.ts";
import { ATTRIBUTE, RENDER_INTENT } from "../device_types.ts";

/** Methods of composer3 that hwcomposer2.h has nothing for. */
const COMPOSER3_NAMES: readonly (keyof Composer & string)[] = [
  "setBootDisplayConfig",
  "clearBootDisplayConfig",
  "getPreferredBootDisplayConfig",
  "getDisplayConfigurations",
  "getDisplayPhysicalOrientation",
  "setLayerBrightness",
  "setLayerBlockingRegion",
  "setExpectedPresentTime",
  "setIdleTimerEnabled",
  "setRefreshRateChangedCallbackDebugEnabled",
  "getOverlaySupport",
  "getDisplayDecorationSupport",
  "getHdrConversionCapabilities",
  "setHdrConversionStrategy",
  "notifyExpectedPresent",
  "setClientTargetSlotCount",
  "getMaxLayerPictureProfiles",
  "startHdcpNegotiation",
];

type Fallbacks = Partial<AsyncComposer>;

/** Returns Android's answers for functions that a device lacks, made from those it has. */
function fallbacks(composer: AsyncComposer, has: (descriptor: number) => boolean): Fallbacks {
  const missing: Fallbacks = {
    getRenderIntents: () => [RENDER_INTENT.COLORIMETRIC],
    setColorModeWithRenderIntent(display, mode, intent) {
      if (intent === RENDER_INTENT.COLORIMETRIC) return composer.setColorMode(display, mode);
      const sentence = `the device knows no render intents; give ${RENDER_INTENT.COLORIMETRIC}`;
      throw new HwcError("setColorModeWithRenderIntent", ERROR.UNSUPPORTED, sentence);
    },
    getDisplayVsyncPeriod: async (display) =>
      await composer.getDisplayAttribute(display, await composer.getActiveConfig(display), ATTRIBUTE.VSYNC_PERIOD),
  };
  const lacks = ([name]: [string, unknown]) => !has(functionDescriptor(name as keyof Composer)!);
  return {
    ...Object.fromEntries(Object.entries(missing).filter(lacks)),
    getDisplayConfigurations: (display) => configurationsOf(composer, display),
  };
}

async function configurationsOf(composer: AsyncComposer, display: bigint): Promise<DisplayConfiguration[]> {
  const found: DisplayConfiguration[] = [];
  for (const configId of await composer.getDisplayConfigs(display)) {
    const get = (attribute: number) => composer.getDisplayAttribute(display, configId, attribute);
    const width = await get(ATTRIBUTE.WIDTH), height = await get(ATTRIBUTE.HEIGHT);
    const vsyncPeriod = await get(ATTRIBUTE.VSYNC_PERIOD), configGroup = await get(ATTRIBUTE.CONFIG_GROUP);
    const x = await get(ATTRIBUTE.DPI_X) / 1000, y = await get(ATTRIBUTE.DPI_Y) / 1000;
    const dpi = x > 0 && y > 0 ? { dpi: { x, y } } : {};
    found.push({ configId, width, height, vsyncPeriod, configGroup, ...dpi });
  }
  return found;
}

/** A composer behind hwcomposer2.h. */
export type Hwc2Composer = AsyncComposer & AsyncDisposable & {
  /** Whether the device gets fences of every kind; true for a device that `exportHwc2` made. */
  readonly takesAnyFence: boolean;
  /**
   * Closes the device after the calls that are in progress. The library stays loaded as long as the device needs the
   * library. A second call does nothing.
   */
  close(): Promise<void>;
};

/**
 * Opens a vendor's hardware composer. The argument is the path of a library; a module's name, such as `hwcomposer`,
 * which is searched as Android does; or the address of a hw_module_t in this process. Calls go to the device on another
 * thread, one at a time, so that this thread never waits for a lock of the device. Callbacks run in the event loop and
 * may call the device. A function that the device lacks throws UNSUPPORTED, or returns Android's default answer. The
 * device gets only sync_files and -1, which kernel drivers can import; any other fence is waited for before its display
 * is presented. If such a fence is still pending after five seconds, `presentDisplay` throws NO_RESOURCES and may be
 * called again. A call that does not come back within 30 seconds throws NO_RESOURCES, and so does every later call.
 * Throws a {@linkcode NativeError}: `not-found`, `load-failed`, and `unsupported` for a module that is
 * not an HWC2 device or lacks a required function.
 *
 * @example
 * ```ts ignore
 * import { openHwc2 } from "@pumice/gfx/hwc";
 *
 * await using composer = openHwc2("/vendor/lib64/hw/hwcomposer.soc.so");
 * await composer.registerCallback(1, (display) => console.log("display", display));
 * ```
 */
export function openHwc2(target: string | bigint = MODULE_ID, search: Hwc2Search = {}): Hwc2Composer {
  checkOptions("openHwc2()", search, SEARCH_RULES);
  const isName = typeof target === "string" && !target.includes("/");
  return new Opened(openHwc2Device(isName ? findHwModule(target, search) : target)).composer;
}

class Opened implements DeviceLine {
  readonly device: bigint;
  readonly fifo = new Fifo();
  readonly withheld: WithheldFences | undefined;
  readonly composer: Hwc2Composer;
  readonly #opened: Hwc2Device;
  readonly #callbacks = new DeviceCallbacks();
  readonly #held = new HeldBuffers();
  readonly #addresses = new Map<number, bigint>();
  #closed: Promise<void> | undefined;

  constructor(opened: Hwc2Device) {
    this.#opened = opened;
    this.device = opened.address;
    this.withheld = opened.isOurs ? undefined : new WithheldFences();
    this.composer = this.#makeComposer();
  }

  check(name: string): void {
    if (this.#closed) throw new HwcError(name, ERROR.NO_RESOURCES, "the composer is closed; open it again");
  }

  #makeComposer(): Hwc2Composer {
    const methods: Record<string, unknown> = {}, names = FUNCTION_NAMES as Record<number, MethodName>;
    for (const name of COMPOSER3_NAMES) methods[name] = this.#lacking(name);
    for (const [number, name] of Object.entries(names)) methods[name] = this.#method(name, Number(number));
    const { capabilities } = this.#opened, close = () => this.#closed ??= this.#close();
    const composer = Object.assign(methods, {
      takesAnyFence: this.withheld === undefined,
      getCapabilities: () => [...capabilities],
      getFunction: (descriptor: number) => this.#has(descriptor) ? methods[names[descriptor]] : undefined,
      close,
      [Symbol.dispose]: () => void close(),
      [Symbol.asyncDispose]: close,
    }) as unknown as Hwc2Composer;
    return Object.assign(composer, fallbacks(composer, (descriptor) => this.#has(descriptor)));
  }

  #has(descriptor: number): boolean {
    return this.#lookUp(descriptor) !== 0n;
  }

  /** The address of a function, asked of the device once. */
  #lookUp(descriptor: number): bigint {
    let address = this.#addresses.get(descriptor);
    if (address === undefined) this.#addresses.set(descriptor, address = this.#opened.getFunction(descriptor));
    return address;
  }

  #lacking(name: string): Asking {
    return () => Promise.reject(new HwcError(name, ERROR.UNSUPPORTED, "the device does not have this function"));
  }

  #method(name: MethodName, descriptor: number): Asking {
    const address = this.#lookUp(descriptor);
    if (address === 0n) return this.#lacking(name);
    if (name === "registerCallback") return this.#registering(address);
    if (name === "getDisplayedContentSample") return this.#sampling(address);
    return this.#holding(name, asking(this, FUNCTIONS[name]!, name, address));
  }

  /** Updates the held buffers after a call that succeeded. */
  #holding(name: string, ask: Asking): Asking {
    const note = HELD_BY[name];
    if (!note) return ask;
    return async (...args) => {
      const buffer = args.find(isBuffer), owner = buffer && !buffer.isClosed ? buffer.retain() : undefined;
      try {
        const value = await ask(...args);
        note(this.#held, args, owner ?? null);
        return value;
      } finally {
        owner?.close();
      }
    };
  }

  #registering(address: bigint): Asking {
    const native = bindNonblocking("s:qsqq", address), name = "registerCallback";
    return (descriptor, listener) =>
      during(name, () => {
        this.check(name);
        checkArguments(name, [descriptor, listener]);
        const number = descriptor as number;
        if (!CALLBACK_SHAPES[number]) {
          refuse(ERROR.BAD_PARAMETER, `there is no callback ${number} in hwcomposer2.h; give 1 to 6`);
        }
        return this.fifo.run(() => this.#register(native, number, listener as ((...args: unknown[]) => void) | null));
      });
  }

  /** The listener is set before the device can call. A device that refuses NULL is not called again. */
  async #register(
    native: ReturnType<typeof bindNonblocking>,
    descriptor: number,
    listener: ((...args: unknown[]) => void) | null,
  ): Promise<void> {
    this.#callbacks.listen(descriptor, listener);
    const address = listener ? this.#callbacks.address(descriptor) : 0n;
    const code = await native(this.device, descriptor, 0n, address) as number;
    if (!listener && code === ERROR.BAD_PARAMETER) return;
    if (code !== ERROR.NONE) this.#callbacks.listen(descriptor, null);
    checkCode(code, "registerCallback");
  }

  #sampling(address: bigint): Asking {
    const native = bindNonblocking(SAMPLE_SIGNATURE, address), name = "getDisplayedContentSample";
    return (...args) =>
      during(name, (call) => {
        this.check(name);
        checkArguments(name, args);
        const ask = async (natives: (number | bigint)[]) =>
          checkCode(await native(this.device, ...natives) as number, name);
        return this.fifo.run(() => askForSample(ask, args as [bigint, bigint, bigint], call));
      });
  }

  /**
   * Earlier calls are answered first; then the device is closed, its callbacks
   * are delivered. A device that does not come back from a call, or from this one, keeps all it has.
   */
  async #close(): Promise<void> {
    if (this.fifo.isStuck) return;
    return await during("close", () =>
      this.fifo.run(async () => {
        const close = peek64(this.device + BigInt(DEVICE.close));
        if (close !== 0n) await bindNonblocking("s:q", close)(this.device); // int close(hw_device_t *device)
        this.#callbacks.close();
        this.#held.close();
        this.withheld?.close();
        this.#opened.library?.close();
      }));
  }
}

type Note = (held: HeldBuffers, args: readonly unknown[], buffer: GraphicBuffer | null) => void;

/** The effect of each successful method on the held buffers. */
const HELD_BY: Readonly<Record<string, Note>> = {
  setLayerBuffer: (held, [display, layer], buffer) => held.set(display as bigint, layer as bigint, buffer),
  destroyLayer: (held, [display, layer]) => held.set(display as bigint, layer as bigint, null),
  setClientTarget: (held, [display], buffer) => held.set(display as bigint, "client target", buffer),
  setOutputBuffer: (held, [display], buffer) => held.set(display as bigint, "output buffer", buffer),
  setReadbackBuffer: (held, [display], buffer) => held.set(display as bigint, "readback buffer", buffer),
  presentDisplay: (held, [display]) => held.presented(display as bigint),
  destroyVirtualDisplay: (held, [display]) => held.forget(display as bigint),
};

function isBuffer(argument: unknown): argument is GraphicBuffer {
  return typeof argument === "object" && argument !== null && "retain" in argument;
}
