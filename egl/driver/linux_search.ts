import { DriverError } from "../../loader/error.ts";
import { type ManifestCandidate, manifestsIn } from "../../loader/driver/search/search.ts";
import { type Finding, hiddenFolders } from "../../loader/driver/report/finding.ts";
import type { EglDriver } from "./egl_driver.ts";
import type { Search } from "./finding_list.ts";
import { openVendor, readVendorManifest } from "./glvnd_vendor.ts";
import { inFrame } from "../../ffi/arena.ts";
import { invokeAddress } from "../../ffi/invoke.ts";
import { LibrarySearch } from "./library_search.ts";
import { isThere, SYSTEM_FILES, systemFolder } from "./library_files.ts";
import { EGL_NONE, EGL_PLATFORM_DEVICE_EXT, EGL_PLATFORM_SURFACELESS_MESA } from "../gen/egl_constants_gen.js";
import type { Host } from "../../loader/driver/host/host.ts";
import { Variables } from "../../loader/driver/environment/variables.ts";

const FILENAMES = "__EGL_VENDOR_LIBRARY_FILENAMES", DIRS = "__EGL_VENDOR_LIBRARY_DIRS";
const FOLDERS = ["/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d"];

/** The candidate manifests, and whether a variable chose them. */
interface VendorCandidates {
  /** The candidates in order. */
  readonly manifests: readonly ManifestCandidate[];
  /** Whether the variable with a list of files chose them, so that no other driver is wanted. */
  readonly chosen: boolean;
}

/**
 * The vendor manifests in libglvnd's order: the files in `__EGL_VENDOR_LIBRARY_FILENAMES`, otherwise the files in the
 * folders of `__EGL_VENDOR_LIBRARY_DIRS`, otherwise those in libglvnd's own folders, sorted within each folder. Both
 * variables are ignored in an elevated process.
 */
function vendorManifests(host: Host, report: Finding[], root = ""): VendorCandidates {
  const variables = new Variables(host, report);
  const files = variables.honour(FILENAMES, "lists the only vendor manifests that count");
  if (files !== "") {
    variables.ignore(DIRS, `ignored, because ${FILENAMES} is set`);
    return { manifests: split(files).map((path) => ({ path, origin: FILENAMES })), chosen: true };
  }
  const folders = split(variables.honour(DIRS, "replaces the folders of vendor manifests"));
  const searched = folders.length > 0 ? folders : FOLDERS.map((folder) => root + folder);
  const origin = folders.length > 0 ? DIRS : "libglvnd's folders";
  return { manifests: searched.flatMap((folder) => manifestsIn(folder, origin, host, report)), chosen: false };
}

function split(value: string): string[] {
  return value.split(":").filter((entry) => entry !== "");
}

/**
 * Opens the drivers of Linux: every vendor that libglvnd would use, the one with a working display first; without
 * vendors the system's libEGL.so.1. Throws a {@linkcode DriverError} if there is none.
 */
export function findLinuxDrivers(search: Search): { drivers: EglDriver[]; source: "vendor" | "system" } {
  const { manifests, chosen } = vendorManifests(search.host, search.findings);
  const vendors = openVendors(manifests, search);
  if (vendors.length > 0) return { drivers: inOrder(vendors, search), source: "vendor" };
  const system = chosen ? undefined : openSystem(search);
  if (system) return { drivers: [system], source: "system" };
  throw new DriverError("not-found", "auto", nothing(search));
}

function openVendors(manifests: readonly ManifestCandidate[], search: Search): EglDriver[] {
  const vendors: EglDriver[] = [];
  for (const candidate of manifests) {
    const library = libraryOf(candidate, search);
    if (library === undefined) continue;
    const driver = search.attempt(library, candidate.path, () => openVendor(library));
    if (driver && isNew(driver, vendors, search)) vendors.push(driver);
  }
  return vendors;
}

function libraryOf({ path, origin }: ManifestCandidate, { host, findings }: Search): string | undefined {
  try {
    const { library } = readVendorManifest(path, host), reason = `names ${library}`;
    findings.push({ subject: "manifest", path, origin, taken: true, reason, level: "debug" });
    return library;
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    findings.push({ subject: "manifest", path, origin, taken: false, reason: error.message, level: "warning" });
  }
}

/** Whether a driver is not open yet. Two manifests may lead to one library, which the dynamic linker loads once. */
function isNew(driver: EglDriver, vendors: readonly EglDriver[], search: Search): boolean {
  const main = (each: EglDriver) => each.find("eglGetProcAddress", "egl");
  const same = vendors.find((each) => main(each) === main(driver));
  if (!same) return true;
  amendLast(search, { taken: false, reason: `the same library as ${same.path}, which came before` });
  driver.close();
  return false;
}

/** Puts the first vendor with a working display first. A single vendor is not probed. */
function inOrder(vendors: EglDriver[], search: Search): EglDriver[] {
  if (vendors.length === 1) return vendors;
  const working = vendors.findIndex((vendor) => works(vendor, search));
  if (working <= 0) return vendors;
  const [first] = vendors.splice(working, 1);
  return [first, ...vendors];
}

function works(vendor: EglDriver, { findings }: Search): boolean {
  const display = probeDisplay(vendor), index = findings.findIndex(({ path, taken }) => taken && path === vendor.path);
  const more = display
    ? `its ${display.platform} display works (EGL ${display.version}): goes first`
    : "no display of its works here";
  findings[index] = { ...findings[index], reason: `${findings[index].reason}; ${more}` };
  return display !== undefined;
}

function amendLast({ findings }: Search, change: { taken: boolean; reason: string }): void {
  findings.push({ ...findings.pop()!, ...change });
}

function nothing({ findings }: Search): string {
  const looked = findings.filter(({ subject, taken }) => !taken && (subject === "manifest" || subject === "driver"))
    .map(({ path, reason }) => `  ${path}: ${reason}`).join("\n");
  const seen = looked ? `looked at\n${looked}\n` : "";
  const advice = hiddenFolders(findings, "vendor manifests", /./) ??
    `${seen ? "" : "found no vendor manifest and no libEGL.so.1; "}install one (Debian: libegl1 libgles2)`;
  return `Cannot find an EGL driver: ${seen}${advice} or name its library with the driver option`;
}

/** EGL_NONE, which stands for "any platform" in libglvnd's interface. */
const ANY = EGL_NONE;

/** A display that a driver could initialize, and that has been terminated since. */
interface WorkingDisplay {
  /** The platform's name. */
  readonly platform: string;
  /** The EGL version, such as "1.5". */
  readonly version: string;
}

/**
 * Finds a vendor's first working display: the default one, one without surfaces, or that of the first device. Returns
 * `undefined` if none works. The display is initialized and terminated, so nobody else may use the driver at the same
 * time.
 */
function probeDisplay(driver: EglDriver): WorkingDisplay | undefined {
  const tries: [string, number, () => bigint][] = [
    ["default", ANY, () => 0n],
    ["surfaceless", EGL_PLATFORM_SURFACELESS_MESA, () => 0n],
    ["device", EGL_PLATFORM_DEVICE_EXT, () => firstDevice(driver)],
  ];
  for (const [platform, token, native] of tries) {
    const handle = native();
    if (token === EGL_PLATFORM_DEVICE_EXT && handle === 0n) continue;
    const version = initialize(driver, token, handle);
    if (version) return { platform, version };
  }
}

function initialize(driver: EglDriver, platform: number, native: bigint): string | undefined {
  const call = (name: string, signature: string, ...args: (number | bigint)[]) =>
    invokeAddress(driver.find(name, "egl"), signature, args);
  const display = call("eglGetPlatformDisplay", "q:wqq", platform, native, 0n) as bigint;
  if (display === 0n) return undefined;
  return inFrame((memory) => {
    const at = memory.alloc(8);
    if (call("eglInitialize", "w:qoo", display, at, at + 4) === 0) return undefined;
    call("eglTerminate", "w:q", display);
    return `${memory.view.getInt32(at, true)}.${memory.view.getInt32(at + 4, true)}`;
  });
}

/** The first EGLDeviceEXT; 0n if there is none. */
function firstDevice(driver: EglDriver): bigint {
  const query = driver.find("eglQueryDevicesEXT", "egl");
  if (query === 0n) return 0n;
  return inFrame((memory) => {
    const at = memory.alloc(16);
    // EGLBoolean eglQueryDevicesEXT(EGLint max_devices, EGLDeviceEXT *devices, EGLint *num_devices)
    const found = invokeAddress(query, "w:soo", [1, at, at + 8]) !== 0 && memory.view.getInt32(at + 8, true) > 0;
    return found ? memory.view.getBigUint64(at, true) : 0n;
  });
}

/**
 * Opens the system's own libEGL.so.1 with its companions, by path if one of the usual folders contains the library: the
 * soname would return a library of that name that this process has already loaded. Returns `undefined` if there is
 * none.
 */
function openSystem(search: Search): EglDriver | undefined {
  const folder = systemFolder((path) => isThere(path, search.host)), origin = "last resort";
  const libraries = new LibrarySearch(search, "");
  return libraries.three(
    (kind) => libraries.load(folder ? `${folder}/${SYSTEM_FILES[kind]}` : SYSTEM_FILES[kind], origin),
    origin,
  );
}
