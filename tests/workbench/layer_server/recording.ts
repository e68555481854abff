/**
 * Serves a program at an address, both given as arguments, notes or profiles
 * its calls that make and destroy buffers, and prints how many there were. The
 * program may stop this process, and waits for it without a limit.
 *
 * @module
 */
import { apiProfile, serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { runServed } from "./programs.ts";

const [how, listen, ...line] = Deno.args, profile = apiProfile();
let calls = 0;
const layer = defineLayer({
  name: "VK_LAYER_TEST_hearing",
  commands: {
    vkCreateBuffer: (next, ...args) => next(...args),
    vkDestroyBuffer: (next, ...args) => next(...args),
  },
  recorded: () => void calls++,
});
const kind = how === "profile"
  ? { layers: [profile.layer] } as const
  : { layers: [layer], policies: "record" } as const;
const said: string[] = [], log = (message: string) => void said.push(message);
const server = await serveLayers({ ...kind, listen, timeout: Infinity, log });
const served = await runServed(server, line, { SERVER: `${Deno.pid}` });
server.drain();
await server.close();
const counted = profile.rows().filter(({ command }) => /(Create|Destroy)Buffer$/.test(command));
for (const row of counted) calls += row.calls;
console.log(JSON.stringify({ served, calls, lost: server.lostCalls, said }));
