// Pictures from numbers: which number is black and which white, which channels are seen, and how two pictures differ.

import { half } from "./layout.js";

const ARRAYS = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
};
/** Texels that a range or a histogram looks at, at most: every so many of a large picture. */
const LOOKED_AT = 2 ** 20;
/** Colours of differences from small to large. */
const HEAT = [[40, 44, 90], [30, 110, 170], [60, 180, 120], [250, 200, 60], [230, 60, 40]];

/** The texels of a picture as the server sends them. */
export class Texels {
  constructor({ width, height, stride, components, note, bytes, ...facts }) {
    Object.assign(this, { width, height, components, note, bytes, stride, facts, count: width * height });
    this.readers = components.map(({ type, offset }) => {
      const array = arrayOf(type, bytes, offset, stride);
      const size = type === "f16" ? 2 : array.BYTES_PER_ELEMENT;
      return type === "f16" ? { array, step: 1, start: 0 } : { array, step: stride / size, start: offset / size };
    });
  }

  /** The numbers of a texel, in the order of the components. */
  at(x, y) {
    return this.readers.map(({ array, step, start }) => array[start + (y * this.width + x) * step]);
  }

  /** The bytes of a texel as the picture has them, in hexadecimal digits. */
  hex(x, y) {
    const at = (y * this.width + x) * this.stride;
    return [...this.bytes.subarray(at, at + this.stride)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  /** The components of some channels, by their place; all colours where none of the channels is there. */
  places(channels) {
    const found = this.components.map(({ name }, place) => ({ name, place })).filter(({ name }) => channels.has(name));
    if (found.length > 0) return found.map(({ place }) => place);
    return this.components.map((_, place) => place).filter((place) => this.components[place].name !== "A");
  }
}

let halves;

/** Floats of 16 bits, which not every browser reads, become floats of 32, without the other components between them. */
function arrayOf(type, bytes, offset, stride) {
  if (type !== "f16") {
    return new ARRAYS[type](
      bytes.buffer,
      bytes.byteOffset,
      Math.floor(bytes.byteLength / ARRAYS[type].BYTES_PER_ELEMENT),
    );
  }
  halves ??= Float32Array.from({ length: 65536 }, (_, stored) => half(stored));
  const words = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2), step = stride / 2;
  const numbers = new Float32Array(words.length / step);
  for (let to = 0, at = offset / 2; to < numbers.length; to++, at += step) numbers[to] = halves[words[at]];
  return numbers;
}

/** The numbers that are black and white: those of the format, 0 and 1 for colours in floats, otherwise those of the pictures. */
export function rangeOf(pictures, channels, isFitted) {
  const [first] = pictures, limits = first.places(channels).map((place) => first.components[place].limits);
  if (!isFitted && limits.every(Boolean)) {
    return [
      Math.min(...limits.map(([low]) => low)),
      Math.max(...limits.map(([, high]) => high)),
    ];
  }
  const [{ name, meaning }] = first.components;
  if (!isFitted && name !== "D" && meaning.endsWith("FLOAT")) return [0, 1];
  let low = Infinity, high = -Infinity;
  for (const texels of pictures) {
    for (const place of texels.places(channels)) {
      const { array, step, start } = texels.readers[place], stride = step * Math.ceil(texels.count / LOOKED_AT);
      for (let at = start; at < array.length; at += stride) {
        const value = array[at];
        if (value < low && value !== -Infinity) low = value;
        if (value > high && value !== Infinity) high = value;
      }
    }
  }
  return low > high ? [0, 1] : [low, high];
}

/** Paints a picture. One channel alone is grey. */
export function paint(texels, channels, [low, high]) {
  const places = texels.places(channels), image = new ImageData(texels.width, texels.height), { data } = image;
  new Uint32Array(data.buffer).fill(0xff000000);
  const scale = high > low ? 255 / (high - low) : 0, isGrey = places.length === 1;
  for (const place of places) {
    const { array, step, start } = texels.readers[place];
    const channel = isGrey ? 0 : "RGB".indexOf(texels.components[place].name);
    if (channel < 0) continue;
    for (let at = start, to = channel; to < data.length; at += step, to += 4) {
      data[to] = (array[at] - low) * scale;
    }
  }
  if (isGrey) { for (let at = 0; at < data.length; at += 4) data[at + 1] = data[at + 2] = data[at]; }
  return image;
}

/** Returns how two pictures of one size differ: the texels, the largest difference and its place, with a picture. */
export function difference(one, other, channels) {
  const places = one.places(channels),
    image = new ImageData(one.width, one.height),
    apart = new Float64Array(one.count);
  let most = 0, finite = 0, where = 0, count = 0;
  for (const place of places) {
    const left = one.readers[place], right = other.readers[place];
    for (let index = 0, at = left.start; index < one.count; index++, at += left.step) {
      const a = left.array[at], b = right.array[at];
      if (a === b || (Number.isNaN(a) && Number.isNaN(b))) continue;
      const found = Math.abs(a - b), size = Number.isNaN(found) ? Infinity : found;
      if (apart[index] === 0) count++;
      if (size > apart[index]) apart[index] = size;
      if (size > finite && size < Infinity) finite = size;
      if (size > most) [most, where] = [size, index];
    }
  }
  paintHeat(image, apart, finite || 1);
  return { image, count, most, x: where % one.width, y: Math.floor(where / one.width) };
}

/** A picture of counts: none is dark, few are cold and many are hot. */
export function heatOf({ width, height, readers: [{ array }] }, most) {
  const image = new ImageData(width, height);
  paintHeat(image, array, most || 1);
  return image;
}

function paintHeat({ data }, apart, most) {
  const colours = Array.from({ length: 256 }, (_, index) => heatAt(index / 255)), words = new Uint32Array(data.buffer);
  const same = 0xff000000 | 24 << 16 | 20 << 8 | 20;
  for (let index = 0; index < apart.length; index++) {
    words[index] = apart[index] === 0 ? same : colours[Math.round(255 * Math.min(1, apart[index] / most))];
  }
}

/** The colour of a count in a picture of {@link heatOf}. */
export function heatColour(count, most) {
  const word = heatAt(Math.min(1, count / (most || 1)));
  return count === 0 ? "rgb(20 20 24)" : `rgb(${word & 255} ${word >> 8 & 255} ${word >> 16 & 255})`;
}

function heatAt(share) {
  const place = share * (HEAT.length - 1), low = Math.min(HEAT.length - 2, Math.floor(place)), rest = place - low;
  const [red, green, blue] = HEAT[low].map((each, channel) =>
    Math.round(each + (HEAT[low + 1][channel] - each) * rest)
  );
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

/** Returns the counts of numbers, in bins between two numbers, by channel. */
export function histogram(texels, channels, [low, high], bins = 128) {
  const scale = high > low ? bins / (high - low) : 0;
  return texels.places(channels).map((place) => {
    const { array, step, start } = texels.readers[place], counts = new Uint32Array(bins);
    const stride = step * Math.ceil(texels.count / LOOKED_AT);
    for (let at = start; at < array.length; at += stride) {
      const bin = Math.floor((array[at] - low) * scale);
      if (bin >= 0 && bin < bins) counts[bin]++;
      else if (array[at] === high) counts[bins - 1]++;
    }
    return { name: texels.components[place].name, counts };
  });
}

/** The colour of numbers of a texel, as a style has it. */
export function colourOf(numbers, components, [low, high]) {
  if (components[0].name === "fragments") return heatColour(numbers[0], high);
  const level = (place) => Math.max(0, Math.min(255, Math.round(255 * (numbers[place] - low) / (high - low || 1))));
  const places = ["R", "G", "B"].map((name) => components.findIndex((each) => each.name === name));
  if (places[0] < 0 || places.filter((place) => place >= 0).length === 1) {
    return `rgb(${level(0)} ${level(0)} ${level(0)})`;
  }
  return `rgb(${places.map((place) => place < 0 ? 0 : level(place)).join(" ")})`;
}
