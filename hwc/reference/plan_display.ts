import { COMPOSITION } from "../types.ts";
import { clientOnly } from "../planes/strategy.ts";
import { isIdentity } from "./color_matrix.ts";
import type { Display } from "./display.ts";

const FLAT = clientOnly("the picture rests, and one plane takes less power");
const COLORS = clientOnly("no plane can transform the colours of the whole picture");

/** Decides who composes what of a display's layers, as they are now. */
export function planDisplay(display: Display): void {
  const layers = [...display.layers.values()], { model, screen } = display;
  const strategy = strategyFor(display);
  display.plan = strategy.plan(layers.map((layer) => layer.copy()), model, screen);
  display.planned = layers;
  display.state = changesOf(display).length > 0 ? "changed" : "validated";
  display.counts.validated++;
}

function strategyFor(display: Display) {
  if (!isIdentity(display.colorTransform) && !display.model.outputColorTransform) return COLORS;
  if (display.flatten !== "wanted") {
    display.flatten = "no";
    return display.strategy;
  }
  display.flatten = "done";
  display.counts.flattened++;
  return FLAT;
}

/** The layers that the plan wants composed otherwise. */
export function changesOf(display: Display): { layer: bigint; type: number }[] {
  return display.plan!.decisions.flatMap(({ asked, given }, index) => {
    const layer = display.planned[index];
    return asked === given || asked === COMPOSITION.INVALID || !display.layers.has(layer.id)
      ? []
      : [{ layer: layer.id, type: given }];
  });
}

/** The layers that need a hole in the client target. */
export function holesOf(display: Display): bigint[] {
  return display.plan!.decisions.flatMap(({ clearsTarget }, index) => clearsTarget ? [display.planned[index].id] : []);
}
