import type { Composer } from "../../composer.ts";
import { CAPABILITY } from "../../device_types.ts";
import { BLEND, COMPOSITION, ERROR, type Rect, TRANSFORM } from "../../types.ts";
import { checkCan, checkMatrix, checkOneOf, checkThere } from "./checks.ts";
import { isIdentity } from "../../backends/colors/color_matrix.ts";
import { capabilitiesOf } from "./device_calls.ts";
import type { Device } from "../device.ts";
import type { Display } from "../display.ts";
import type { Layer } from "../layer.ts";
import { refuse } from "../refusal.ts";
import { movedTo } from "../output/scanout.ts";

type LayerCalls = Pick<
  Composer,
  | "createLayer"
  | "destroyLayer"
  | "setCursorPosition"
  | "setLayerBuffer"
  | "setLayerSurfaceDamage"
  | "setLayerBlendMode"
  | "setLayerColor"
  | "setLayerFloatColor"
  | "setLayerCompositionType"
  | "setLayerDataspace"
  | "setLayerDisplayFrame"
  | "setLayerPlaneAlpha"
  | "setLayerSidebandStream"
  | "setLayerSourceCrop"
  | "setLayerTransform"
  | "setLayerVisibleRegion"
  | "setLayerZOrder"
  | "setLayerColorTransform"
  | "setLayerBrightness"
  | "setLayerBlockingRegion"
>;

const DEFAULT_MOST = 512;

/** The methods about layers. */
export function layerCalls(device: Device): LayerCalls {
  /** Changes what validation looks at. */
  const set = (display: bigint, id: bigint, change: (layer: Layer) => void): void => {
    const found = device.layer(display, id);
    change(found.layer);
    found.display.modify();
  };
  return {
    createLayer: (display) => createLayer(device, device.display(display)),
    destroyLayer(display, id) {
      const { display: owner, layer } = device.layer(display, id);
      layer.close();
      owner.layers.delete(id);
      owner.modify();
    },
    setCursorPosition(display, id, x, y) {
      const { display: owner, layer } = device.layer(display, id);
      moveCursor(owner, layer, x, y);
    },
    setLayerBuffer(display, id, buffer, acquireFence) {
      const { display: owner, layer } = device.layer(display, id);
      const isOther = layer.setBuffer(checkThere("buffer", buffer), acquireFence);
      if (isOther) owner.modify();
    },
    setLayerSurfaceDamage(display, id, damage) {
      device.layer(display, id).layer.damage = copied(damage);
    },
    setLayerBlendMode: (display, id, mode) =>
      set(display, id, (layer) => {
        checkOneOf("blend mode", mode, BLEND, BLEND.NONE);
        layer.blend = mode;
      }),
    setLayerColor: (display, id, color) =>
      set(display, id, (layer) => {
        if (layer.composition !== COMPOSITION.SOLID_COLOR) return;
        const { r, g, b, a } = color;
        layer.color = { r: r / 255, g: g / 255, b: b / 255, a: a / 255 };
      }),
    setLayerFloatColor: (display, id, color) =>
      set(display, id, (layer) => {
        if (layer.composition === COMPOSITION.SOLID_COLOR) layer.color = { ...color };
      }),
    setLayerCompositionType: (display, id, type) =>
      set(display, id, (layer) => {
        checkComposition(device, type);
        layer.composition = type;
      }),
    setLayerDataspace: (display, id, dataspace) => set(display, id, (layer) => layer.dataspace = dataspace),
    setLayerDisplayFrame: (display, id, frame) => set(display, id, (layer) => layer.displayFrame = { ...frame }),
    setLayerPlaneAlpha: (display, id, alpha) =>
      set(display, id, (layer) => {
        if (!(alpha >= 0 && alpha <= 1)) refuse(ERROR.BAD_PARAMETER, `${alpha} is no opacity; give 0 to 1`);
        layer.planeAlpha = alpha;
      }),
    setLayerSidebandStream: (display, id, stream) =>
      set(display, id, (layer) => {
        checkCan(device.options.sideband !== false, "show sideband streams");
        if (stream === 0n) refuse(ERROR.BAD_PARAMETER, "there is no stream; give its handle");
        if (layer.composition === COMPOSITION.SIDEBAND) layer.sideband = stream;
      }),
    setLayerSourceCrop: (display, id, crop) => set(display, id, (layer) => layer.sourceCrop = { ...crop }),
    setLayerTransform: (display, id, transform) =>
      set(display, id, (layer) => {
        checkOneOf("transform", transform, TRANSFORM);
        layer.transform = transform;
      }),
    setLayerVisibleRegion: (display, id, visible) => set(display, id, (layer) => layer.visibleRegion = copied(visible)),
    setLayerZOrder: (display, id, z) => set(display, id, (layer) => layer.z = z >>> 0),
    setLayerColorTransform: (display, id, matrix) =>
      set(display, id, (layer) => {
        checkMatrix(matrix);
        layer.matrix = isIdentity(matrix) ? undefined : [...matrix];
      }),
    setLayerBrightness: (display, id, brightness) =>
      set(display, id, (layer) => {
        const isFactor = brightness >= 0 && brightness <= 1;
        if (!isFactor) refuse(ERROR.BAD_PARAMETER, `${brightness} is no brightness; give 0 to 1`);
        layer.brightness = brightness;
      }),
    setLayerBlockingRegion: (display, id, blocking) =>
      set(display, id, (layer) => layer.blockingRegion = copied(blocking)),
  };
}

function createLayer(device: Device, display: Display): bigint {
  const { maxLayers = DEFAULT_MOST } = device.options;
  if (display.layers.size >= maxLayers) {
    refuse(ERROR.NO_RESOURCES, `the display has ${maxLayers} layers already; destroy some`);
  }
  const layer = device.newLayer();
  display.layers.set(layer.id, layer);
  display.modify();
  return layer.id;
}

/** Between validation and presenting the plan must stay true. */
function moveCursor(display: Display, layer: Layer, x: number, y: number): void {
  if (layer.composition !== COMPOSITION.CURSOR) {
    refuse(ERROR.BAD_LAYER, `${layer.name} is no cursor; give it the composition type CURSOR first`);
  }
  if (display.state === "validated" || display.state === "changed") {
    refuse(ERROR.NOT_VALIDATED, "a cursor cannot move between validateDisplay and presentDisplay; present first");
  }
  layer.displayFrame = movedTo(layer.displayFrame, x, y);
  display.physical?.scanout.move(layer.id, x, y);
}

function checkComposition(device: Device, type: number): void {
  checkOneOf("composition type", type, COMPOSITION, COMPOSITION.CLIENT);
  const capabilities = capabilitiesOf(device);
  const can = type === COMPOSITION.SIDEBAND
    ? capabilities.includes(CAPABILITY.SIDEBAND_STREAM)
    : type < COMPOSITION.DISPLAY_DECORATION;
  checkCan(can, `compose layers of type ${type}`);
}

function copied(region: readonly Rect[]): Rect[] {
  return region.map((rect) => ({ ...rect }));
}
