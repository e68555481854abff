import { assertEquals, assertNotEquals } from "@std/assert";
import { connectAidl } from "../../../hwc/binder/aidl/connect.ts";
import {
  type CommandResultPayload,
  IComposer,
  IComposerClient,
  type IComposerClientMethods,
  type LayerCommand,
} from "../../../hwc/binder/gen/composer3_gen.ts";
import { type AidlClient, aidlClient } from "../../../hwc/binder/parcel/aidl/client.ts";
import { composerService } from "../../../hwc/binder/serve.ts";
import { CALLBACK, CAPABILITY, POWER_MODE } from "../../../hwc/device_types.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { BLEND, COMPOSITION, ERROR } from "../../../hwc/types.ts";
import { refer, Side } from "./in_process_bus.ts";

const PANELS = [{ modes: [{ width: 64, height: 48, refreshRate: 60 }] }];
const CREATE = { layerLifecycleBatchCommandType: 1, newBufferSlotCount: 3 } as const;
const DESTROY = { layerLifecycleBatchCommandType: 2 } as const;
const FRAME = { left: 0, top: 0, right: 64, bottom: 48 };

/** A client that speaks AIDL itself, and is left all layers. */
async function withClient(
  version: number,
  use: (client: Client) => Promise<void>,
): Promise<void> {
  using composer = createReferenceComposer({ panels: PANELS, strategy: clientOnly(), maxLayers: 3, flattenAfter: 0 });
  let display = 0n;
  composer.registerCallback(CALLBACK.HOTPLUG, (each) => display = each);
  const service = composerService(composer, { version }), dialect = { release: 16, version };
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
