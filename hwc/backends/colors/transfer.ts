import type { Transfer } from "./dataspace.ts";

/** Candelas per square metre of 1 in linear light: SDR white beside HDR, as in ITU-R BT.2408. */
const WHITE = 203;
const PQ = { m1: 0.1593017578125, m2: 78.84375, c1: 0.8359375, c2: 18.8515625, c3: 18.6875 };
const HLG = { a: 0.17883277, b: 0.28466892, c: 0.55991073, peak: 1000 };

interface Curve {
  decode(encoded: number): number;
  encode(linear: number): number;
}

const CURVES: Readonly<Record<Transfer, Curve>> = {
  LINEAR: { decode: (value) => value, encode: (value) => value },
  SRGB: {
    decode: (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4,
    encode: (v) => v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055,
  },
  SMPTE_170M: {
    decode: (v) => v < 0.081 ? v / 4.5 : ((v + 0.099) / 1.099) ** (1 / 0.45),
    encode: (v) => v < 0.018 ? v * 4.5 : 1.099 * v ** 0.45 - 0.099,
  },
  GAMMA2_2: power(2.2),
  GAMMA2_6: power(2.6),
  GAMMA2_8: power(2.8),
  ST2084: { decode: decodePq, encode: encodePq },
  HLG: { decode: decodeHlg, encode: encodeHlg },
};

/** Linear light of an encoded value; 1 is white. Below 0 it is mirrored. */
export function decodeTransfer(transfer: Transfer, encoded: number): number {
  return Math.sign(encoded) * CURVES[transfer].decode(Math.abs(encoded));
}

/** The inverse of {@linkcode decodeTransfer}. */
export function encodeTransfer(transfer: Transfer, linear: number): number {
  return Math.sign(linear) * CURVES[transfer].encode(Math.abs(linear));
}

function power(gamma: number): Curve {
  return { decode: (v) => v ** gamma, encode: (v) => v ** (1 / gamma) };
}

function decodePq(encoded: number): number {
  const root = encoded ** (1 / PQ.m2);
  return (Math.max(root - PQ.c1, 0) / (PQ.c2 - PQ.c3 * root)) ** (1 / PQ.m1) * 10000 / WHITE;
}

function encodePq(linear: number): number {
  const root = (linear * WHITE / 10000) ** PQ.m1;
  return ((PQ.c1 + PQ.c2 * root) / (1 + PQ.c3 * root)) ** PQ.m2;
}

/** Scene light, as it is: the system's gamma is left to displays that have one. */
function decodeHlg(encoded: number): number {
  const scene = encoded <= 0.5 ? encoded * encoded / 3 : (Math.exp((encoded - HLG.c) / HLG.a) + HLG.b) / 12;
  return scene * HLG.peak / WHITE;
}

function encodeHlg(linear: number): number {
  const scene = linear * WHITE / HLG.peak;
  return scene <= 1 / 12 ? Math.sqrt(3 * scene) : HLG.a * Math.log(12 * scene - HLG.b) + HLG.c;
}
