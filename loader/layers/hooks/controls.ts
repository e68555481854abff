import type { LayerControls, LayerPlace } from "../../layer.ts";

/** Gives an object what can be done with its layers. */
export function withControls<Base extends object, Kind>(base: Base, controls: LayerControls<Kind>): Base {
  return Object.defineProperties(base, {
    attach: { value: (layer: Kind, place?: LayerPlace<Kind>) => controls.attach(layer, place) },
    detach: { value: (layer: Kind) => controls.detach(layer) },
    replace: { value: (old: Kind, layer: Kind) => controls.replace(old, layer) },
    drain: { value: () => controls.drain() },
    lostCalls: { get: () => controls.lostCalls },
    supports: { value: (command: string) => controls.supports(command) },
  });
}
