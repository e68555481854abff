import { assertEquals } from "@std/assert";
import { ReadAhead } from "../../../../../workbench/recordings/view/server/read_ahead.ts";
import { Turns } from "../../../../../workbench/recordings/view/server/turns.ts";
import type { OpenRecording } from "../../../../../workbench/recordings/view/types.ts";

/** A recording with an action at every second event, whose contents have so many bytes. `onRead` hears of each. */
function withActions(count: number, size: number, onRead: (event: number) => void): OpenRecording {
  const events = Array.from({ length: 2 * count }, (_, id) => ({ id, isAction: id % 2 === 1 }));
  const piece = (id: number) => ({ name: `VkImage#${id} level 0 color`, resource: `VkImage#${id}`, image: {} });
  return {
    events,
    state: (id: number) => ({ resources: [{ role: "attachment 0", name: `VkImage#${id}` }] }),
    pieces: (id: number) => ({ readable: [piece(0), piece(id)], unread: new Map() }),
    contents(event: number, { only }: { only: string[] }) {
      assertEquals(only, [`VkImage#${event} level 0 color`]);
      onRead(event);
      return Promise.resolve([{ piece: piece(event), bytes: { length: size } }]);
    },
  } as unknown as OpenRecording;
}

/** Waits until a place in the row is free that was asked for so often. */
async function rest(turns: Turns, times = 200): Promise<void> {
  for (let at = 0; at < times; at++) await turns.take(() => Promise.resolve());
}

Deno.test("a driver reads ahead what follows the choice, then the beginning, and nothing twice", async () => {
  const read: number[] = [],
    turns = new Turns(),
    ahead = new ReadAhead(withActions(5, 1, (id) => read.push(id)), 0, turns);
  ahead.goOnFrom(4);
  await rest(turns);
  assertEquals(read, [5, 7, 9, 1, 3]);
  ahead.goOnFrom(0);
  await rest(turns);
  assertEquals(read.length, 5);
});

Deno.test("a driver reads ahead as much as the recording keeps, and goes on with the next choice", async () => {
  for (const [size, expected] of [[1, 32], [2 ** 26, 5]] as const) {
    const read: number[] = [], turns = new Turns();
    const ahead = new ReadAhead(withActions(100, size, (id) => read.push(id)), 0, turns);
    ahead.goOnFrom(0);
    await rest(turns);
    assertEquals(read.length, expected);
    ahead.goOnFrom(101);
    await rest(turns);
    assertEquals([read.length, read[expected]], [2 * expected, 103]);
  }
});

Deno.test("who asks waits for one action that is read ahead at most", async () => {
  const order: (number | string)[] = [], turns = new Turns();
  const ahead = new ReadAhead(withActions(20, 1, (id) => order.push(id)), 0, turns);
  ahead.goOnFrom(0);
  await turns.take(async () => void await Promise.resolve(order.push("asked")));
  assertEquals(order, [1, "asked"]);
  await rest(turns);
  assertEquals(order.length, 21);
});

Deno.test("a driver reads nothing ahead any more after a failure, or when the page is closed", async () => {
  const read: number[] = [], turns = new Turns();
  const failing = withActions(20, 1, (id) => {
    read.push(id);
    if (id === 5) throw new TypeError("the driver died");
  });
  const ahead = new ReadAhead(failing, 0, turns);
  ahead.goOnFrom(0);
  await rest(turns);
  assertEquals(read, [1, 3, 5]);
  ahead.goOnFrom(10);
  await rest(turns);
  assertEquals(read.length, 3);
  const closed = new ReadAhead(withActions(20, 1, (id) => read.push(id)), 0, turns);
  closed.goOnFrom(0);
  closed.stop();
  await rest(turns);
  assertEquals(read.length, 4);
});
