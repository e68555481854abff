import { inFrame } from "../../ffi/arena.ts";
import { invoke } from "../../ffi/invoke.ts";
import type { EglDriver } from "./egl_driver.ts";

/** EGL_NONE, which stands for "any platform" in libglvnd's interface. */
const ANY = 0x3038;
const PLATFORM_DEVICE_EXT = 0x313f, PLATFORM_SURFACELESS_MESA = 0x31dd;

/** A display a driver could initialize, and has terminated since. */
export interface WorkingDisplay {
  /** The platform's name, for people. */
  readonly platform: string;
  /** The EGL version, such as "1.5". */
  readonly version: string;
}

/**
 * The first display of a vendor's that works: its default one, one without
 * surfaces, or that of its first device. `undefined` when none does. The
 * display is initialized and terminated, so this must not be done while others
 * use the driver.
 */
export function probeDisplay(driver: EglDriver): WorkingDisplay | undefined {
  const tries: [string, number, () => bigint][] = [
    ["default", ANY, () => 0n],
    ["surfaceless", PLATFORM_SURFACELESS_MESA, () => 0n],
    ["device", PLATFORM_DEVICE_EXT, () => firstDevice(driver)],
  ];
  for (const [platform, token, native] of tries) {
    const handle = native();
    if (token === PLATFORM_DEVICE_EXT && handle === 0n) continue;
    const version = initialize(driver, token, handle);
    if (version) return { platform, version };
  }
}

function initialize(driver: EglDriver, platform: number, native: bigint): string | undefined {
  const call = (name: string, signature: string, ...args: (number | bigint)[]) =>
    invoke(driver.find(name, "egl"), signature, args);
  const display = call("eglGetPlatformDisplay", "q:wqq", platform, native, 0n) as bigint;
  if (display === 0n) return undefined;
  return inFrame((memory) => {
    const at = memory.alloc(8);
    if (call("eglInitialize", "w:qoo", display, at, at + 4) === 0) return undefined;
    call("eglTerminate", "w:q", display);
    return `${memory.view.getInt32(at, true)}.${memory.view.getInt32(at + 4, true)}`;
  });
}

/** The first EGLDeviceEXT; 0n when there is none. */
function firstDevice(driver: EglDriver): bigint {
  const query = driver.find("eglQueryDevicesEXT", "egl");
  if (query === 0n) return 0n;
  return inFrame((memory) => {
    const at = memory.alloc(16);
    // EGLBoolean eglQueryDevicesEXT(EGLint max_devices, EGLDeviceEXT *devices, EGLint *num_devices)
    const found = invoke(query, "w:soo", [1, at, at + 8]) !== 0 && memory.view.getInt32(at + 8, true) > 0;
    return found ? memory.view.getBigUint64(at, true) : 0n;
  });
}
