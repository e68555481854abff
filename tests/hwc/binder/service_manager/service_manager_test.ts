import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { LocalObject, Message } from "../../../../hwc/binder/bus.ts";
import { AidlReader, AidlWriter } from "../../../../hwc/binder/parcel/aidl/dialect.ts";
import { AidlException, readException } from "../../../../hwc/binder/parcel/aidl/exception.ts";
import { BINDER, STRING } from "../../../../hwc/binder/parcel/aidl/types.ts";
import { hidlClient } from "../../../../hwc/binder/parcel/hidl/client.ts";
import { hidlService } from "../../../../hwc/binder/parcel/hidl/service.ts";
import { IServiceManager, IServiceNotification } from "../../../../hwc/binder/service_manager/hidl_layout.ts";
import { MANAGER_RELEASES } from "../../../../hwc/binder/service_manager/aidl_layout.ts";
import { serviceManager, servicesOf } from "../../../../hwc/binder/service_manager/service_manager.ts";
import { BinderStatusError } from "../../../../hwc/binder/status.ts";
import { Device, Side } from "../in_process_bus.ts";

/** An object that answers with a byte. */
function answering(byte: number): LocalObject {
  return { transact: () => ({ bytes: Uint8Array.of(byte), items: [] }) };
}

const NOTHING: Message = { bytes: new Uint8Array(), items: [] };
const NAME = "android.hardware.graphics.composer3.IComposer/default";

for (const release of MANAGER_RELEASES) {
  Deno.test(`serviceManager() of Android ${release} finds, lists, replaces and forgets services`, async () => {
    const device = new Device(), [server, client] = [new Side(), new Side()];
    await serviceManager(device.bus(device.manager), { release });
    const offered = servicesOf(device.bus(server), { release }), found = servicesOf(device.bus(client), { release });
    assertEquals([await found.find(NAME), await found.list()], [undefined, []]);
    await offered.add(NAME, answering(1));
    await offered.add("other", answering(2));
    assertEquals(await found.list(), [NAME, "other"]);
    const first = await found.find(NAME);
    await offered.add(NAME, answering(3));
    const second = await found.find(NAME);
    const answers = [await first!.transact(1, NOTHING), await second!.transact(1, NOTHING)];
    assertEquals(answers.map(({ bytes }) => bytes[0]), [1, 3]);
    server.die();
    assertEquals([await found.list(), device.manager.references], [[], 0]);
  });
}

Deno.test("servicesOf() says that the manager is of a release whose numbers it cannot find", async () => {
  const device = new Device();
  device.object = { transact: () => Promise.reject(new BinderStatusError(-74, "unknown")) };
  const error = await assertRejects(() => servicesOf(device.bus(new Side())).list(), BinderStatusError);
  assertEquals(error.sentence, "the service manager is of another release than 16: UNKNOWN_TRANSACTION: unknown");
  assertThrows(
    () => servicesOf(device.bus(new Side()), { release: 9 }),
    RangeError,
    "give 10, 11, 12, 13, 14, 15, 15.1",
  );
});

Deno.test("serviceManager() tells those who wait for a name, also of what was there before, until they end", async () => {
  const device = new Device(), client = new Side(), told: string[] = [], dialect = { release: 16, version: 1 };
  const manager = await serviceManager(device.bus(device.manager));
  manager.add("here", answering(1));
  const callback: LocalObject = {
    transact(code, message) {
      const from = new AidlReader(message, dialect);
      from.token("android.os.IServiceCallback");
      told.push(`${code} ${STRING.read(from)} ${"remote" in BINDER.read(from)!}`);
      from.drop();
      return NOTHING;
    },
  };
  const call = async (code: number, name: string) => {
    const to = new AidlWriter(dialect);
    to.token("android.os.IServiceManager");
    to.text(name);
    BINDER.write(to, { local: callback });
    const manager = device.bus(client).contextManager();
    const answer = await manager.transact(code, to.message()).finally(() => manager.release());
    readException(new AidlReader(answer, dialect));
  };
  const REGISTER = 7, UNREGISTER = 8;
  await call(REGISTER, "here");
  await call(REGISTER, "later");
  manager.add("later", answering(2));
  await call(UNREGISTER, "here");
  manager.add("here", answering(3));
  await new Promise((done) => setTimeout(done, 0));
  assertEquals(told, ["1 here true", "1 later true"]);
  await assertRejects(() => call(UNREGISTER, "here"), AidlException, "nobody of that kind waits for here");
  client.die();
  manager.add("later", answering(4));
  assertEquals([told.length, device.manager.references], [2, 0]);
});

Deno.test("serviceManager() refuses names that Android's refuses, and tells what is declared", async () => {
  const device = new Device(), bus = device.bus(new Side()), dialect = { release: 16, version: 1 };
  await serviceManager(device.bus(device.manager), { isDeclared: (name) => name === "declared" });
  for (const name of ["", "a b", "x".repeat(128)]) {
    await assertRejects(() => servicesOf(bus).add(name, answering(1)), AidlException, "is no name of a service");
  }
  const isDeclared = async (name: string) => {
    const to = new AidlWriter(dialect);
    to.token("android.os.IServiceManager");
    to.text(name);
    const from = new AidlReader(await bus.contextManager().transact(9, to.message()), dialect);
    readException(from);
    return from.i32();
  };
  assertEquals([await isDeclared("declared"), await isDeclared("other")], [1, 0]);
  assertEquals(device.manager.references, 0);
});

const LIGHT = { package: "test.light", name: "ILight", versions: ["1.0", "1.1"], methods: {} } as const;

Deno.test("serviceManager() of HIDL finds an object by each of its interfaces, and lists and tells it", async () => {
  const device = new Device(), [server, client] = [new Side(), new Side()], told: unknown[][] = [];
  await serviceManager(device.bus(device.manager), { as: "hidl" });
  const methods = hidlClient(IServiceManager, device.bus(client).contextManager());
  const callback = hidlService(IServiceNotification, { onRegistration: (...args) => (told.push(args), []) }, "1.0");
  const [old, newer] = ["test.light@1.0::ILight", "test.light@1.1::ILight"];
  assertEquals(await methods.registerForNotifications(old, "desk", { local: callback }), [true]);
  await servicesOf(device.bus(server), { as: "hidl" }).add(`${newer}/desk`, hidlService(LIGHT, {}, "1.1"));
  const found = servicesOf(device.bus(client), { as: "hidl" });
  assertEquals(await found.list(), [`${old}/desk`, `${newer}/desk`]);
  const [one, other] = [await found.find(`${old}/desk`), await found.find(`${newer}/desk`)];
  assert(one && other);
  assertEquals(await found.find(`${old}/default`), undefined);
  assertEquals([await methods.getTransport(old, "desk"), await methods.getTransport(old, "wall")], [[1], [0]]);
  assertEquals(await methods.listByInterface(newer), [["desk"]]);
  assertEquals(await methods.tryUnregister(old, "desk", { remote: one! }), [true]);
  assertEquals(await found.list(), [`${newer}/desk`]);
  await new Promise((done) => setTimeout(done, 0));
  assertEquals(told, [[old, "desk", false]]);
  server.die();
  assertEquals([await found.list(), await methods.getTransport(newer, "desk")], [[], [0]]);
  assertEquals(await methods.unregisterForNotifications(old, "desk", { local: callback }), [true]);
  assertEquals(device.manager.references, 0);
});

Deno.test("serviceManager() of HIDL takes no object without interfaces, and gives its references back", async () => {
  const device = new Device();
  await serviceManager(device.bus(device.manager), { as: "hidl" });
  const services = servicesOf(device.bus(new Side()), { as: "hidl" });
  await assertRejects(
    () => services.add("test.light@1.0::ILight/desk", answering(1)),
    BinderStatusError,
    "does not take",
  );
  assertEquals(device.manager.references, 0);
});
