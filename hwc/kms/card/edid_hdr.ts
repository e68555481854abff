import { HDR } from "../../device_types.ts";
import type { PanelHdr } from "../../core/panel/panel.ts";

/** EDID: the size of a block, and the number of blocks after the first. */
const BLOCK = 128, EXTENSIONS = 126;
/** CTA-861: the tag of the extension, the place where its data blocks end, and the place where they begin. */
const CTA = { tag: 2, end: 2, first: 4 };
/** A data block: its tag and length share a byte; an extended tag follows. The tags of the static HDR metadata. */
const LENGTH = 0x1f, TAG_SHIFT = 5, EXTENDED = 7, STATIC_HDR = 6;
/** The static HDR metadata: bits of the transfer functions, then codes of luminances. */
const DATA = { functions: 2, most: 4, average: 5, least: 6 };
/** Bits of the transfer functions. */
const PQ = 4, HLG = 8;
/** Luminances: 50 cd/m² times 2 to the code's 32nd; the least is a share of the most. */
const UNIT = 50, OCTAVE = 32, WHOLE = 255, HUNDRED = 100;

/** Reads what HDR a display shows, by CTA-861; `undefined` without HDR. Luminances that the display leaves out stay out. */
export function hdrOf(edid: Uint8Array): PanelHdr | undefined {
  for (let block = 1; block <= (edid[EXTENSIONS] ?? 0); block++) {
    const bytes = edid.subarray(block * BLOCK, (block + 1) * BLOCK);
    if (bytes.length < BLOCK || bytes[0] !== CTA.tag) continue;
    const found = dataBlocks(bytes).find((data) => data[0] >> TAG_SHIFT === EXTENDED && data[1] === STATIC_HDR);
    if (found) return hdrOfBlock(found);
  }
  return undefined;
}

function dataBlocks(bytes: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [], end = Math.min(bytes[CTA.end], BLOCK - 1);
  for (let at = CTA.first; at < end; at += 1 + (bytes[at] & LENGTH)) {
    blocks.push(bytes.subarray(at, Math.min(end, at + 1 + (bytes[at] & LENGTH))));
  }
  return blocks;
}

function hdrOfBlock(data: Uint8Array): PanelHdr | undefined {
  const functions = data[DATA.functions] ?? 0;
  const types = [...functions & PQ ? [HDR.HDR10] : [], ...functions & HLG ? [HDR.HLG] : []];
  if (types.length === 0) return undefined;
  const luminance = (code: number | undefined) => code ? UNIT * 2 ** (code / OCTAVE) : undefined;
  const maxLuminance = luminance(data[DATA.most]), maxAverageLuminance = luminance(data[DATA.average]);
  const least = data[DATA.least], share = least === undefined ? undefined : (least / WHOLE) ** 2 / HUNDRED;
  const minLuminance = share !== undefined && maxLuminance !== undefined ? maxLuminance * share : undefined;
  return {
    types,
    ...(maxLuminance === undefined ? {} : { maxLuminance }),
    ...(maxAverageLuminance === undefined ? {} : { maxAverageLuminance }),
    ...(minLuminance === undefined ? {} : { minLuminance }),
  };
}
