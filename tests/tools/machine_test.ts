import { assertEquals } from "@std/assert";
import { passOn } from "../../tools/vm/machine.ts";

/** Longer than a test's words take, and the silence of a machine that hangs: milliseconds. */
const LONG = 60_000, SHORT = 20;

/** A stream of texts, which ends behind them or says nothing more. */
function saying(texts: readonly string[], ends: boolean): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
      if (ends) controller.close();
    },
  });
}

Deno.test("a virtual machine's words are passed on to their end, or until it hangs", async () => {
  for (const [ends, silence] of [[true, LONG], [false, SHORT]] as const) {
    const said: string[] = [], texts = ["one ", "two"];
    const isHanging = await passOn(
      saying(texts, ends),
      (bytes) => said.push(new TextDecoder().decode(bytes)),
      silence,
    );
    assertEquals([said, isHanging], [texts, !ends]);
  }
});

Deno.test("a virtual machine that hangs can still say what its threads wait for", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(), writer = writable.getWriter();
  const said: string[] = [],
    listen = (silence: number) => passOn(readable, (bytes) => said.push(String(bytes)), silence);
  assertEquals(await listen(SHORT), true);
  const end = listen(LONG);
  await writer.write(new Uint8Array([7]));
  await writer.close();
  assertEquals([await end, said], [false, ["7"]]);
});
