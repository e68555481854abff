import type { Composer } from "../../composer.ts";
import type { OverlayProperties } from "../../composer_records.ts";
import { HDCP_LEVEL } from "../../device_types.ts";
import { overlaysOf } from "../../planes/overlays.ts";
import { ERROR } from "../../types.ts";
import type { Device } from "../device.ts";
import { refuse } from "../refusal.ts";
import { checkCan, checkOneOf } from "./checks.ts";

type Composer3Calls = Pick<
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

/** The methods of composer3 about what a device can do beside its frames. */
export function composer3Calls(device: Device): Composer3Calls {
  return {
    getOverlaySupport: (): OverlayProperties => {
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
      device.display(id);
      for (const level of [connectedLevel, maxLevel]) checkOneOf("HDCP level", level, HDCP_LEVEL);
      checkCan(false, "protect its link");
    },
  };
}
