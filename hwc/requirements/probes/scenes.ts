import { BLEND, FORMAT, type Rect } from "../../types.ts";
import { countLeft, type LayerSpec } from "../frame.ts";
import { passed, reported } from "../../../loader/requirements/requirement.ts";
import type { Outcome } from "../../../loader/requirements/verdict.ts";
import { GUIDE, type Probe } from "../probe.ts";
import { protectedBuffer } from "./protected.ts";
import type { ComposerSession } from "../session.ts";

type Scene = (session: ComposerSession) => LayerSpec[] | undefined;

/** Parts of the display, in hundredths of its width and height. */
function part({ screen: { right, bottom } }: ComposerSession, [left, top, toX, toY]: readonly number[]): Rect {
  const across = (percent: number) => Math.round(right * percent / 100);
  const down = (percent: number) => Math.round(bottom * percent / 100);
  return { left: across(left), top: down(top), right: across(toX), bottom: down(toY) };
}

/** A layer of a part's size. */
function at(session: ComposerSession, percents: readonly number[], blend: number = BLEND.PREMULTIPLIED): LayerSpec {
  const frame = part(session, percents);
  const size = { width: frame.right - frame.left, height: frame.bottom - frame.top };
  return { buffer: session.allocate(size), frame, blend };
}

const WHOLE = [0, 0, 100, 100], STATUS = [0, 0, 100, 5], NAVIGATION = [0, 92, 100, 100], CAPTIONS = [20, 80, 80, 90];
const CONTROLS = [0, 90, 100, 100], UPPER = [0, 5, 100, 48], LOWER = [0, 52, 100, 92], DIVIDER = [0, 48, 100, 52];

/** The scenes that Android asks composers to be prepared for. */
const SCENES: readonly (readonly [name: string, what: string, scene: Scene])[] = [
  ["home", "the home screen with status bar, system bar, application and live wallpaper", (session) => [
    at(session, WHOLE, BLEND.NONE),
    ...[WHOLE, STATUS, NAVIGATION].map((place) => at(session, place)),
  ]],
  ["game", "games that cover the screen", (session) => [at(session, WHOLE, BLEND.NONE)]],
  ["video", "video over the whole screen with captions and playback controls", (session) => [
    { buffer: session.allocate({ format: FORMAT.YV12 }) },
    at(session, CAPTIONS),
    at(session, CONTROLS),
  ]],
  ["protected-video", "protected video with captions", (session) => {
    const buffer = protectedBuffer(session, FORMAT.YV12);
    return buffer && [{ buffer }, at(session, CAPTIONS)];
  }],
  ["split-screen", "two applications side by side with bars", (session) => [
    ...[UPPER, LOWER].map((place) => at(session, place, BLEND.NONE)),
    ...[DIVIDER, STATUS, NAVIGATION].map((place) => at(session, place)),
  ]],
];

/** S12: scenes, of which it is told how much the device shows itself. */
export const SCENE_PROBES: readonly Probe[] = SCENES.map(([name, what, scene]) => ({
  id: "S12",
  rule: `composer.scene.${name}`,
  requirement: `The composer is prepared for ${what}.`,
  source: `${GUIDE}, algorithm`,
  advice: "give planes to the layers that take most work off the GPU",
  check: (session) => sceneResult(session, scene),
}));

async function sceneResult(session: ComposerSession, scene: Scene): Promise<Outcome> {
  const specs = scene(session);
  if (!specs) return reported("no protected buffer can be allocated here; give allocate");
  const left = await countLeft(session, specs);
  if (left === 0) return passed(`all ${specs.length} layers are shown by the device`);
  return reported(`${specs.length - left} of ${specs.length} layers are shown by the device`);
}
