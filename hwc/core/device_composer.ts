import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { FrameConsumer } from "../../wsi/contract/frame_consumer.ts";
import type { Window } from "../../wsi/contract/window.ts";
import { NativeWindow } from "../../wsi/window/native_window.ts";
import { checkingArguments } from "../arguments.ts";
import type { Composer } from "../composer.ts";
import { CALLBACK } from "../device_types.ts";
import { FUNCTION_NAMES } from "../function_names.ts";
import { configCalls } from "./calls/config_calls.ts";
import { contentCalls } from "./calls/content_calls.ts";
import type { ReferenceControls, ShownFrame } from "./controls.ts";
import type { Device } from "./device.ts";
import type { Display } from "./display.ts";
import { deviceCalls, featureCalls } from "./calls/device_calls.ts";
import { displayCalls } from "./calls/display_calls.ts";
import { frameCalls } from "./calls/frame_calls.ts";
import { layerCalls } from "./calls/layer_calls.ts";
import { ERROR } from "../types.ts";
import { composeScreen, settingsOf } from "./output/present.ts";
import { namingErrors, refuse } from "./refusal.ts";
import { WindowOutput } from "./output/window_output.ts";

/** The controls that any device has: a panel that comes, goes or changes by a script is a simulation's. */
type DeviceControls = Omit<ReferenceControls, "plug" | "unplug" | "changeModes" | "setPlanes">;

/** A composer on any device. */
export type DeviceComposer = Composer & DeviceControls;

/** The methods of a device, as a client calls them. */
export function composerOf(device: Device): DeviceComposer {
  const methods = checkingArguments({
    ...deviceCalls(device),
    ...displayCalls(device),
    ...configCalls(device),
    ...layerCalls(device),
    ...frameCalls(device),
    ...contentCalls(device),
    ...featureCalls(device),
  }, device);
  const calls = namingErrors({ ...methods, ...controls(device) });
  const close = () => device.close();
  const composer: DeviceComposer = {
    ...calls,
    getFunction: (descriptor) => {
      const name = FUNCTION_NAMES[descriptor];
      return name && composer[name] as (...args: never[]) => unknown;
    },
    close,
    [Symbol.dispose]: close,
  };
  return composer;
}

function controls(device: Device): DeviceControls {
  return {
    refresh: (id) => device.refresh(device.display(id)),
    blockSeamless(id, blocked) {
      device.display(id);
      const before = device.blocked.get(id);
      if (blocked) return void device.blocked.set(id, before ?? { refused: false });
      device.blocked.delete(id);
      if (before?.refused) device.emit(CALLBACK.SEAMLESS_POSSIBLE, id);
    },
    setStrategy(id, strategy) {
      const display = device.display(id);
      if (typeof strategy?.plan !== "function") refuse(ERROR.BAD_PARAMETER, "give a strategy, such as leastGpuWork()");
      display.strategy = strategy;
      device.refresh(display);
    },
    nameLayer: (id, layer, name) => void (device.layer(id, layer).layer.name = name),
    planes: (id) => device.display(id).model,
    plan: (id) => device.display(id).plan,
    shown: (id) => shownOn(device.display(id)),
    capture: (id, into) => capture(device, device.display(id), into),
    showOn: (id, where, onError) => showOn(device, device.display(id), where, onError),
    onFlip: (listener) => listen(device.listeners, listener),
    onCursor: (listener) => listen(device.cursorListeners, listener),
    onHotplug: (listener) => listen(device.hotplugListeners, listener),
    statistics(id) {
      const { counts: { presented, validated, flattened }, physical } = device.display(id);
      const { shown = 0, dropped = 0, timedOut = 0 } = physical?.scanout.counts ?? {};
      return { presented, validated, flattened, shown, overtaken: dropped, fencesGivenUp: timedOut };
    },
  };
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function shownOn({ physical }: Display): ShownFrame | undefined {
  const { onScreen, counts } = physical?.scanout ?? {};
  if (!onScreen) return undefined;
  const { plan, planned, queued: presented, ready = presented, appeared: shown = presented } = onScreen;
  const layers = plan.decisions.map(({ layer }, at) => {
    const moved = onScreen.layers.find(({ handle }) => handle === planned[at].handle);
    return { ...planned[at], place: (moved ?? layer).displayFrame };
  });
  return { number: counts!.shown, plan, layers, presented, ready, shown };
}

function capture(device: Device, display: Display, into: GraphicBuffer): void {
  const layers = display.physical?.scanout.onScreen?.layers ?? [];
  composeScreen(device.compositor, into, layers, settingsOf(display));
}

function showOn(
  device: Device,
  display: Display,
  where: Window | FrameConsumer,
  onError: ((error: unknown) => void) | undefined,
): () => void {
  const { width, height } = display.mode;
  const own = "onFrame" in where ? new NativeWindow({ width, height, consumer: where, onError }) : undefined;
  const output = new WindowOutput(own ?? where as Window);
  const show = (id: bigint, time: bigint = device.clock.now()) => {
    if (id === display.id) output.show(display.screen, time, (into) => capture(device, display, into));
  };
  const ends = [listen(device.listeners, show), listen(device.cursorListeners, (id: bigint) => show(id))];
  return () => {
    for (const end of ends) end();
    output.close();
    own?.close();
  };
}
