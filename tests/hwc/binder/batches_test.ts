import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { closeDescriptor, nameOfDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { connectAidl } from "../../../hwc/binder/aidl/connect.ts";
import {
  type CommandResultPayload,
  IComposer,
  IComposerClient,
  type IComposerClientMethods,
  type LayerCommand,
} from "../../../hwc/binder/gen/composer3_gen.ts";
import { type AidlClient, aidlClient } from "../../../hwc/binder/parcel/aidl/client.ts";
import { AidlException } from "../../../hwc/binder/parcel/aidl/exception.ts";
import { composerService } from "../../../hwc/binder/serve.ts";
import { CALLBACK, CAPABILITY, POWER_MODE } from "../../../hwc/device_types.ts";
import { eightPlane } from "../../../hwc/planes/models.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { BLEND, COMPOSITION, ERROR } from "../../../hwc/types.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import { openFiles } from "../../support/open_files.ts";
import { assertNoMoreFiles } from "../../wsi/files_left.ts";
import { warmRelayedFence } from "./binder_subject.ts";
import { Screen } from "./on_kernel/screen.ts";
import { refer, Side } from "./in_process_bus.ts";

const PANELS = [{ modes: [{ width: 64, height: 48, refreshRate: 60 }] }];
const CREATE = { layerLifecycleBatchCommandType: 1, newBufferSlotCount: 3 } as const;
const DESTROY = { layerLifecycleBatchCommandType: 2 } as const;
const FRAME = { left: 0, top: 0, right: 64, bottom: 48 };

/** A client that speaks AIDL itself, and is left all layers. */
async function withClient(
  version: number,
  use: (client: Client) => Promise<void>,
  log?: (line: string) => void,
): Promise<void> {
  using composer = createReferenceComposer({ panels: PANELS, strategy: clientOnly(), maxLayers: 3, flattenAfter: 0 });
  let display = 0n;
  composer.registerCallback(CALLBACK.HOTPLUG, (each) => display = each);
  const service = composerService(composer, { version, log }), dialect = { release: 16, version };
  const object = refer(new Side(), service.object, new Side());
  for (let turn = 0; turn < 2; turn++) { // what a client leaves would be in the way of the next
    const made = await aidlClient(IComposer, object, dialect).createClient();
    if (!made || !("remote" in made)) throw new Error("there is no client");
    const methods = aidlClient(IComposerClient, made.remote, dialect);
    await methods.setPowerMode(display, POWER_MODE.ON);
    const run = (layers: LayerCommand[], validateDisplay = false) =>
      methods.executeCommands([{
        display,
        layers,
        validateDisplay,
        acceptDisplayChanges: validateDisplay,
        presentDisplay: validateDisplay,
        presentOrValidateDisplay: false,
      }]);
    await use({ methods, display, run, capabilities: () => aidlClient(IComposer, object, dialect).getCapabilities() });
    made.remote.release();
  }
  await service.close();
}

interface Client {
  readonly methods: AidlClient<IComposerClientMethods>;
  readonly display: bigint;
  readonly run: (layers: LayerCommand[], validates?: boolean) => Promise<readonly CommandResultPayload[]>;
  readonly capabilities: () => Promise<readonly number[]>;
}

/** A layer of one colour, through which others are seen. */
const plain = (layer: bigint, z: number): LayerCommand => ({
  layer,
  composition: { composition: COMPOSITION.SOLID_COLOR },
  color: { r: 0.5, g: 0, b: 0, a: 0.5 },
  blendMode: { blendMode: BLEND.PREMULTIPLIED },
  displayFrame: FRAME,
  z: { z },
});

/** The handles of the layers that a validation leaves to the client. */
function changedOf(results: readonly CommandResultPayload[]): bigint[] {
  const errors = results.filter(({ tag }) => tag === "error");
  assertEquals(errors, []);
  return results.flatMap((result) =>
    result.tag === "changedCompositionTypes" ? result.value.layers.map(({ layer }) => layer) : []
  ).sort();
}

function errorsOf(results: readonly CommandResultPayload[]): number[] {
  return results.flatMap((result) => result.tag === "error" ? [result.value.errorCode] : []);
}

for (const version of [3, 4]) {
  Deno.test(`layers are made, set and destroyed within batches of AIDL ${version}, under the client's handles`, () =>
    withClient(version, async ({ run }) => {
      const made = await run([{ ...plain(5n, 0), ...CREATE }, { ...plain(-7n, 1), ...CREATE }], true);
      assertEquals(changedOf(made), [-7n, 5n]);
      assertEquals(changedOf(await run([plain(5n, 2), plain(-7n, 3)], true)), [-7n, 5n], "a later batch names them so");
      assertEquals(errorsOf(await run([{ layer: 5n, ...CREATE }])), [ERROR.BAD_LAYER], "the handle is taken");
      assertEquals(errorsOf(await run([{ layer: 6n, ...CREATE, newBufferSlotCount: -1 }])), [ERROR.BAD_PARAMETER]);
      assertEquals(errorsOf(await run([{ layer: 8n, ...CREATE }, { layer: 9n, ...CREATE }])), [ERROR.NO_RESOURCES]);
      assertEquals(errorsOf(await run([{ layer: 5n, ...DESTROY }, { layer: 8n, ...DESTROY }])), []);
      assertEquals(errorsOf(await run([plain(5n, 0)]))[0], ERROR.BAD_LAYER);
      assertEquals(errorsOf(await run([{ layer: 5n, ...DESTROY }])), [ERROR.BAD_LAYER]);
      assertEquals(errorsOf(await run([{ layer: 5n, ...CREATE }, { layer: 5n, ...DESTROY }])), [], "in one batch");
    }));
}

Deno.test("a layer of createLayer() gets no handle that the client has chosen, and the other way round", () =>
  withClient(3, async ({ methods, display, run }) => {
    const first = await methods.createLayer(display, 1), step = await methods.createLayer(display, 1) - first;
    await methods.destroyLayer(display, first + step);
    const chosen = first + 3n * step; // the composer will call another layer so
    assertEquals(errorsOf(await run([{ ...plain(chosen, 1), ...CREATE }])), []);
    const last = await methods.createLayer(display, 1);
    assertNotEquals(last, chosen);
    assertEquals(changedOf(await run([plain(first, 0), plain(last, 2)], true)), [first, chosen, last].sort());
    assertEquals(errorsOf(await run([{ layer: chosen, ...DESTROY }])), []);
    assertEquals(changedOf(await run([plain(first, 0), plain(last, 2)], true)), [first, last].sort());
  }));

Deno.test("AIDL 4: tables of colours are refused, and picture profiles change nothing, which is told once each", async () => {
  const said: string[] = [];
  await withClient(4, async ({ methods, display, run }) => {
    const { lutProperties } = await methods.getOverlaySupport();
    assertEquals(lutProperties ?? [], [], "a client learns here that there are no tables");
    const error = await assertRejects(() => methods.getLuts(display, []), AidlException);
    assertEquals(error.specific, ERROR.UNSUPPORTED);
    const luts = { offsets: [0], lutProperties: [{ dimension: 1, size: 2, samplingKeys: [0] }] };
    assertEquals(errorsOf(await run([{ ...plain(5n, 0), ...CREATE }, { layer: 5n, luts }])), [ERROR.UNSUPPORTED]);
    said.length = 0;
    for (let turn = 0; turn < 2; turn++) {
      assertEquals(errorsOf(await run([{ layer: 5n, pictureProfileId: 7n }, { layer: 5n, pictureProfileId: 0n }])), []);
    }
    assertEquals(said, ["Picture profile 7 changes nothing: the composer has no picture profiles"]);
  }, (line) => said.push(line));
});

Deno.test("only versions with batches of layers say that they have them, and a client's composer says nothing of it", async () => {
  for (const version of [1, 2, 3, 4]) {
    await withClient(version, async ({ capabilities }) => {
      const has = (await capabilities()).includes(CAPABILITY.LAYER_LIFECYCLE_BATCH_COMMAND);
      assertEquals(has, version >= 3, `${version}`);
    });
  }
  using composer = createReferenceComposer({ panels: PANELS });
  const service = composerService(composer, { version: 3 });
  const far = await connectAidl(refer(new Side(), service.object, new Side()), 16);
  assertEquals(await far.getCapabilities(), composer.getCapabilities());
  await far[Symbol.asyncDispose]();
  await service.close();
});

Deno.test("the fences of a frame are descriptors of their own, of one pair of sockets", async () => {
  await warmRelayedFence();
  using composer = createReferenceComposer({ panels: PANELS, planes: eightPlane(), clock: new ManualClock() });
  const service = composerService(composer), files = openFiles();
  const far = await connectAidl(refer(new Side(), service.object, new Side()), 16);
  const screen = new Screen(far);
  await screen.open();
  for (const number of [0, 1]) await screen.frame(number);
  for (const [index, layer] of screen.layers.entries()) {
    await far.setLayerBuffer(screen.display, layer, screen.buffers[2 * index], null);
  }
  assertEquals((await far.validateDisplay(screen.display)).numTypes, 0);
  const present = await far.presentDisplay(screen.display), releases = await far.getReleaseFences(screen.display);
  const fds = [present, ...releases.map(({ fence }) => fence)].map((fence) => fence.take());
  assert(releases.length > 3, `${releases.length} layers have fences`);
  assertEquals([new Set(fds).size, fds.includes(-1)], [1 + releases.length, false]);
  assertEquals(new Set(fds.map(nameOfDescriptor)).size, 1);
  fds.forEach(closeDescriptor);
  screen.close();
  await far[Symbol.asyncDispose]();
  await service.close();
  await assertNoMoreFiles(files);
});
