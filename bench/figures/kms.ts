import type { Figure } from "../figure.ts";
import { kmsLoop, simulatedLoop } from "../hwc/kms.ts";
import { compare } from "../measure.ts";

const FRAMES = 400;

/** The time of a frame without pixels on a card in memory: the plan, the kernel's answers and the commit. */
export function kmsFigures(): Figure[] {
  using card = kmsLoop();
  using simulated = simulatedLoop(card.planes);
  const { ours, theirs, extra } = compare((count) => card.frames(count), (count) => simulated.frames(count), FRAMES);
  return [
    {
      name: "kms_frame_us",
      meaning: "a frame of eight layers on a card in memory: validate and present",
      value: ours / 1000,
      unit: "µs",
      goal: 150,
    },
    { name: "kms_simulated_us", meaning: "the same on simulated planes", value: theirs / 1000, unit: "µs" },
    {
      name: "kms_extra_us",
      meaning: "what the card takes more, of the best rounds",
      value: extra / 1000,
      unit: "µs",
      goal: 60,
    },
  ];
}
