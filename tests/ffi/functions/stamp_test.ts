import { assertEquals, assertThrows } from "@std/assert";
import { arena, inFrame } from "../../../ffi/arena.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { declareStamps, setLoaderDataAddress, stampAddress } from "../../../ffi/functions/stamp.ts";
import { fixture, NEEDS_FIXTURE } from "../fixture.ts";

const COMMANDS = ["get_queue", "get_queue2", "enumerate", "allocate", "enumerate_groups"];
/** As in a real table, the hidden commands lie some way behind. */
const offset = (name: string) => 8 * (100 + COMMANDS.indexOf(name));

const GROUP = { count: 16, handles: 24, most: 32, size: 288 };
const FAILURE = 0xffff_fffd;

declareStamps([
  {
    name: "get_queue",
    handles: "one",
    argument: 3,
    result: false,
    hiddenOffset: offset("get_queue"),
    failure: FAILURE,
  },
  {
    name: "get_queue2",
    handles: "one",
    argument: 2,
    result: false,
    hiddenOffset: offset("get_queue2"),
    failure: FAILURE,
  },
  {
    name: "enumerate",
    handles: "array",
    argument: 2,
    result: true,
    hiddenOffset: offset("enumerate"),
    failure: FAILURE,
  },
  {
    name: "allocate",
    handles: "allocated",
    argument: 2,
    result: true,
    lengthAt: 28,
    hiddenOffset: offset("allocate"),
    failure: FAILURE,
  },
  {
    name: "enumerate_groups",
    handles: "groups",
    argument: 2,
    result: true,
    groupPlaces: GROUP,
    hiddenOffset: offset("enumerate_groups"),
    failure: FAILURE,
  },
]);

/** Runs with an object whose table has the fake driver's commands; gives the object's and the table's address. */
function withObject(run: (object: bigint, table: bigint) => void): void {
  inFrame((memory) => {
    const table = memory.alloc(8 * 110), object = memory.alloc(8);
    for (const name of COMMANDS) memory.view.setBigUint64(table + offset(name), fixture(name), true);
    memory.view.setBigUint64(object, memory.address(table), true);
    invokeAddress(fixture("reset"), "v:", []);
    run(memory.address(object), memory.address(table));
  });
}

const key = (index: number) => invokeAddress(fixture("key"), "q:w", [index]);

Deno.test("a terminator stamps the one handle a void command returns, unless it is NULL", NEEDS_FIXTURE, () => {
  withObject((object, table) => {
    const memory = arena(), out = memory.alloc(8), info = memory.alloc(4);
    invokeAddress(stampAddress("get_queue"), "v:qwwo", [object, 0, 5, out]);
    assertEquals([memory.view.getBigUint64(out, true), key(5)], [invokeAddress(fixture("object"), "q:w", [5]), table]);
    memory.view.setUint32(info, 6, true);
    invokeAddress(stampAddress("get_queue2"), "v:qoo", [object, info, out]);
    assertEquals([key(5), key(6)], [table, table]);
    invokeAddress(stampAddress("get_queue"), "v:qwwo", [object, 0, 99, out]);
    assertEquals(memory.view.getBigUint64(out, true), 0n);
  });
});

Deno.test("a terminator stamps an array, all of it or the part that fitted", NEEDS_FIXTURE, () => {
  withObject((object, table) => {
    const memory = arena(), count = memory.alloc(4), out = memory.alloc(64);
    memory.view.setUint32(count, 2, true);
    assertEquals(invokeAddress(stampAddress("enumerate"), "s:qoo", [object, count, 0]), 0);
    assertEquals([memory.view.getUint32(count, true), key(2)], [3, 0n]);
    memory.view.setUint32(count, 2, true);
    assertEquals(invokeAddress(stampAddress("enumerate"), "s:qoo", [object, count, out]), 5); // VK_INCOMPLETE
    assertEquals([key(2), key(3), key(4)], [table, table, 0n]);
    memory.view.setUint32(count, 8, true);
    assertEquals(invokeAddress(stampAddress("enumerate"), "s:qoo", [object, count, out]), 0);
    assertEquals(key(4), table);
  });
});

Deno.test("a terminator leaves everything alone when the command fails", NEEDS_FIXTURE, () => {
  withObject((object) => {
    const memory = arena(), count = memory.alloc(4), out = memory.alloc(64), info = memory.alloc(32);
    invokeAddress(fixture("fail_from_now"), "v:", []);
    memory.view.setUint32(count, 3, true);
    assertEquals(invokeAddress(stampAddress("enumerate"), "s:qoo", [object, count, out]), -1);
    memory.view.setUint32(info + 28, 2, true);
    assertEquals(invokeAddress(stampAddress("allocate"), "s:qoo", [object, info, out]), -1);
    assertEquals([2, 3, 4, 6, 7].map(key), [0n, 0n, 0n, 0n, 0n]);
  });
});

Deno.test("a terminator stamps as many handles as the allocate info asks for", NEEDS_FIXTURE, () => {
  withObject((object, table) => {
    const memory = arena(), out = memory.alloc(64), info = memory.alloc(32);
    memory.view.setUint32(info + 28, 2, true);
    assertEquals(invokeAddress(stampAddress("allocate"), "s:qoo", [object, info, out]), 0);
    assertEquals([6, 7, 8].map(key), [table, table, 0n]);
  });
});

Deno.test("a terminator stamps the handles in groups", NEEDS_FIXTURE, () => {
  assertEquals(invokeAddress(fixture("group_size"), "w:", []), 288);
  withObject((object, table) => {
    const memory = arena(), count = memory.alloc(4), out = memory.alloc(2 * 288);
    memory.view.setUint32(count, 2, true);
    assertEquals(invokeAddress(stampAddress("enumerate_groups"), "s:qoo", [object, count, 0]), 0);
    assertEquals(key(8), 0n);
    assertEquals(invokeAddress(stampAddress("enumerate_groups"), "s:qoo", [object, count, out]), 0);
    assertEquals([8, 9, 10, 11].map(key), [table, table, table, 0n]);
  });
});

Deno.test("stampAddress() throws when the terminator was not declared", () => {
  assertThrows(() => stampAddress("vkNothing"), RangeError, "declareStamps()");
});

Deno.test("setLoaderDataAddress() is a function that copies the dispatch key", NEEDS_FIXTURE, () => {
  withObject((object, table) => {
    const target = invokeAddress(fixture("object"), "q:w", [11]) as bigint;
    assertEquals(invokeAddress(setLoaderDataAddress(), "s:qq", [object, target]), 0);
    assertEquals(key(11), table);
  });
});
