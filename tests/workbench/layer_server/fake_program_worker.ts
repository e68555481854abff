/// <reference lib="deno.worker" />
import { FakeProgram } from "./fake_program.ts";

/** Connects, makes one call, and posts the result and the kinds of the orders on the way. */
self.onmessage = async ({ data: { port, key, command, args } }) => {
  using program = await FakeProgram.connect({ port, key });
  program.orders.length = 0;
  const result = await program.call({ command, args });
  self.postMessage({ result, orders: program.orders });
};
