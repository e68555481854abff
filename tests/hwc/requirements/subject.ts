import type { AsyncComposer, Composer } from "../../../hwc/composer.ts";
import { eightPlane } from "../../../hwc/planes/models.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { checkComposer } from "../../../hwc/requirements/check_composer.ts";
import type { Verdict } from "../../../loader/requirements/verdict.ts";

/** The length of a vsync at 60 Hz, nanoseconds. */
export const VSYNC = 16_666_667n;

/** Other answers of methods; `next` is the composer's own. */
export type Lies = {
  readonly [Name in keyof Composer]?: Composer[Name] extends (...args: infer Arguments) => infer Result
    ? (next: (...args: Arguments) => Result, ...args: Arguments) => Result | Promise<Result>
    : never;
};

/** A composer of one small panel on a clock that is moved, some of whose methods lie: what comes of it. */
export async function verdictsOf(
  options: ReferenceComposerOptions = {},
  lies: (composer: ReferenceComposer) => Lies = () => ({}),
): Promise<Map<string, Verdict>> {
  const clock = new ManualClock(), panels = [{ modes: [{ width: 64, height: 48, refreshRate: 60 }] }];
  using composer = createReferenceComposer({ clock, flattenAfter: 0, planes: eightPlane(), panels, ...options });
  const pass = async () => {
    clock.advance(VSYNC);
    await new Promise((resolve) => setTimeout(resolve));
  };
  const { verdicts } = await checkComposer(lying(composer, lies(composer)), { pass, passes: 20 });
  return new Map(verdicts.map((verdict) => [verdict.rule, verdict]));
}

function lying(composer: Composer, lies: Lies): AsyncComposer {
  const methods = Object.entries(lies).map(([name, lie]) => {
    const next = composer[name as keyof Composer] as (...args: unknown[]) => unknown;
    return [name, (...args: unknown[]) => (lie as (...args: unknown[]) => unknown)(next, ...args)];
  });
  return { ...composer, ...Object.fromEntries(methods) };
}
