import { assert, assertEquals, assertThrows } from "@std/assert";
import { inFrame } from "../../../../ffi/arena.ts";
import { mayGenerate } from "../../../../ffi/generated_code.ts";
import type { codec as Codecs } from "../../../../loader/codec/codec.ts";

/** The module as a process has it that used no struct yet: other tests of the process may have. */
async function freshCodecs(): Promise<typeof Codecs> {
  const { href } = new URL("../../../../loader/codec/codec.ts?fresh", import.meta.url);
  return (await import(href)).codec;
}

Deno.test("codec() works where code generation from strings is forbidden", async () => {
  assertEquals(mayGenerate(), true);
  const script = new URL("../no_eval.ts", import.meta.url).pathname;
  const args = ["run", "--no-config", "--allow-ffi", "--v8-flags=--disallow-code-generation-from-strings", script];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  const { generates, queues, message } = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(generates, false);
  assertEquals([queues[0].queueFamilyIndex, queues[0].queueCount, queues[0].pQueuePriorities], [1, 2, [0.5, 1]]);
  assertEquals(message, "VkDeviceCreateInfo.flag is not a member; did you mean flags?");
});

Deno.test("codec() makes the first call with closures and compiles at the second, with the same bytes, values and errors", async () => {
  const name = "VkPipelineSampleLocationsStateCreateInfoEXT", own = (await freshCodecs())(name);
  const { size, encode, decode } = own;
  const wrong = () => own.encode({ sampleLocationEnable: true }, 0); // the inner struct needs its array
  const sampleLocationsInfo = { sampleLocationsPerPixel: 4, sampleLocationGridSize: { width: 1, height: 2 } };
  inFrame((memory) => {
    const bytes = Array.from({ length: 3 }, (_, call) => {
      const at = memory.alloc(size);
      memory.bytes.fill(0, at, at + size); // what lies between members is left as it was
      own.encode({ sampleLocationsEnable: true, sampleLocationsInfo }, at);
      assertEquals(own.encode === encode, call === 0);
      return memory.bytes.slice(at, at + size);
    });
    assertEquals([bytes[1], bytes[2]], [bytes[0], bytes[0]]);
    assertThrows(wrong, TypeError, `${name}.sampleLocationEnable is not a member`);
    const at = memory.alloc(size);
    encode({ sampleLocationsInfo }, at); // a function that was kept from before
    const values = Array.from({ length: 3 }, (_, call) => {
      const value = own.decode(at);
      assertEquals(own.decode === decode, call === 0);
      return value;
    });
    assertEquals([values[1], values[2]], [values[0], values[0]]);
    assert((values[0].sampleLocationsInfo as { sampleLocationsPerPixel: number }).sampleLocationsPerPixel === 4);
  });
});
