/**
 * Either side may be killed at any moment: the other goes on, and nothing is
 * left of the dead one.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertThrows, equal } from "@std/assert";
import { CALLBACK, POWER_MODE } from "../../../hwc/device_types.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { connectComposer } from "../../../hwc/remote/client/connect.ts";
import { ERROR, FORMAT } from "../../../hwc/types.ts";
import { allocateBuffer, openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { openFiles } from "../../support/open_files.ts";
import { opaqueLayer } from "../core/frame.ts";
import { DEFAULT_DEVICE } from "../suite/device_options.ts";
import { assertNoMoreFiles } from "../../wsi/files_left.ts";
import { FarClient } from "./far_client.ts";
import { FarServer } from "./far_server.ts";

/** Has a client come so far, kills it, and comes as the next one: what the server says of its composer, and has open, then. */
async function after(server: FarServer, what: string): Promise<unknown[]> {
  const client = await FarClient.start(server.path, what);
  await client.kill();
  const composer = connectComposer(server.path), found = state(String(server.call("dump")));
  composer.close();
  server.call("advance", 100_000_000n);
  return [found, server.call("open")];
}

Deno.test("serveComposer() clears away what a killed client had, wherever it was", async () => {
  const server = new FarServer();
  server.serve(DEFAULT_DEVICE);
  await after(server, "hang"); // what is opened once for good
  const client = await FarClient.start(server.path, "frame");
  assertEquals(await client.ended(), 0, "it has shown its frame and closed its connection");
  const proper = [state(String(server.call("dump"))), server.call("open")];
  assertMatch(String(server.call("dump")), /power mode 0, .* 0 layers/);
  for (const what of ["hang", "validated", "torn", "silent"]) {
    let found = await after(server, what);
    // A thread that waits for file descriptors closes its own a moment later.
    for (let turn = 0; turn < 400 && !equal(found, proper); turn++) {
      await new Promise((done) => setTimeout(done, 5));
      found = [found[0], server.call("open")];
    }
    assertEquals(found, proper, `killed when it was "${what}"`);
  }
  server.end();
  await server.close();
});

/** The words of a dump without its numbers. */
function state(dump: string): string {
  return dump.replaceAll(/\d+/g, "N");
}

Deno.test("connectComposer()'s calls throw, and its fences signal, when the server is killed", async () => {
  await useAndKill(); // what is opened once for good
  const files = openFiles(), buffers = openBuffers();
  await useAndKill();
  assertEquals(openBuffers(), buffers);
  await assertNoMoreFiles(files);
});

async function useAndKill(): Promise<void> {
  const server = new FarServer(), lost: string[] = [];
  server.serve(DEFAULT_DEVICE);
  const composer = connectComposer(server.path, { onLost: (reason) => lost.push(reason) });
  let display = 0n;
  composer.registerCallback(CALLBACK.HOTPLUG, (each) => display ||= each);
  composer.setPowerMode(display, POWER_MODE.ON);
  const buffer = allocateBuffer({ width: 96, height: 64, format: FORMAT.RGBA_8888, usage: USAGE.CPU_READ_OFTEN });
  const acquire = NativeFence.create();
  const layer = opaqueLayer(composer, display, buffer, { fence: acquire.fence });
  composer.validateDisplay(display);
  const present = composer.presentDisplay(display), copy = present.dup();
  assertEquals(present.poll(), false, "the simulated clock stands");
  composer.setLayerZOrder(display, layer, 3); // waits to be sent
  await server.kill();
  assert(present.wait(60_000) && copy.poll(), "the kernel has signalled it");
  const error = assertThrows(() => composer.validateDisplay(display), HwcError);
  assertEquals([error.code, composer.isConnected, lost.length], [ERROR.NO_RESOURCES, false, 1]);
  assertEquals(error.sentence, "the server has gone; connect again");
  assertThrows(() => composer.setLayerZOrder(display, layer, 1), HwcError, "the server has gone");
  assertThrows(() => composer.flush(), HwcError, "the server has gone");
  await composer[Symbol.asyncDispose]();
  for (const fence of [present, copy, acquire.fence]) fence.close();
  acquire.signal();
  buffer.close();
}

Deno.test("connectComposer() tells who asks for it that the server was killed, without being called", async () => {
  const server = new FarServer(), lost = Promise.withResolvers<string>();
  server.serve(DEFAULT_DEVICE);
  const composer = connectComposer(server.path, { onLost: lost.resolve });
  composer.registerCallback(CALLBACK.VSYNC, () => {});
  await server.kill();
  assertEquals([await lost.promise, composer.isConnected], ["the server has gone", false]);
  await composer[Symbol.asyncDispose]();
});

Deno.test("connectComposer() gives a server up that does not answer in time", async () => {
  const server = new FarServer();
  server.serve(DEFAULT_DEVICE);
  const composer = connectComposer(server.path, { timeout: 1500 });
  Deno.kill(server.pid, "SIGSTOP");
  const error = assertThrows(() => composer.getCapabilities(), HwcError);
  assertEquals([error.code, error.sentence], [
    ERROR.NO_RESOURCES,
    "the server did not answer within 1500 ms; connect again",
  ]);
  assertThrows(() => composer.dump(), HwcError, "did not answer within 1500 ms");
  composer.close();
  Deno.kill(server.pid, "SIGCONT");
  using next = connectComposer(server.path);
  assert(next.getMaxVirtualDisplayCount() > 0, "which serves again");
  next.close();
  await server.close();
});
