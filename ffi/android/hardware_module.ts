import { inFrame } from "../arena.ts";
import { cstring, readCString } from "../cstring.ts";
import { invokeAddress, peek64, poke64 } from "../machine.ts";

/** An opened hw_device_t. */
export interface HalDevice {
  /** Address of the hw_device_t. */
  readonly address: bigint;
  /** Calls the device's own close. A second call does nothing. */
  close(): void;
}

/** The reason why a module could not be opened, as the end of a sentence that begins with the module's name. */
export interface HalFailure {
  /** `"module"`: the file is not the module that was asked for. `"open"`: the module's open method refused. */
  readonly cause: "module" | "open";
  /** The finding, and what to do. */
  readonly failure: string;
}

/** Offsets in hw_module_t, 64-bit. */
const MODULE_ID = 8n, MODULE_METHODS = 32n, MODULE_DSO = 40n;
/** Offset of close in hw_device_t, 64-bit. */
const DEVICE_CLOSE = 112n;

/**
 * Opens a device of an Android hardware module, as callers of hw_get_module do.
 * Checks the module's id, stores the library handle in `dso`, and calls
 * methods->open. `module` is the address of the library's `HMI` symbol.
 */
export function openHalDevice(
  module: bigint,
  moduleId: string,
  deviceId: string,
  library: bigint,
): HalDevice | HalFailure {
  const found = idOf(module);
  if (found !== moduleId) {
    return { cause: "module", failure: `its HMI is a "${found}" module, not "${moduleId}"; name the right HAL module` };
  }
  const methods = peek64(module + MODULE_METHODS);
  if (methods === 0n || peek64(methods) === 0n) {
    return { cause: "module", failure: "its HMI has no open method; the module is broken" };
  }
  poke64(module + MODULE_DSO, library);
  return callOpen(peek64(methods), module, deviceId);
}

function idOf(module: bigint): string {
  const id = peek64(module + MODULE_ID);
  return id === 0n ? "" : readCString(id);
}

function callOpen(open: bigint, module: bigint, deviceId: string): HalDevice | HalFailure {
  return inFrame((memory) => {
    const out = memory.alloc(8);
    memory.view.setBigUint64(out, 0n, true);
    // int open(const hw_module_t *module, const char *id, hw_device_t **device)
    const status = invokeAddress(open, "s:qqq", [module, memory.place(cstring(deviceId)), memory.address(out)]);
    const device = memory.view.getBigUint64(out, true);
    if (status !== 0) {
      const failure = `its open("${deviceId}") returned ${status}; look for the reason in the driver's log`;
      return { cause: "open", failure };
    }
    if (device === 0n) {
      return { cause: "open", failure: `its open("${deviceId}") gave no device; the module is broken` };
    }
    return ownDevice(device);
  });
}

function ownDevice(address: bigint): HalDevice {
  let open = true;
  function close(): void {
    if (!open) return;
    open = false;
    const closeDevice = peek64(address + DEVICE_CLOSE);
    if (closeDevice !== 0n) invokeAddress(closeDevice, "s:q", [address]); // int close(hw_device_t *device)
  }
  return { address, close };
}
