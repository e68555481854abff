import type { EglInfo } from "../../egl/info/egl_info.ts";
import { type BinderPlace, binderPlace } from "../../workbench/process/binder.ts";
import { cardOf, kmsCard } from "../../workbench/process/card.ts";
import type { CardOptions } from "../../hwc/mod.ts";
import type { ComposerInfo } from "../../hwc/info/composer_info.ts";
import { loadVulkan, requireDriver } from "../../loader/api/load_vulkan.ts";
import type { Vulkan, VulkanOptions } from "../../loader/mod.ts";
import { NATIVE_BUFFER } from "../../loader/terminator/android/hooks.ts";
import type { AndroidRelease } from "../../loader/driver/android/options.ts";
import { vkjson, type VkjsonInstance, type VkjsonOptions } from "../../loader/vkjson/vkjson.ts";
import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { withTwins } from "../../workbench/process/twin_option.ts";
import { twinName } from "../../workbench/process/twin_words.ts";
import { textIn } from "../../workbench/process/files.ts";
import type { JsonObject } from "../../loader/vkjson/json_value.ts";

// Loaded when they are needed: cli/commands.ts says why "as string".
type LoadEglModule = typeof import("../../egl/load_egl.ts");
type EglInfoModule = typeof import("../../egl/info/egl_info.ts");
type ComposerInfoModule = typeof import("../../hwc/info/composer_info.ts");
type CreateKmsComposerModule = typeof import("../../hwc/kms/create_kms_composer.ts");
type OverBinderModule = typeof import("../../hwc/binder/over_binder.ts");
type ReferenceComposerModule = typeof import("../../hwc/simulated/reference_composer.ts");
type OpenModule = typeof import("../../hwc/hwc2/open.ts");

/** The facts of a device that are the same through every loader. */
interface Named {
  readonly vendorID: number;
  readonly deviceID: number;
  readonly driverVersion: number;
  readonly deviceType: number;
  readonly deviceName: string;
}

/**
 * Puts the devices of several drivers into the order in which the drivers are named; a loader has an order of its own.
 * Returns for each place the index that its device had.
 */
function namedOrder({ devices }: VkjsonInstance, drivers: readonly string[], options: VulkanOptions): number[] {
  const left = devices.map((_, index) => index), order: number[] = [];
  for (const named of drivers.flatMap((driver) => devicesOf(driver, options))) {
    const at = left.findIndex((index) => keyOf(devices[index].properties as unknown as Named) === keyOf(named));
    if (at >= 0) order.push(...left.splice(at, 1));
  }
  return [...order, ...left];
}

/** The same report with its devices in another order; groups name their devices by index. */
function reordered(report: VkjsonInstance, order: readonly number[]): VkjsonInstance {
  const { devices, deviceGroups } = report;
  const groups = deviceGroups?.map((group: JsonObject) => ({
    ...group,
    devices: (group.devices as number[]).map((index) => order.indexOf(index)),
  }));
  return { ...report, devices: order.map((index) => devices[index]), ...groups ? { deviceGroups: groups } : {} };
}

function devicesOf(driver: string, options: VulkanOptions): readonly Named[] {
  using vulkan = loadVulkan({ ...options, driver, platform: "linux" });
  using instance = vulkan.vkCreateInstance({});
  return instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkGetPhysicalDeviceProperties());
}

function keyOf({ vendorID, deviceID, driverVersion, deviceType, deviceName }: Named): string {
  return [vendorID, deviceID, driverVersion, deviceType, deviceName].join(":");
}

/** Capabilities, and the kind of driver that has them. */
export type Report =
  | { readonly of: "vulkan"; readonly data: VkjsonInstance; readonly own?: readonly (number | undefined)[] }
  | { readonly of: "egl"; readonly data: EglInfo }
  | { readonly of: "composer"; readonly data: ComposerInfo };

/** Makes the report that a command line asks for: of a driver, or of a file. */
export function makeReport(request: Request): Report | Promise<Report> {
  const { operand, values } = request, { egl } = values;
  const [composer, kms] = [values.composer, values.kms] as (string | undefined)[];
  if (egl && (composer !== undefined || kms !== undefined)) {
    throw new WrongUse("info: --egl and --composer exclude each other: give one");
  }
  if (operand !== undefined) return readReport(operand);
  const card = kms === undefined ? kmsCard("--composer", composer ?? "") : cardOf("--kms", kms);
  if (card) return cardReport(card);
  const place = binderPlace("--composer", composer ?? "");
  if (place) return binderReport(place);
  if (egl) return eglReport(request);
  return composer === undefined ? vulkanReport(request) : composerReport(request, composer);
}

/** Reads a file of `info --json`. Throws {@linkcode WrongUse} for another file. */
export function readReport(path: string): Report {
  const data = parse(path);
  if (Array.isArray(data?.devices)) return { of: "vulkan", data: data as unknown as VkjsonInstance };
  if (Array.isArray(data?.contexts)) return { of: "egl", data: data as unknown as EglInfo };
  if (Array.isArray(data?.displays)) return { of: "composer", data: data as unknown as ComposerInfo };
  throw new WrongUse(
    `info: "${path}" has no devices, contexts or displays; give a file that info --json or vkjson wrote`,
  );
}

function parse(path: string): Record<string, unknown> | null {
  const text = textIn("info", path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WrongUse(`info: "${path}" is no JSON (${firstLine(error)}); give a file that info --json wrote`);
  }
}

function firstLine(error: unknown): string {
  return (error as Error).message.split("\n")[0];
}

function vulkanReport({ options, drivers, values }: Request): Report {
  const how = schemaOptions(values.release as string | undefined, values.quirks as string | undefined);
  using vulkan = requireDriver(loadVulkan(twinned(options, values.twin)));
  const data = vkjson(vulkan, how), own = ownNativeBuffers({ ...options, driver: driverOf(options, vulkan) });
  if (drivers.length < 2 || values.twin !== undefined) return { of: "vulkan", data, own };
  const order = namedOrder(data, drivers, options);
  return { of: "vulkan", data: reordered(data, order), own: order.map((index) => own[index]) };
}

/** The twin of `--twin` stands below all layers. */
function twinned(options: VulkanOptions, twin: unknown): VulkanOptions {
  if (typeof twin !== "string") return options;
  try {
    return withTwins({ ...options, layers: [...options.layers ?? [], twinName(twin)] });
  } catch (error) {
    if (error instanceof TypeError) throw new WrongUse(`--twin: ${error.message}`);
    throw error;
  }
}

/** The driver that was found, where Android's search has to be left out when it is opened again. */
function driverOf({ driver, platform }: VulkanOptions, vulkan: Vulkan): VulkanOptions["driver"] {
  return platform === "android" ? vulkan.driver : driver;
}

/** The revision of each device's own VK_ANDROID_native_buffer: Android's loader keeps that from applications, Linux's does not. */
function ownNativeBuffers(options: VulkanOptions): (number | undefined)[] {
  using vulkan = loadVulkan({ ...options, platform: "linux" });
  using instance = vulkan.vkCreateInstance({});
  return instance.vkEnumeratePhysicalDevices().map((gpu) =>
    gpu.vkEnumerateDeviceExtensionProperties().find(({ extensionName }) => extensionName === NATIVE_BUFFER)?.specVersion
  );
}

function schemaOptions(release: string | undefined, quirks: string | undefined): VkjsonOptions {
  if (quirks !== undefined && quirks !== "aosp") throw new WrongUse(`"${quirks}" is not a set of quirks: give aosp`);
  if (release === undefined) return { quirks };
  if (!/^1[4-7]$/.test(release)) throw new WrongUse(`"${release}" is not a known release: give 14, 15, 16 or 17`);
  return { quirks, release: Number(release) as AndroidRelease };
}

async function eglReport({ options, drivers }: Request): Promise<Report> {
  const [{ loadEgl }, { eglInfo }] = await Promise.all([
    import("../../egl/load_egl.ts" as string) as Promise<LoadEglModule>,
    import("../../egl/info/egl_info.ts" as string) as Promise<EglInfoModule>,
  ]);
  if (drivers.length > 1) throw new WrongUse("info --egl: give one driver");
  const { platform, root, systemProperties } = options;
  using egl = loadEgl({ driver: drivers[0], platform, root, systemProperties, log: console.error });
  return { of: "egl", data: eglInfo(egl) };
}

/** Reports the composer of a card. */
async function cardReport(card: CardOptions): Promise<Report> {
  const { composerInfo } = await import("../../hwc/info/composer_info.ts" as string) as ComposerInfoModule;
  const { createKmsComposer } = await import(
    "../../hwc/kms/create_kms_composer.ts" as string
  ) as CreateKmsComposerModule;
  using composer = createKmsComposer({ card });
  return { of: "composer", data: await composerInfo(composer) };
}

/** Reports a composer of another process. */
async function binderReport(place: BinderPlace): Promise<Report> {
  const { composerInfo } = await import("../../hwc/info/composer_info.ts" as string) as ComposerInfoModule;
  const { connectOverBinder } = await import("../../hwc/binder/over_binder.ts" as string) as OverBinderModule;
  await using composer = await connectOverBinder(place);
  return { of: "composer", data: await composerInfo(composer) };
}

/** Reports a vendor's composer by its path or name, or the composer with simulated panels. */
async function composerReport({ drivers }: Request, name: string): Promise<Report> {
  const { composerInfo } = await import("../../hwc/info/composer_info.ts" as string) as ComposerInfoModule;
  const given = name === "" ? drivers : [name, ...drivers];
  if (given.length > 1) throw new WrongUse("info --composer: give one composer, here or with --driver");
  if (given.length === 0) {
    const { createReferenceComposer } = await import(
      "../../hwc/simulated/reference_composer.ts" as string
    ) as ReferenceComposerModule;
    using composer = createReferenceComposer();
    return { of: "composer", data: await composerInfo(composer) };
  }
  const { openHwc2 } = await import("../../hwc/hwc2/open.ts" as string) as OpenModule;
  await using composer = openHwc2(given[0]);
  return { of: "composer", data: await composerInfo(composer) };
}
