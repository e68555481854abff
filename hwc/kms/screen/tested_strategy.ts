import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { FramePlan } from "../../planes/frame_plan.ts";
import type { PlaneBuffer, PlaneLayer, PlaneModel } from "../../planes/plane.ts";
import { readsBuffer } from "../../planes/search/layer_facts.ts";
import { clientTargetLayer } from "../../planes/search/problem.ts";
import type { PlaneStrategy } from "../../planes/strategy.ts";
import { BLEND, COMPOSITION, type Rect } from "../../types.ts";
import { hdrDataspace, withDataspace } from "./colors.ts";
import type { KmsScreen } from "./kms_screen.ts";
import { needsScaling, probeScaling } from "./scaling_probe.ts";
import { visiblePart } from "./plane_state.ts";
import type { PlanePicture, Refusal } from "./screen_state.ts";
import { isSameRect } from "../../rects.ts";

/** The scene that a plan was made for. */
interface PlanScene {
  readonly layers: readonly PlaneLayer[];
  readonly model: PlaneModel;
  readonly area: Rect;
  /** The layers that the card cannot read, with the reasons. */
  readonly unreadable: ReadonlyMap<number, string>;
  /** Counts the changes of the screen's mode. */
  readonly generation: number;
}

/** The last plan of a screen, for frames in which nothing but pictures and damage has changed. */
class PlanMemory {
  #last: { readonly scene: PlanScene; readonly plan: FramePlan } | undefined;

  /** Returns the last plan with these layers; `undefined` if the scene is another one. */
  recall(scene: PlanScene): FramePlan | undefined {
    const { layers } = scene;
    if (!this.#last || !isSameScene(this.#last.scene, scene)) return undefined;
    const { plan } = this.#last;
    const decisions = plan.decisions.map(({ asked, given, plane, clearsTarget }, index) => {
      return { layer: layers[index], asked, given, plane, clearsTarget };
    });
    return { ...plan, decisions };
  }

  /** Remembers a plan. */
  keep(scene: PlanScene, plan: FramePlan): void {
    this.#last = { scene, plan };
  }

  /** Remembers none: the plan was made with an answer of the moment. */
  forget(): void {
    this.#last = undefined;
  }
}

function isSameScene(one: PlanScene, other: PlanScene): boolean {
  return one.model === other.model && one.generation === other.generation && isSameRect(one.area, other.area) &&
    one.unreadable.size === other.unreadable.size &&
    other.unreadable.entries().every(([index, why]) => one.unreadable.get(index) === why) &&
    one.layers.length === other.layers.length &&
    other.layers.every((layer, index) => isAlike(one.layers[index], layer));
}

/** Whether strategies cannot tell two layers apart, but for their pictures. */
function isAlike(one: PlaneLayer, other: PlaneLayer): boolean {
  return one.composition === other.composition && one.blend === other.blend && one.planeAlpha === other.planeAlpha &&
    one.transform === other.transform && one.z === other.z && one.dataspace === other.dataspace &&
    one.isProtected === other.isProtected && one.isCursor === other.isCursor && one.name === other.name &&
    one.color === other.color && one.colorTransform === other.colorTransform &&
    isSameRect(one.displayFrame, other.displayFrame) && isSameRect(one.sourceCrop, other.sourceCrop) &&
    isSameKind(one.buffer, other.buffer);
}

function isSameKind(one: PlaneBuffer | undefined, other: PlaneBuffer | undefined): boolean {
  if (!one || !other) return one === other;
  return one.width === other.width && one.height === other.height && one.format === other.format &&
    one.usage === other.usage && one.modifier === other.modifier;
}

/** The most times that a plan that the kernel refused is made again with a layer less. */
const MOST_TRIES = 6;
/** The number of the kernel's answers that are remembered. */
const MOST_ANSWERS = 512;

/**
 * A strategy whose plans the kernel has agreed to. A layer on a plane that the
 * kernel refuses goes to the client, the smallest first; the reason is told by
 * the plan.
 */
export function testedStrategy(
  inner: PlaneStrategy,
  screen: KmsScreen,
  target: () => GraphicBuffer,
  learned: (model: PlaneModel) => void,
): PlaneStrategy {
  const answers = new Map<string, Refusal | undefined>(), memory = new PlanMemory();
  let generation = 0, isLasting = true, isProbed = false;
  /** The model, with what planes scale once a layer asks for that. */
  const completed = (layers: readonly PlaneLayer[], model: PlaneModel, area: Rect) => {
    if (isProbed || screen.isUnseen || !needsScaling(layers)) return model;
    const { planes } = screen, test = (pictures: readonly PlanePicture[]) => screen.test(pictures);
    const whole = probeScaling(model, { planes: planes.byName, picture: target(), area, test });
    isProbed = whole !== undefined;
    if (whole) learned(whole);
    else isLasting = false;
    return whole ?? model;
  };
  /** Answers of the moment are not remembered. */
  const ask = (plan: FramePlan, layers: readonly PlaneLayer[], area: Rect) => {
    const key = keyOf(plan, layers);
    if (answers.has(key)) return answers.get(key);
    if (screen.isUnseen) isLasting = false;
    if (screen.isUnseen) return undefined;
    const refusal = screen.test(picturesOf(plan, layers, screen, target(), area));
    if (answers.size >= MOST_ANSWERS) answers.clear();
    if (refusal?.lasts !== false) answers.set(key, refusal);
    else isLasting = false;
    return refusal;
  };
  const make = (layers: readonly PlaneLayer[], model: PlaneModel, area: Rect, unreadable: Reasons) => {
    const refused = new Map(unreadable);
    let plan = planWithout(inner, layers, model, area, refused);
    for (let tries = 0; plan.stack.length > 0; tries++) {
      const refusal = ask(plan, layers, area);
      if (!refusal) break;
      const next = tries < MOST_TRIES
        ? [culpritOf(plan, refusal) ?? smallestOf(plan, layers)].filter((index) => index !== undefined)
        : shownBy(plan);
      if (next.length === 0) break; // the client target alone is refused: nothing is left to try
      for (const index of next) refused.set(index, refusal.why);
      plan = planWithout(inner, layers, model, area, refused);
    }
    return plan;
  };
  /** HDR is shown as it is or not at all: with a layer of the client, whose target has none, planes show no HDR. */
  const makeBest: typeof make = (layers, model, area, unreadable) => {
    const dataspace = hdrDataspace(screen.connector, layers);
    const plan = dataspace && make(layers, withDataspace(model, dataspace), area, unreadable);
    return plan && plan.target === undefined ? plan : make(layers, model, area, unreadable);
  };
  return {
    name: inner.name,
    plan(layers, model, area) {
      const unreadable = whyUnreadable(layers, model, screen);
      if (generation !== screen.generation) answers.clear();
      generation = screen.generation;
      const scene = { layers, model, area, unreadable, generation }, known = inner.repeats && memory.recall(scene);
      if (known) return known;
      isLasting = true;
      const whole = completed(layers, model, area), plan = makeBest(layers, whole, area, unreadable);
      if (isLasting) memory.keep({ ...scene, model: whole }, plan);
      else memory.forget();
      return plan;
    },
  };
}

/** The reasons why layers are left to the client, by the layers' index. */
type Reasons = ReadonlyMap<number, string>;

/** The layers whose buffers the card cannot read, with the reasons. */
function whyUnreadable(layers: readonly PlaneLayer[], model: PlaneModel, screen: KmsScreen): Reasons {
  const [first] = model.planes, plane = screen.planes.byName.get(first.name)!, refused = new Map<number, string>();
  layers.forEach((layer, index) => {
    if (layer.composition === COMPOSITION.CLIENT) return;
    const { buffer } = layer,
      why = !readsBuffer(layer)
        ? whyUnshown(layer)
        : buffer && screen.whyUnreadable(plane, layer, buffer as GraphicBuffer);
    if (why !== undefined) refused.set(index, why);
  });
  return refused;
}

/** Returns why cards might show a colour otherwise than the client; `undefined` if they show it alike. */
function whyUnshown({ composition, blend, color }: PlaneLayer): string | undefined {
  if (composition !== COMPOSITION.SOLID_COLOR || !color || blend !== BLEND.PREMULTIPLIED) return undefined;
  return Math.max(color.r, color.g, color.b) > color.a ? "its colour is brighter than its alpha allows" : undefined;
}

/** A plan in which the client composes some layers, which then says why. */
function planWithout(
  inner: PlaneStrategy,
  layers: readonly PlaneLayer[],
  model: PlaneModel,
  area: Rect,
  refused: Reasons,
): FramePlan {
  const allowed = layers.map((layer, index) =>
    refused.has(index) ? { ...layer, composition: COMPOSITION.CLIENT } : layer
  );
  const plan = inner.plan(allowed, model, area), reasons = new Map(refused);
  if (reasons.size === 0) return plan;
  const asked = <Decision extends { asked: number }>(each: Decision, index: number) =>
    reasons.has(index) ? { ...each, asked: layers[index].composition } : each;
  return {
    ...plan,
    decisions: plan.decisions.map((each, index) => asked({ ...each, layer: layers[index] }, index)),
    explain: () =>
      plan.explain().map((finding, index) => {
        const reason = reasons.get(index);
        if (reason === undefined) return finding;
        return { ...asked(finding, index), taken: false, reason: `the client composes it: ${reason}` };
      }),
  };
}

function shownBy(plan: FramePlan): number[] {
  return plan.stack.map(({ layer }) => layer).filter((layer) => layer >= 0);
}

/** The layer that the card cannot show; `undefined` if no single layer is. */
function culpritOf({ stack }: FramePlan, { at }: Refusal): number | undefined {
  const index = at === undefined ? undefined : stack[at]?.layer;
  return index === undefined || index < 0 ? undefined : index;
}

/** The layer on a plane that costs the client least. */
function smallestOf(plan: FramePlan, layers: readonly PlaneLayer[]): number | undefined {
  const area = (index: number) => {
    const { left, top, right, bottom } = layers[index].displayFrame;
    return (right - left) * (bottom - top);
  };
  return shownBy(plan).sort((one, other) => area(one) - area(other))[0];
}

/** Returns the facts that decide whether the kernel agrees: places, formats and planes, not which buffer it is. */
function keyOf(plan: FramePlan, layers: readonly PlaneLayer[]): string {
  return JSON.stringify(plan.stack.map(({ plane, layer }) => {
    if (layer < 0) return [plane];
    const { buffer, displayFrame, sourceCrop, transform, blend, planeAlpha } = layers[layer];
    const { width, height, format, modifier } = buffer ?? { width: 0, height: 0, format: 0 };
    return [plane, width, height, format, `${modifier}`, displayFrame, sourceCrop, transform, blend, planeAlpha];
  }));
}

function picturesOf(
  { stack }: FramePlan,
  layers: readonly PlaneLayer[],
  screen: KmsScreen,
  target: GraphicBuffer,
  area: Rect,
): PlanePicture[] {
  return stack.flatMap(({ plane: name, layer: index }): PlanePicture[] => {
    const plane = screen.planes.byName.get(name)!,
      layer = index < 0 ? { ...clientTargetLayer(area), buffer: target } : layers[index];
    if (!readsBuffer(layer)) return [{ plane, layer: visiblePart(layer, area), buffer: undefined }];
    return layer.buffer ? [{ plane, layer, buffer: layer.buffer as GraphicBuffer }] : [];
  });
}
