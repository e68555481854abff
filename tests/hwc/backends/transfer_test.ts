import { assertAlmostEquals } from "@std/assert";
import { decodeTransfer, encodeTransfer } from "../../../hwc/backends/colors/transfer.ts";

/** Signals of white beside HDR, 203 cd/m², and of the brightest light, by ITU-R BT.2408 and SMPTE ST 2084. */
const PQ_WHITE = 0.5807, PQ_MOST = 10000 / 203;

Deno.test("1 is white in linear light: 58 % of a PQ signal", () => {
  assertAlmostEquals(decodeTransfer("ST2084", PQ_WHITE), 1, 1e-3);
  assertAlmostEquals(encodeTransfer("ST2084", 1), PQ_WHITE, 1e-4);
  assertAlmostEquals(decodeTransfer("ST2084", 1), PQ_MOST, 1e-9);
});

Deno.test("each curve is the inverse of its inverse, and mirrored below 0", () => {
  for (
    const transfer of ["LINEAR", "SRGB", "SMPTE_170M", "GAMMA2_2", "GAMMA2_6", "GAMMA2_8", "ST2084", "HLG"] as const
  ) {
    for (const signal of [0, 0.01, 0.25, 0.5, 0.75, 1]) {
      assertAlmostEquals(encodeTransfer(transfer, decodeTransfer(transfer, signal)), signal, 1e-6, transfer);
      assertAlmostEquals(decodeTransfer(transfer, -signal), -decodeTransfer(transfer, signal), 1e-12, transfer);
    }
  }
});
