import type { Action } from "./action.ts";
import { copyBuffer, fill, update } from "./buffers.ts";
import { fetch, lookup, mix, store, sum } from "./compute.ts";
import { blit, bufferToImage, clear, copyImage, imageToBuffer, resolve, upload } from "./images.ts";
import { draw, drawIndexed, drawIndexedIndirect, drawIndirect, query } from "./draw.ts";

/** All actions by name, the simplest first. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  fill,
  update,
  copyBuffer,
  clear,
  upload,
  bufferToImage,
  imageToBuffer,
  copyImage,
  blit,
  resolve,
  mix,
  sum,
  lookup,
  store,
  fetch,
  draw,
  drawIndexed,
  drawIndirect,
  drawIndexedIndirect,
  query,
};
