/**
 * Serves a program at an address, both given as arguments, notes its calls that
 * concern buffers, and prints how many there were. The program may stop this
 * process, and waits for it without a limit.
 *
 * @module
 */
import { serveLayers } from "../../../loader/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { runServed } from "./programs.ts";

const [listen, ...line] = Deno.args;
let calls = 0;
const layer = defineLayer({
  name: "VK_LAYER_TEST_hearing",
  commands: {
    vkCreateBuffer: (next, ...args) => next(...args),
    vkDestroyBuffer: (next, ...args) => next(...args),
  },
  recorded: () => void calls++,
});
await using server = await serveLayers({ layers: [layer], listen, policies: "record", timeout: Infinity });
const served = await runServed(server, line, { SERVER: `${Deno.pid}` });
server.drain();
console.log(JSON.stringify({ served, calls, lost: server.lostCalls }));
