import type { PanelMode } from "./panel.ts";

const HEADER = [0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0];
const MOST_PIXELS = 4095;

/**
 * Creates an EDID 1.4 block of 128 bytes for a panel, with its name, its preferred mode as a detailed timing, sRGB's
 * primaries, and a serial number.
 *
 * @example
 * ```ts
 * import { makeEdid } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * const edid = makeEdid("Panel", 1, { width: 1920, height: 1080, refreshRate: 60 });
 * assertEquals([edid.length, edid.reduce((sum, byte) => sum + byte) % 256], [128, 0]);
 * ```
 */
export function makeEdid(name: string, serial: number, mode: PanelMode): Uint8Array {
  const bytes = new Uint8Array(128), view = new DataView(bytes.buffer);
  bytes.set(HEADER);
  view.setUint16(8, manufacturer("PUM"));
  view.setUint16(10, 1, true);
  view.setUint32(12, serial >>> 0, true);
  bytes.set([1, 34, 1, 4, 0xa5], 16); // week, year from 1990, version 1.4, digital 8 bits
  bytes.set([60, 34, 120, 0x06], 21); // centimetres, gamma 2.2, sRGB and a preferred timing
  bytes.set([0xee, 0x91, 0xa3, 0x54, 0x4c, 0x99, 0x26, 0x0f, 0x50, 0x54], 25); // sRGB's primaries
  bytes.fill(1, 38, 54);
  bytes.set(detailedTiming(mode), 54);
  bytes.set(textDescriptor(0xfc, name), 72);
  bytes.set(textDescriptor(0xff, String(serial)), 90);
  bytes.set([0, 0, 0, 0x10], 108);
  bytes[127] = 256 - bytes.reduce((sum, byte) => sum + byte, 0) % 256;
  return bytes;
}

function manufacturer(letters: string): number {
  return [...letters].reduce((bits, letter) => bits << 5 | letter.charCodeAt(0) - 64, 0);
}

/** Bits of a timing are spread over the bytes: low bytes first, high nibbles together. */
function detailedTiming({ width, height, refreshRate }: PanelMode): Uint8Array {
  const [across, down] = [Math.min(width, MOST_PIXELS), Math.min(height, MOST_PIXELS)], blank = [160, 45];
  const clock = Math.min(0xffff, Math.round((across + blank[0]) * (down + blank[1]) * refreshRate / 10_000));
  const timing = new Uint8Array(18), high = (value: number) => value >> 8 & 15;
  timing.set([clock & 255, clock >> 8]);
  timing.set([across & 255, blank[0] & 255, high(across) << 4 | high(blank[0])], 2);
  timing.set([down & 255, blank[1] & 255, high(down) << 4 | high(blank[1])], 5);
  timing.set([48, 32, 0x35, 0, 600 & 255, 340 & 255, 2 << 4 | 1, 0, 0, 0x1e], 8);
  return timing;
}

function textDescriptor(tag: number, text: string): Uint8Array {
  const bytes = new Uint8Array(18).fill(0x20);
  bytes.set([0, 0, 0, tag, 0]);
  const ascii = text.replace(/[^\x20-\x7e]/g, "?").slice(0, 13);
  bytes.set([...ascii].map((letter) => letter.charCodeAt(0)), 5);
  if (ascii.length < 13) bytes[5 + ascii.length] = 0x0a;
  return bytes;
}
