import { assertEquals, assertThrows } from "@std/assert";
import { Queues } from "../../../../workbench/recordings/replay/queues.ts";

const ALL = 7, COMPUTE = 2, TRANSFER = 4;
const family = (queueFlags: number, queueCount: number) => ({ queueFlags, queueCount });
const info = (queueFamilyIndex: number, ...pQueuePriorities: number[]) => ({ queueFamilyIndex, pQueuePriorities });

Deno.test("Queues takes the family that can do the same, or else one that can do more", () => {
  const recorded = [family(ALL, 1), family(COMPUTE, 1), family(TRANSFER, 1)];
  const same = new Queues(recorded, [family(TRANSFER, 1), family(ALL, 1), family(COMPUTE, 1)]);
  assertEquals([0, 1, 2].map((index) => same.family(index)), [1, 2, 0]);
  const more = new Queues(recorded, [family(1 | COMPUTE, 1)]);
  assertEquals([0, 1, 2].map((index) => more.family(index)), [0, 0, 0]);
  assertThrows(() => new Queues(recorded, [family(TRANSFER, 1)]).family(0), TypeError, "can do 0x7");
});

Deno.test("Queues asks for as many queues as there are, and deals them out to the recorded ones", () => {
  const queues = new Queues([family(ALL, 2), family(COMPUTE, 2)], [family(ALL, 3)]);
  assertEquals(queues.infos([info(0, 1, 0.5), info(1, 0.25, 0)]), [info(0, 1, 0.5, 0.25)]);
  assertEquals([queues.index(0, 0), queues.index(0, 1), queues.index(1, 0), queues.index(1, 1)], [0, 1, 2, 0]);
});
