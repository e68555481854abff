import { pick, randomBytes } from "../choices.ts";
import { ACCESS, STAGE } from "../bits.ts";
import type { Model } from "../model.ts";
import type { FuzzBuffer } from "../resources.ts";
import type { Action } from "./action.ts";

const WRITE = { stage: STAGE.transfer, access: ACCESS.transferWrite };
const READ = { stage: STAGE.transfer, access: ACCESS.transferRead };

/** Picks a part of a buffer, of whole words. */
function part({ choices }: Model, { size }: FuzzBuffer, most = size): { offset: number; size: number } {
  const words = choices.integer(1, Math.min(most, size) / 4), offset = 4 * choices.integer(0, size / 4 - words);
  return { offset, size: 4 * words };
}

/** Fills a part of a buffer with a word. */
export const fill: Action = (model) => {
  const buffer = model.buffer(4), { offset, size } = part(model, buffer);
  model.access({ buffer, ...WRITE });
  model.writer.command("vkCmdFillBuffer", {
    dstBuffer: buffer.name,
    dstOffset: offset,
    size,
    data: model.choices.integer(0, 0xffff_ffff),
  });
  buffer.writer = model.action;
  return { kind: "fill", format: "buffer" };
};

/** Writes data of the command buffer into a buffer. */
export const update: Action = (model) => {
  const buffer = model.buffer(4), { offset, size } = part(model, buffer, 1024);
  model.access({ buffer, ...WRITE });
  model.writer.command("vkCmdUpdateBuffer", {
    dstBuffer: buffer.name,
    dstOffset: offset,
    pData: randomBytes(model.choices, size),
  });
  buffer.writer = model.action;
  return { kind: "update", format: "buffer" };
};

/** Copies parts of a buffer to another. */
export const copyBuffer: Action = (model) => {
  const from = model.buffer(16), to = model.buffer(16, (each) => each !== from), { choices } = model;
  const { offset, size } = part(model, from, to.size);
  model.access({ buffer: from, ...READ }, { buffer: to, ...WRITE });
  const whole = { srcOffset: offset, dstOffset: choices.integer(0, to.size - size), size };
  const half = Math.floor(size / 2),
    pRegions = half > 0 && pick(choices, [false, true])
      ? [{ ...whole, size: half }, {
        srcOffset: whole.srcOffset + half,
        dstOffset: whole.dstOffset + half,
        size: size - half,
      }]
      : [whole];
  model.transfer("vkCmdCopyBuffer", { srcBuffer: from.name, dstBuffer: to.name, pRegions });
  to.writer = model.action;
  return { kind: "copyBuffer", format: "buffer" };
};
