import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { threadId } from "../../../ffi/machine.ts";
import { CallRing } from "../../../ffi/thunk/ring.ts";
import {
  createDebugMessenger,
  type DebugMessage,
  type DebugMessengerOptions,
  loadVulkan,
} from "../../../loader/mod.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { NEEDS_THREADS } from "../../ffi/thunk/ring_fixture.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withWrongCalls } from "./wrong_calls.ts";
import { until } from "../../support/until.ts";

const DRIVERS = [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const;
const validation = needs("Khronos validation layer", validationManifest());
const DEBUG_UTILS = { ppEnabledExtensionNames: ["VK_EXT_debug_utils"] };
const VALIDATION = 2, ERROR = 0x1000, OBJECT_TYPE_DEVICE = 3;

/** An instance under validation, and what a messenger hears of it. */
function validated(driver: string, options: DebugMessengerOptions = { interval: 0 }) {
  const vulkan = loadVulkan({ driver, layers: ["VK_LAYER_KHRONOS_validation"] });
  const instance = vulkan.vkCreateInstance(DEBUG_UTILS), heard: DebugMessage[] = [];
  const messenger = createDebugMessenger(instance, (message) => void heard.push(message), options);
  function close() {
    messenger.close();
    instance.close();
    vulkan.close();
  }
  return { instance, heard, messenger, [Symbol.dispose]: close };
}

for (const [name, driver] of DRIVERS) {
  const options = { ignore: needs(name, driver).ignore || validation.ignore || NEEDS_THREADS.ignore };

  Deno.test(`createDebugMessenger() tells of a wrong call at once on ${name}`, options, async () => {
    using parts = validated(driver!);
    await withWrongCalls(parts.instance, (calls, device) => {
      device.vkSetDebugUtilsObjectNameEXT({
        objectType: OBJECT_TYPE_DEVICE,
        objectHandle: device.handle,
        pObjectName: "the device",
      });
      calls.here();
      const [{ severity, types, messageIdName, messageIdNumber, message, objects, thread, truncated }] = parts.heard;
      assertEquals([severity, types, thread, truncated], [ERROR, VALIDATION, threadId(), false]);
      assertMatch(messageIdName, /^VUID-VkBufferCreateInfo-/);
      assertStringIncludes(message, messageIdName);
      assert(messageIdNumber !== 0);
      assertEquals(objects, [{ type: OBJECT_TYPE_DEVICE, handle: device.handle, name: "the device" }]);
    });
  });

  Deno.test(`createDebugMessenger() tells of another thread's wrong call, whole, on ${name}`, options, async () => {
    using parts = validated(driver!);
    await withWrongCalls(parts.instance, async (calls) => {
      await calls.nonblocking();
      assertEquals([parts.heard.length, parts.messenger.drain()], [0, 1]);
      calls.here();
      const [{ thread: there, ...first }, { thread: here, ...second }] = parts.heard;
      assertEquals(first, second);
      assertEquals([here, there === here], [threadId(), false]);
    });
  });

  Deno.test(`a messenger's timer tells of another thread's wrong call on ${name}`, options, async () => {
    using parts = validated(driver!, { interval: 2 });
    await withWrongCalls(parts.instance, async (calls) => {
      await calls.nonblocking();
      await until("a message is heard", () => parts.heard.length !== 0);
    });
    assertEquals(parts.heard.length, 1);
  });

  Deno.test(`validation that speaks on many threads at once deadlocks with nobody on ${name}`, options, () => {
    const { code, output, stdout } = runProgram("tests/loader/api/programs/contended_messages.ts", [driver!], {
      seconds: 120,
    });
    assertEquals(code, 0, output);
    assertEquals(JSON.parse(stdout), { made: 800, here: 201, elsewhere: 801, lost: 0 });
  });

  Deno.test(`a messenger closed while threads go on leaks nothing on ${name}`, options, async () => {
    new CallRing().close();
    const before = openBlocks();
    {
      using parts = validated(driver!, { records: 16 });
      using _other = createDebugMessenger(parts.instance, () => {}); // when nobody listens validation prints
      await withWrongCalls(parts.instance, (calls) => {
        calls.start(4, 1 << 30);
        while (parts.heard.every(({ thread }) => thread === threadId())) calls.here();
        parts.messenger.close();
        const heard = parts.heard.length;
        calls.here();
        assert(calls.stop() > 0);
        assertEquals(parts.heard.length, heard);
      });
    }
    new CallRing().close();
    assertEquals(openBlocks(), before);
  });

  Deno.test(`a messenger hears only what it asked for on ${name}`, options, async () => {
    using parts = validated(driver!, { severity: 0x100, interval: 0 });
    await withWrongCalls(parts.instance, (calls) => calls.here());
    assertEquals(parts.heard.filter(({ severity }) => severity !== 0x100), []);
  });

  Deno.test(`a messenger may outlive its instance, and listen to another on ${name}`, options, async () => {
    const heard: string[] = [];
    using messenger = createDebugMessenger(undefined, ({ messageIdName }) => {
      if (messageIdName.includes("VkBufferCreateInfo")) heard.push(messageIdName);
    });
    for (let round = 1; round <= 2; round++) {
      using vulkan = loadVulkan({ driver: driver!, layers: ["VK_LAYER_KHRONOS_validation"] });
      using instance = vulkan.vkCreateInstance({ ...DEBUG_UTILS, pNext: [messenger.info] });
      const listening = messenger.listen(instance);
      await withWrongCalls(instance, (calls) => calls.here());
      assertEquals(heard.length, round);
      if (round === 2) listening[Symbol.dispose]();
    }
  });
}

const some = lavapipePath() ?? swiftshaderPath();

Deno.test("createDebugMessenger() throws when it cannot listen, and for wrong options", needs("a driver", some), () => {
  using vulkan = loadVulkan({ driver: some });
  using instance = vulkan.vkCreateInstance({});
  new CallRing().close();
  const before = openBlocks();
  assertThrows(() => createDebugMessenger(instance, () => {}), TypeError, "enable the extension");
  assertEquals(openBlocks(), before);
  assertThrows(() => createDebugMessenger(undefined, () => {}, { recordSize: 100 }), RangeError, "512 to 65536");
  assertThrows(() => createDebugMessenger(undefined, () => {}, { records: 0 }), RangeError, "records");
  assertThrows(() => createDebugMessenger(undefined, () => {}, { interval: -1 }), RangeError, "0 or more");
  const closed = createDebugMessenger(undefined, () => {});
  closed.close();
  assertThrows(() => closed.listen(instance), TypeError, "the messenger is closed");
});
