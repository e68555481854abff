import type { Window } from "../../wsi/contract/window.ts";
import {
  EGL_CTA861_3_MAX_CONTENT_LIGHT_LEVEL_EXT,
  EGL_CTA861_3_MAX_FRAME_AVERAGE_LEVEL_EXT,
  EGL_SMPTE2086_DISPLAY_PRIMARY_RX_EXT,
  EGL_SMPTE2086_MIN_LUMINANCE_EXT,
} from "../gen/egl_constants_gen.js";

/** EGL_SMPTE2086_DISPLAY_PRIMARY_RX_EXT … _MIN_LUMINANCE_EXT, EGL_CTA861_3_… */
const FIRST_SMPTE = EGL_SMPTE2086_DISPLAY_PRIMARY_RX_EXT,
  LAST_SMPTE = EGL_SMPTE2086_MIN_LUMINANCE_EXT,
  MAX_CONTENT = EGL_CTA861_3_MAX_CONTENT_LIGHT_LEVEL_EXT,
  MAX_AVERAGE = EGL_CTA861_3_MAX_FRAME_AVERAGE_LEVEL_EXT;
const DONT_CARE = -1, SCALE = 50000;

/** Whether a surface attribute is HDR metadata. */
export function isMetadata(name: number): boolean {
  return name >= FIRST_SMPTE && name <= LAST_SMPTE || name === MAX_CONTENT || name === MAX_AVERAGE;
}

/** HDR metadata of a surface, as EGL's integers: 50,000 times the actual values. */
export class Metadata {
  readonly #values = new Map<number, number>();
  #changed = false;

  /** A value that was set; EGL_DONT_CARE before. */
  get(name: number): number {
    return this.#values.get(name) ?? DONT_CARE;
  }

  /** Sets a value, which the window gets at the next swap. */
  set(name: number, value: number): void {
    this.#changed ||= this.get(name) !== value;
    this.#values.set(name, value);
  }

  /** Gives the window the changed values, once they are complete. */
  tell(window: Window): void {
    if (!this.#changed) return;
    this.#changed = false;
    const smpte = this.#scaled(FIRST_SMPTE, LAST_SMPTE), cta = this.#scaled(MAX_CONTENT, MAX_AVERAGE);
    if (smpte) window.setBuffersSmpte2086(smpte2086(smpte));
    if (cta) window.setBuffersCta8613({ maxContentLightLevel: cta[0], maxFrameAverageLightLevel: cta[1] });
  }

  #scaled(first: number, last: number): number[] | undefined {
    const values = Array.from({ length: last - first + 1 }, (_, index) => this.get(first + index));
    return values.includes(DONT_CARE) ? undefined : values.map((value) => value / SCALE);
  }
}

function smpte2086(v: readonly number[]) {
  const at = (index: number) => ({ x: v[index], y: v[index + 1] });
  return { red: at(0), green: at(2), blue: at(4), white: at(6), maxLuminance: v[8], minLuminance: v[9] };
}
