/** A premultiplied RGBA pixel of channels 0 to 1. */
export function pixel(red: number, green: number, blue: number, alpha: number = 1): number {
  const byte = (value: number) => Math.round(255 * Math.max(0, Math.min(1, value * alpha)));
  return (byte(red) | byte(green) << 8 | byte(blue) << 16 | Math.round(255 * alpha) << 24) >>> 0;
}
