import type { Composer } from "../../composer.ts";
import { CALLBACK, CAPABILITY, CONNECTION, HDCP_LEVEL } from "../../device_types.ts";
import { ERROR, FORMAT } from "../../types.ts";
import { canWrite, checkCan, checkOneOf } from "./checks.ts";
import { type Device, hex } from "../device.ts";
import { refuse } from "../refusal.ts";
import { overlaysOf } from "../../planes/search/fit.ts";
import { planText } from "../../planes/frame_plan.ts";
import { nameOf } from "./display_calls.ts";
import type { Display } from "../display.ts";
import { IDENTITY } from "../../backends/colors/color_matrix.ts";

type DeviceCalls = Pick<
  Composer,
  | "getCapabilities"
  | "registerCallback"
  | "dump"
  | "createVirtualDisplay"
  | "destroyVirtualDisplay"
  | "getMaxVirtualDisplayCount"
  | "getLayerGenericMetadataKey"
  | "getDataspaceSaturationMatrix"
>;

/** Features of composer3 beside its frames. */
type FeatureCalls = Pick<
  Composer,
  | "getOverlaySupport"
  | "getDisplayDecorationSupport"
  | "getHdrConversionCapabilities"
  | "setHdrConversionStrategy"
  | "notifyExpectedPresent"
  | "setClientTargetSlotCount"
  | "getMaxLayerPictureProfiles"
  | "startHdcpNegotiation"
>;

const DEFAULT_COUNT = 4, DEFAULT_SIZE = 4096;
/** A client must not be told of more, or it stops to ask. */
const MOST_KEYS = 100;

/** The global capabilities of a device. */
export function capabilitiesOf({ options }: Device): number[] {
  return [
    ...(options.sideband === false ? [] : [CAPABILITY.SIDEBAND_STREAM]),
    ...(options.skipValidate === false ? [] : [CAPABILITY.SKIP_VALIDATE]),
    CAPABILITY.BOOT_DISPLAY_CONFIG,
    CAPABILITY.REFRESH_RATE_CHANGED_CALLBACK_DEBUG,
  ];
}

/** The keys of setLayerGenericMetadata. */
export function genericKeysOf({ options }: Device): readonly { readonly key: string; readonly mandatory: boolean }[] {
  return (options.genericMetadataKeys ?? [{ key: "com.pumice.note", mandatory: false }]).slice(0, MOST_KEYS);
}

/** The methods about the device as a whole. */
export function deviceCalls(device: Device): DeviceCalls {
  const { count = DEFAULT_COUNT, maxWidth = DEFAULT_SIZE, maxHeight = DEFAULT_SIZE } = device.options.virtualDisplays ??
    {};
  return {
    getCapabilities: () => capabilitiesOf(device),
    dump: () => dumpText(device),
    getMaxVirtualDisplayCount: () => count,
    getLayerGenericMetadataKey: (index) => genericKeysOf(device)[index],
    registerCallback(descriptor, callback) {
      checkOneOf("callback", descriptor, CALLBACK, CALLBACK.HOTPLUG);
      if (callback) device.callbacks.set(descriptor, callback);
      else device.callbacks.delete(descriptor);
      if (descriptor === CALLBACK.HOTPLUG) announce(device);
    },
    createVirtualDisplay(width, height, format) {
      const isSize = [width, height].every((value) => Number.isInteger(value) && value > 0);
      if (!isSize || width > maxWidth || height > maxHeight) {
        refuse(ERROR.UNSUPPORTED, `${width} x ${height} cannot be written; give 1 x 1 to ${maxWidth} x ${maxHeight}`);
      }
      if (device.virtualCount >= count) {
        refuse(ERROR.NO_RESOURCES, `there are ${count} virtual displays already; destroy one`);
      }
      const isWritten = format === FORMAT.IMPLEMENTATION_DEFINED || canWrite(format);
      return { display: device.makeVirtual(width, height).id, format: isWritten ? format : FORMAT.RGBA_8888 };
    },
    destroyVirtualDisplay(id) {
      const display = device.display(id);
      if (!display.virtual) refuse(ERROR.BAD_PARAMETER, "a physical display cannot be destroyed");
      device.remove(display);
    },
    getDataspaceSaturationMatrix(dataspace) {
      if (dataspace === 0) refuse(ERROR.BAD_PARAMETER, "UNKNOWN is no dataspace to saturate; give V0_SRGB_LINEAR");
      return [...IDENTITY];
    },
  };
}

/** The methods of composer3 about what a device can do beside its frames. */
export function featureCalls(device: Device): FeatureCalls {
  return {
    getOverlaySupport() {
      const models = [...device.displays.values()].filter(({ panel }) => panel).map(({ model }) => model);
      return overlaysOf(models);
    },
    getDisplayDecorationSupport: (id) => void device.display(id), // layers of DISPLAY_DECORATION are refused
    getHdrConversionCapabilities: () => [],
    setHdrConversionStrategy() {
      refuse(ERROR.UNSUPPORTED, "no output converts HDR; ask for getHdrConversionCapabilities() first");
    },
    /** Panels have the rate of their config: there is nothing to be prepared. */
    notifyExpectedPresent: (id) => void device.display(id),
    /** Buffers come as themselves here, not by slots. */
    setClientTargetSlotCount(id, count) {
      device.display(id);
      if (count < 0) refuse(ERROR.BAD_PARAMETER, `there cannot be ${count} buffers`);
    },
    getMaxLayerPictureProfiles(id) {
      device.display(id);
      checkCan(false, "process pictures by profiles");
      return 0;
    },
    startHdcpNegotiation(id, connectedLevel, maxLevel) {
      const { panel } = device.display(id), most = panel?.hdcp ?? HDCP_LEVEL.NONE;
      for (const level of [connectedLevel, maxLevel]) checkOneOf("HDCP level", level, HDCP_LEVEL);
      checkCan(LEVELS.indexOf(most) > 0, "protect its link");
      const agreed = LEVELS[Math.min(LEVELS.indexOf(most), rankOf(maxLevel))];
      // As with a panel that has to answer, the caller hears of it later.
      queueMicrotask(() => {
        if (device.displays.has(id)) device.emit(CALLBACK.HDCP_LEVELS_CHANGED, id, agreed, most);
      });
    },
  };
}

/** Versions of HDCP, the weakest protection first. */
const LEVELS: readonly number[] = [
  HDCP_LEVEL.NONE,
  HDCP_LEVEL.V1,
  HDCP_LEVEL.V2,
  HDCP_LEVEL.V2_1,
  HDCP_LEVEL.V2_2,
  HDCP_LEVEL.V2_3,
];

/** UNKNOWN asks for as much as there is, NO_OUTPUT for nothing. */
function rankOf(level: number): number {
  return level === HDCP_LEVEL.UNKNOWN ? LEVELS.length : Math.max(0, LEVELS.indexOf(level));
}

/** A new listener hears of every connected panel, in the order of their connection. */
function announce(device: Device): void {
  for (const { id, panel } of [...device.displays.values()]) {
    if (panel) device.emit(CALLBACK.HOTPLUG, id, CONNECTION.CONNECTED);
  }
}

/** Returns a text that describes the device's state, with a part for every display. */
function dumpText(device: Device): string {
  const displays = [...device.displays.values()].map(displayText);
  return ["Pumice reference composer", ...displays].join("\n\n") + "\n";
}

function displayText(display: Display): string {
  const { mode, plan, counts, model, powerMode, state, virtual, colorMode, layers } = display;
  const efficiency = counts.totalWork === 0 ? 100 : Math.round(100 * (1 - counts.gpuWork / counts.totalWork));
  const lines = [
    `${virtual ? "Virtual display" : "Display"} ${hex(display.id)} "${
      nameOf(display)
    }": ${mode.width} x ${mode.height} at ${mode.refreshRate} Hz`,
    `  power mode ${powerMode}, colour mode ${colorMode}, planes ${model.name}, frame ${state}, ${layers.size} layers`,
    `  validated ${counts.validated}, presented ${counts.presented}, flattened ${counts.flattened}, GPU work saved ${efficiency} %`,
  ];
  if (display.physical) lines.push(`  ${scanoutText(display)}`);
  return plan ? [...lines, `  ${planText(plan).replaceAll("\n", "\n  ")}`].join("\n") : lines.join("\n");
}

function scanoutText({ physical }: Display): string {
  const { counts: { shown, dropped, timedOut }, pending } = physical!.scanout;
  return `shown ${shown}, overtaken ${dropped}, fences given up ${timedOut}, waiting ${pending}`;
}
