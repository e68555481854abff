import { CALLBACK, CONNECTION } from "../device_types.ts";
import { checkComposerOptions, type ReferenceComposerOptions } from "../core/options.ts";
import type { ReferenceComposer } from "../core/controls.ts";
import { Device } from "../core/device.ts";
import { composerOf } from "../core/device_composer.ts";
import type { ScanoutDevice } from "../core/output/scanout.ts";
import { makePanel, type PanelMode, type PanelOptions } from "../core/panel/panel.ts";
import { namingErrors, refuse } from "../core/refusal.ts";
import type { Timing } from "../core/time/vsyncs.ts";
import type { PlaneModel } from "../planes/plane.ts";
import { ERROR } from "../types.ts";

/**
 * Creates a hardware composer in TypeScript, with simulated panels, planes as data, a strategy, and virtual displays.
 * Frames appear at a panel's vsyncs, which a timer or a test's clock decides.
 *
 * @example A frame on a simulated panel
 * ```ts ignore
 * import { COMPOSITION, createReferenceComposer, ManualClock } from "@pumice/gfx/hwc";
 *
 * const clock = new ManualClock();
 * using composer = createReferenceComposer({ clock });
 * composer.registerCallback(1, (display) => console.log(composer.getDisplayName(display)));
 * ```
 */
export function createReferenceComposer(options: ReferenceComposerOptions = {}): ReferenceComposer {
  checkComposerOptions(options);
  const device = new Device(options), composer = { ...composerOf(device), ...panelControls(device) };
  for (const panel of options.panels ?? [{}]) composer.plug(panel);
  return composer;
}

/** A simulated panel: a frame appears at the next vsync. */
export function simulatedScreen(timing: Timing): ScanoutDevice {
  return {
    dueTime: (after) => timing.next(after),
    show: (_frame, due, appeared) => {
      appeared(due);
      return true;
    },
  };
}

/** The controls of simulated panels alone. */
function panelControls(device: Device) {
  return namingErrors({
    plug: (panel: PanelOptions): bigint => device.plug(panel, simulatedScreen).id,
    unplug: (id: bigint): void => device.unplug(device.display(id)),
    changeModes(id: bigint, modes: readonly PanelMode[]): void {
      const display = device.display(id);
      display.modes = makePanel({ modes }, 0).modes;
      display.activeConfig = 0;
      display.physical?.configSwitch.cancel();
      if (display.physical) device.setConfig(display, display.physical.timing, 0, device.clock.now());
      display.modify();
      device.emit(CALLBACK.HOTPLUG, id, CONNECTION.CONNECTED);
    },
    setPlanes(id: bigint, planes: PlaneModel): void {
      const display = device.display(id);
      if (!Array.isArray(planes?.planes)) refuse(ERROR.BAD_PARAMETER, "give a model of planes, such as fourPlane()");
      display.model = planes;
      device.refresh(display);
    },
  });
}
