import { assertEquals } from "@std/assert";
import { CHANNEL_SIZE, NOTE, RING_AT } from "../../../../workbench/layer_server/layout.ts";
import { Notes } from "../../../../workbench/layer_server/server/notes.ts";
import type { Transport } from "../../../../workbench/layer_server/server/transport.ts";

const CLAIMED = 1n, WRITTEN = 2n;

Deno.test("Notes waits for one that is being written unless these are the last ones, and counts it as unwritten then", () => {
  const view = new DataView(new ArrayBuffer(CHANNEL_SIZE)), told: number[] = [];
  const state = (at: number) => view.getUint32(at, true), free = (at: number) => view.setUint32(at, 0, true);
  const notes = new Notes({ view, state, free } as Transport);
  [WRITTEN, CLAIMED, WRITTEN].forEach((each, index) => {
    view.setBigUint64(RING_AT + index * NOTE.size, each, true);
    view.setBigUint64(RING_AT + index * NOTE.size + NOTE.command, BigInt(index), true);
  });
  const drain = (areLast: boolean) => notes.drain(({ command }) => told.push(command), areLast);
  assertEquals([drain(false), drain(false), told, notes.unwritten], [1, 0, [0], 0]);
  assertEquals([drain(true), told, notes.unwritten], [2, [0, 2], 1]);
});
