import { REFERENCE_WHITE } from "./transfer.ts";

/** Light below this share of white is shown as it is. */
const KNEE = 0.75;
/** What PQ pictures that don't say are taken to reach, cd/m². */
const USUAL_PEAK = 1000;

/**
 * A curve that brings HDR light (1 is white, REFERENCE_WHITE cd/m²) into 0 to 1:
 * straight up to 3/4, and from there an extended Reinhard curve that begins with
 * the same slope and reaches 1 at the picture's peak, cd/m². It is to be used on
 * the brightest channel and the others scaled with it, so that hues stay.
 */
export function toneCurve(peak: number = USUAL_PEAK): (light: number) => number {
  const room = 1 - KNEE, most = (peak / REFERENCE_WHITE - KNEE) / room;
  if (!(most > 1)) return (light) => Math.min(light, 1);
  return (light) => {
    if (light <= KNEE) return light;
    const over = Math.min((light - KNEE) / room, most);
    return KNEE + room * over * (1 + over / (most * most)) / (1 + over);
  };
}
