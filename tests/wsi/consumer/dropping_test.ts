import { assertEquals } from "@std/assert";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { droppingConsumer } from "../../../wsi/consumer/dropping.ts";
import { bufferOf, FakeSource } from "./fake_source.ts";

Deno.test("droppingConsumer() gives frames back without waiting, with the fence of their drawing", () => {
  const consumer = droppingConsumer();
  using source = new FakeSource(consumer);
  using buffer = bufferOf(1, 4, 4);
  const { fence, signal } = NativeFence.create();
  source.put(buffer);
  source.queue(buffer, { fence });
  assertEquals([consumer.dropped, source.released, source.shown], [2, [1, 2], [1, 2]]);
  assertEquals(source.fences.map((each) => each!.poll()), [true, false]);
  signal();
  assertEquals(source.fences[1]!.poll(), true);
  source.put(buffer);
  consumer.pump(source);
  assertEquals(consumer.dropped, 3);
});
