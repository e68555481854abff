import { NativeBlock } from "../../ffi/block.ts";
import { readCString } from "../../ffi/cstring.ts";
import { invokeAddress } from "../../ffi/invoke.ts";
import type { Library } from "../../ffi/library/library.ts";
import { returning } from "../../ffi/thunk/thunk.ts";
import type { Host } from "../../loader/driver/host/host.ts";
import {
  isObject,
  readManifest,
  requireText,
  resolveLibrary,
  shortened,
} from "../../loader/driver/manifest/manifest.ts";
import { DriverError } from "../../loader/error.ts";
import { EGL_OPENGL_API, EGL_OPENGL_ES_API } from "../gen/egl_constants_gen.js";
import { driverOf, type EglDriver } from "./egl_driver.ts";
import { askProcAddress, driverRefusal, openDriverLibrary } from "./library_set.ts";

/** The entry function of a vendor library for libglvnd. */
export const GLVND_MAIN = "__egl_Main";

/** Version 0.2 of the vendor interface: major in the upper half. */
const INTERFACE_VERSION = 0x00000002;
const IMPORTS_SIZE = 88;
/** Byte offsets in `__EGLapiImports`, of `libeglabi.h`, of the functions that a vendor must provide. */
const REQUIRED = {
  getPlatformDisplay: 0,
  getSupportsAPI: 8,
  getProcAddress: 24,
  getDispatchAddress: 32,
  setDispatchIndex: 40,
} as const;
/**
 * Byte offset of the function for strings of a vendor, which may be missing. The word 0 asks for the extensions of
 * platforms.
 */
const GET_VENDOR_STRING = 16, PLATFORM_EXTENSIONS = 0;
const CLIENT_APIS = [EGL_OPENGL_ES_API, EGL_OPENGL_API];
/** The 27 functions that libglvnd requires of a vendor. */
const FUNCTIONS = ("Initialize Terminate ChooseConfig CopyBuffers CreateContext CreatePbufferSurface " +
  "CreatePixmapSurface CreateWindowSurface DestroyContext DestroySurface GetConfigAttrib GetConfigs MakeCurrent " +
  "QueryContext QueryString QuerySurface SwapBuffers WaitGL WaitNative BindTexImage ReleaseTexImage SurfaceAttrib " +
  "SwapInterval CreatePbufferFromClientBuffer ReleaseThread WaitClient GetError").split(" ");

/** Opens a vendor library of libglvnd's without libglvnd. Throws a {@linkcode DriverError}. */
export function openVendor(path: string): EglDriver {
  return vendorOf(openDriverLibrary(path));
}

/**
 * Makes a driver of a loaded vendor library, which the driver then owns. Throws a {@linkcode DriverError} and closes
 * the library if libglvnd would refuse the library.
 */
export function vendorOf(library: Library): EglDriver {
  try {
    const driver = vendorDriver(library, shakeHands(library));
    checkFunctions(library.path, driver);
    return driver;
  } catch (error) {
    library.close();
    throw error;
  }
}

type Imports = Readonly<Record<keyof typeof REQUIRED, bigint>> & { readonly platformExtensions: string };

function shakeHands(library: Library): Imports {
  const { path } = library, main = library.find(GLVND_MAIN);
  if (main === 0n) throw driverRefusal(path, `it does not export ${GLVND_MAIN}, so it is no vendor library`);
  using block = new NativeBlock(IMPORTS_SIZE);
  // EGLBoolean __egl_Main(uint32_t version, const exports *, vendor *, imports *); the vendor only compares its handle
  const accepted = invokeAddress(main, "w:wqqq", [INTERFACE_VERSION, glvndExports(), main, block.address]);
  if (accepted === 0) throw driverRefusal(path, "it refuses version 0.2 of libglvnd's interface; get a newer one");
  const imports = Object.fromEntries(
    Object.entries(REQUIRED).map(([name, offset]) => [name, block.view.getBigUint64(offset, true)]),
  ) as Readonly<Record<keyof typeof REQUIRED, bigint>>;
  const missing = Object.entries(imports).filter(([, address]) => address === 0n).map(([name]) => name);
  if (missing.length > 0) throw driverRefusal(path, `it does not fill in ${missing.join(", ")}; get a newer one`);
  checkApis(path, imports.getSupportsAPI);
  const ask = block.view.getBigUint64(GET_VENDOR_STRING, true);
  const told = ask === 0n ? 0n : invokeAddress(ask, "q:s", [PLATFORM_EXTENSIONS]) as bigint;
  return { ...imports, platformExtensions: readCString(told) };
}

function checkApis(path: string, getSupportsApi: bigint): void {
  if (CLIENT_APIS.some((api) => invokeAddress(getSupportsApi, "w:w", [api]) !== 0)) return;
  throw driverRefusal(path, "it supports neither OpenGL ES nor OpenGL; name another vendor's");
}

function checkFunctions(path: string, driver: EglDriver): void {
  const missing = FUNCTIONS.map((name) => `egl${name}`).filter((name) => driver.find(name, "egl") === 0n);
  if (missing.length === 0) return;
  const shown = missing.slice(0, 3).join(", ") + (missing.length > 3 ? ` and ${missing.length - 3} more` : "");
  throw driverRefusal(path, `it has no ${shown}; name another vendor's`);
}

/** Makes a driver that looks its functions up by name, as libglvnd does. */
function vendorDriver(library: Library, imports: Imports): EglDriver {
  const { getPlatformDisplay, getProcAddress, platformExtensions } = imports;
  // These functions come from the imports, because not every vendor finds them by name.
  const given = new Map([["eglGetPlatformDisplay", getPlatformDisplay], ["eglGetProcAddress", getProcAddress]]);
  const ask = (name: string) => given.get(name) ?? askProcAddress(getProcAddress, name);
  return driverOf({
    kind: "glvnd",
    libraries: [library],
    platformExtensions,
    exported: ask,
    ask,
    handle: () => undefined,
  });
}

const EXPORTS_SIZE = 96;
const TRUE = 1;

let shared: NativeBlock | undefined;

/**
 * The address of libglvnd's `__EGLapiExports`: the functions of the loader that a vendor library may call. The
 * functions are never freed, because vendors keep them, and stay loaded as long as they like.
 *
 * A vendor calls these functions only from its dispatch stubs, which nobody gets here: the vendor's own functions are
 * called instead. So each function only has to return a harmless value, on any thread.
 */
function glvndExports(): bigint {
  return (shared ??= makeExports()).address;
}

function makeExports(): NativeBlock {
  const block = new NativeBlock(EXPORTS_SIZE);
  const nothing = returning("q:", 0n), isTrue = returning("q:", BigInt(TRUE));
  const functions = [
    nothing, // void threadInit(void)
    returning("q:", BigInt(EGL_OPENGL_ES_API)), // EGLenum getCurrentApi(void)
    nothing, // __EGLvendorInfo *getCurrentVendor(void)
    nothing, // EGLContext getCurrentContext(void)
    nothing, // EGLDisplay getCurrentDisplay(void)
    nothing, // EGLSurface getCurrentSurface(EGLint readDraw)
    nothing, // void *fetchDispatchEntry(__EGLvendorInfo *vendor, int index)
    nothing, // void setEGLError(EGLint errorCode)
    isTrue, // EGLBoolean setLastVendor(__EGLvendorInfo *vendor)
    nothing, // __EGLvendorInfo *getVendorFromDisplay(EGLDisplay display)
    nothing, // __EGLvendorInfo *getVendorFromDevice(EGLDeviceEXT device)
    isTrue, // EGLBoolean setVendorForDevice(EGLDeviceEXT device, __EGLvendorInfo *vendor)
  ];
  functions.forEach((address, index) => block.view.setBigUint64(8 * index, address, true));
  return block;
}

/** The contents of a vendor's manifest. */
interface VendorManifest {
  /** The manifest file. */
  readonly path: string;
  /** The vendor library: absolute, or a bare name for the system's search path. */
  readonly library: string;
}

const KIND = "EGL vendor";

/**
 * Reads a manifest of libglvnd's. Only file_format_version 1.0 is known, with any third number. A library_path with a
 * folder is relative to the folder of the manifest, after links. Throws a {@linkcode DriverError} that says what is
 * wrong.
 */
export function readVendorManifest(path: string, host: Host): VendorManifest {
  const manifest = readManifest(path, KIND, host);
  checkFormat(path, requireText(path, KIND, manifest, "file_format_version"));
  if (!isObject(manifest.ICD)) throw refusal(path, 'it has no "ICD" object; write one with "library_path"');
  const named = requireText(path, KIND, manifest.ICD, "library_path");
  if (named.includes("\0")) throw refusal(path, '"library_path" holds a NUL; mend the file');
  return { path, library: resolveLibrary(named.includes("/") ? host.realPath(path) : path, named) };
}

function checkFormat(path: string, format: string): void {
  const [, major, minor = "0"] = /^(\d+)(?:\.(\d+))?/.exec(format) ?? [];
  if (Number(major) === 1 && Number(minor) === 0) return;
  throw refusal(path, `file_format_version is ${shortened(format)}; only 1.0 is known, write "1.0.0"`);
}

function refusal(path: string, what: string): DriverError {
  return new DriverError("bad-manifest", path, `Cannot use ${KIND} manifest "${path}": ${what}`);
}
