import { assert, assertEquals, assertRejects } from "@std/assert";
import { connectAidl } from "../../../../hwc/binder/aidl/connect.ts";
import type { RemoteObject } from "../../../../hwc/binder/bus.ts";
import type { KernelBus } from "../../../../hwc/binder/driver/kernel_bus.ts";
import { openBinder } from "../../../../hwc/binder/driver/open_binder.ts";
import { servicesOf } from "../../../../hwc/binder/service_manager/service_manager.ts";
import { BinderStatusError, STATUS } from "../../../../hwc/binder/status.ts";
import { HwcError } from "../../../../hwc/hwc_error.ts";
import { ERROR, FORMAT } from "../../../../hwc/types.ts";
import { allocateBuffer } from "../../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../../wsi/buffer/usage.ts";
import { count } from "../../../support/counts.ts";
import { assertNothingKept, inUse, ON_BINDER, TestDevice } from "../driver/on_binder.ts";
import { Program } from "./processes.ts";
import { Screen } from "./screen.ts";
import { until } from "../../../support/until.ts";

const NAME = "android.hardware.graphics.composer3.IComposer/default";
/** The places where a client is killed: a few of the fourteen, or all, of which none was wrong since it was written. */
const CLIENT_PLACES = [
  "validating",
  "called back",
  "connecting",
  "opened",
  "finding",
  "found",
  "connected",
  "powered",
  "virtual",
  "collected",
  "validated",
  "presenting",
  "presented",
  "outside",
].slice(0, count(3, 5, 14));

/** Connects as the next client, shows a frame and goes. A client that was killed may be being cleared away. */
async function showFrame(found: RemoteObject): Promise<void> {
  let composer: Awaited<ReturnType<typeof connectAidl>> | undefined, last: unknown;
  for (let turn = 0; turn < 400 && !composer; turn++) {
    composer = await connectAidl(found, 16).catch((error) => void (last = error));
    if (!composer) await new Promise((done) => setTimeout(done, 25));
  }
  if (!composer) throw last;
  const screen = new Screen(composer);
  await screen.open();
  await screen.frame(0);
  screen.close();
  await composer[Symbol.asyncDispose]();
}

async function serviceOf(bus: KernelBus): Promise<RemoteObject> {
  const found = await servicesOf(bus).find(NAME);
  if (!found) throw new Error("the service is not registered");
  return found;
}

Deno.test(
  "a client that is killed anywhere leaves the composer to the next one, and nothing in the kernel",
  ON_BINDER,
  async () => {
    using device = new TestDevice();
    const manager = await Program.start("manager", device.path, "aidl");
    const server = await Program.start("composer", device.path, "aidl", NAME);
    const bus = openBinder(device.path), found = await serviceOf(bus);
    await showFrame(found);
    await until("no object is kept", () => bus.counts.locals === 0);
    const used = inUse();
    for (const place of CLIENT_PLACES) {
      const client = new Program("client", device.path, NAME, place);
      if (place === "outside") await client.said("ready").then(() => client.kill());
      else assertEquals(await client.ended(), 137, `it was killed when it was "${place}"`);
      await showFrame(found);
      await assertNothingKept(used, "thread");
    }
    found.release();
    await bus.close();
    await server.kill();
    await manager.kill();
  },
);

/** The times at which a server is killed: while its client does these. */
const SERVER_PLACES: Record<string, (screen: Screen) => Promise<unknown>> = {
  "shows frames": async ({ composer, display }) => {
    for (;;) await composer.validateDisplay(display);
  },
  "waits": () => new Promise((done) => setTimeout(done, 300)),
  "presents": (screen) => screen.frame(1).then(() => screen.frame(2)),
  "makes layers": async ({ composer, display }) => {
    for (;;) await composer.destroyLayer(display, await composer.createLayer(display));
  },
  "sends buffers": async ({ composer, display, layers: [layer] }) => {
    for (;;) {
      using buffer = allocateBuffer({ width: 16, height: 16, format: FORMAT.RGBA_8888, usage: USAGE.CPU_READ_OFTEN });
      await composer.setLayerBuffer(display, layer, buffer, null);
      await composer.validateDisplay(display);
    }
  },
};

Deno.test(
  "a composer that is killed is told, its client's calls throw, and its name is free for the next",
  ON_BINDER,
  async () => {
    using device = new TestDevice();
    const manager = await Program.start("manager", device.path, "aidl"), bus = openBinder(device.path), used = inUse();
    const [first, ...others] = Object.entries(SERVER_PLACES);
    for (const [place, use] of [first, ...others.slice(0, count(0, 0, others.length))]) {
      const server = await Program.start("composer", device.path, "aidl", NAME), found = await serviceOf(bus);
      const composer = await connectAidl(found, 16), screen = new Screen(composer), told: string[] = [];
      found.onDeath(() => told.push(place));
      await screen.open();
      await screen.frame(0);
      const using = use(screen).catch((error) => error), killed = server.kill(), error = await using;
      await killed;
      assert(error === undefined || error instanceof HwcError, `${error}`);
      const refused = await assertRejects(async () => void await composer.getActiveConfig(screen.display), HwcError);
      assertEquals(refused.code, ERROR.NO_RESOURCES);
      await until("a death is told", () => told.length > 0);
      assertEquals(told, [place]);
      screen.close();
      await composer[Symbol.asyncDispose]();
      found.release();
      let names: readonly string[] = [NAME];
      for (let turn = 0; turn < 400 && names.length > 0; turn++) names = await servicesOf(bus).list();
      assertEquals(names, []);
      await assertNothingKept(used, "thread");
    }
    await bus.close();
    await manager.kill();
  },
);

Deno.test(
  "a service manager that is killed takes nothing from those who know each other, and the next one takes its place",
  ON_BINDER,
  async () => {
    using device = new TestDevice();
    const before = inUse(), manager = await Program.start("manager", device.path, "aidl"), told: string[] = [];
    const server = await Program.start("composer", device.path, "aidl", NAME), bus = openBinder(device.path);
    const found = await serviceOf(bus), services = servicesOf(bus);
    bus.contextManager().onDeath(() => told.push("manager"));
    const composer = await connectAidl(found, 16), asked = services.list().catch(({ code }) => code);
    await manager.kill();
    assert(
      [STATUS.DEAD_OBJECT, undefined].includes(await asked.then((value) => Array.isArray(value) ? undefined : value)),
    );
    await until("a death is told", () => told.length > 0);
    assertEquals(told, ["manager"]);
    const gone = await assertRejects(() => services.find(NAME), BinderStatusError);
    assertEquals(gone.code, STATUS.DEAD_OBJECT);
    const screen = new Screen(composer);
    await screen.open();
    await screen.frame(0);
    screen.close();
    const next = await Program.start("manager", device.path, "aidl");
    assertEquals(await services.list(), []);
    await composer[Symbol.asyncDispose]();
    found.release();
    await bus.close();
    for (const program of [server, next]) await program.kill();
    await assertNothingKept(before);
  },
);
