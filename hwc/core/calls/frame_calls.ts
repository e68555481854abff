import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { Composer } from "../../composer.ts";
import { LAYER_REQUEST } from "../../device_types.ts";
import { COMPOSITION, DATASPACE, ERROR, FORMAT } from "../../types.ts";
import { formatName } from "../../planes/search/fit.ts";
import { canWrite, checkThere } from "./checks.ts";
import type { Device } from "../device.ts";
import type { Display } from "../display.ts";
import { dataspaceOf, present, transformsByDevice } from "../output/present.ts";
import { refuse } from "../refusal.ts";
import { clientOnly } from "../../planes/strategy.ts";
import { isIdentity } from "../../backends/colors/color_matrix.ts";

type FrameCalls = Pick<
  Composer,
  | "validateDisplay"
  | "getChangedCompositionTypes"
  | "getDisplayRequests"
  | "acceptDisplayChanges"
  | "setClientTarget"
  | "setOutputBuffer"
  | "presentDisplay"
  | "getReleaseFences"
  | "setReadbackBuffer"
  | "getReadbackBufferAttributes"
  | "getReadbackBufferFence"
  | "getClientTargetProperty"
  | "setExpectedPresentTime"
>;

/** The methods of a frame's cycle. */
export function frameCalls(device: Device): FrameCalls {
  return {
    validateDisplay(id) {
      const display = device.display(id);
      planDisplay(display);
      const numTypes = changesOf(display).length, numRequests = holesOf(display).length;
      return { result: numTypes > 0 ? ERROR.HAS_CHANGES : ERROR.NONE, numTypes, numRequests };
    },
    getChangedCompositionTypes: (id) => {
      const display = validated(device.display(id));
      return display.state === "changed" ? changesOf(display) : [];
    },
    getDisplayRequests(id) {
      const holes = holesOf(validated(device.display(id)));
      const layerRequests = holes.map((layer) => ({ layer, requests: LAYER_REQUEST.CLEAR_CLIENT_TARGET }));
      return { displayRequests: 0, layerRequests };
    },
    acceptDisplayChanges: (id) => accept(validated(device.display(id))),
    setClientTarget(id, target, acquireFence, dataspace, damage) {
      device.display(id).setClientTarget(open(target), acquireFence, { dataspace, damage: [...damage] });
    },
    setOutputBuffer(id, buffer, releaseFence) {
      const display = device.display(id);
      if (!display.virtual) refuse(ERROR.UNSUPPORTED, "a physical display has no output buffer");
      display.setOutput(writable(open(checkThere("output buffer", buffer))!), releaseFence);
    },
    presentDisplay: (id) => present(device, presentable(device, device.display(id))),
    getReleaseFences: (id) => device.display(id).releases.map(({ layer, flip }) => ({ layer, fence: flip.fence() })),
    setReadbackBuffer(id, buffer, releaseFence) {
      const display = readable(device.display(id));
      display.setReadback(writable(open(checkThere("readback buffer", buffer))!), releaseFence);
    },
    getReadbackBufferAttributes(id) {
      const { colorMode } = readable(device.display(id)), dataspace = dataspaceOf(colorMode);
      return { format: FORMAT.RGBA_8888, dataspace: dataspace || DATASPACE.V0_SRGB };
    },
    getReadbackBufferFence(id) {
      const { readbackFlip } = readable(device.display(id));
      return readbackFlip?.fence() ??
        refuse(ERROR.UNSUPPORTED, "no frame was read back; call setReadbackBuffer() first");
    },
    getClientTargetProperty: (id) => {
      validated(device.display(id));
      return { pixelFormat: FORMAT.RGBA_8888, dataspace: DATASPACE.UNKNOWN };
    },
    setExpectedPresentTime(id, timestamp) {
      device.display(id).expectedPresentTime = timestamp < 0n ? 0n : timestamp;
    },
  };
}

function open<Thing extends { readonly isClosed: boolean; readonly id: bigint } | null>(buffer: Thing): Thing {
  if (buffer?.isClosed) {
    refuse(ERROR.BAD_PARAMETER, `buffer ${buffer.id} is closed; keep it open until it was handed over`);
  }
  return buffer;
}

function writable(buffer: GraphicBuffer): GraphicBuffer {
  const { hal } = buffer.pixelFormat;
  if (!canWrite(hal)) refuse(ERROR.UNSUPPORTED, `${formatName(hal)} cannot be written; give RGBA_8888`);
  return buffer;
}

function validated(display: Display): Display {
  if (display.state === "modified") refuse(ERROR.NOT_VALIDATED, "the display changed; call validateDisplay() first");
  return display;
}

function readable(display: Display): Display {
  if (!display.panel?.readback) refuse(ERROR.UNSUPPORTED, "what this display shows cannot be read back");
  return display;
}

/** Gives the layers the composition types of the plan. Nothing else changes, so the plan stays valid. */
function accept(display: Display): void {
  if (display.state !== "changed") return;
  for (const { layer, type } of changesOf(display)) display.layers.get(layer)!.composition = type;
  display.state = "validated";
}

function presentable(device: Device, display: Display): Display {
  if (display.virtual && !display.output) {
    refuse(ERROR.NO_RESOURCES, "a virtual display needs an output buffer; call setOutputBuffer() first");
  }
  validated(display);
  if (display.state !== "changed") return display;
  if (!device.options.lenientPresent) {
    refuse(ERROR.NOT_VALIDATED, "there are changes that nobody accepted; call acceptDisplayChanges() first");
  }
  accept(display);
  return display;
}

const FLAT = clientOnly("the picture rests, and one plane takes less power");
const COLORS = clientOnly("no plane can transform the colours of the whole picture");

/** Decides who composes what of a display's layers, as they are now. */
function planDisplay(display: Display): void {
  const layers = [...display.layers.values()], { model, screen } = display;
  const copies = layers.map((layer) => layer.copy()), plan = strategyFor(display).plan(copies, model, screen);
  const isForClient = transformsByDevice(display) && plan.target !== undefined; // would be transformed twice
  display.plan = isForClient ? COLORS.plan(copies, model, screen) : plan;
  display.planned = layers;
  display.state = changesOf(display).length > 0 ? "changed" : "validated";
  display.counts.validated++;
}

function strategyFor(display: Display) {
  const { colorTransform, model } = display;
  if (!isIdentity(colorTransform) && !model.outputColorTransform && !transformsByDevice(display)) return COLORS;
  if (display.flatten !== "wanted") {
    display.flatten = "no";
    return display.strategy;
  }
  display.flatten = "done";
  display.counts.flattened++;
  return FLAT;
}

/** The layers that the plan wants composed otherwise. */
function changesOf(display: Display): { layer: bigint; type: number }[] {
  return display.plan!.decisions.flatMap(({ asked, given }, index) => {
    const layer = display.planned[index];
    return asked === given || asked === COMPOSITION.INVALID || !display.layers.has(layer.id)
      ? []
      : [{ layer: layer.id, type: given }];
  });
}

/** The layers that need a hole in the client target. */
function holesOf(display: Display): bigint[] {
  return display.plan!.decisions.flatMap(({ clearsTarget }, index) => clearsTarget ? [display.planned[index].id] : []);
}
