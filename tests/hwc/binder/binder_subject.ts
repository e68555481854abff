import { connectAidl } from "../../../hwc/binder/aidl/connect.ts";
import { connectHidl } from "../../../hwc/binder/hidl/connect.ts";
import { composerService, type ComposerServiceOptions } from "../../../hwc/binder/serve.ts";
import type { AsyncComposer } from "../../../hwc/composer.ts";
import { FenceRelay } from "../../../hwc/remote/fence_relay.ts";
import { checkComposer } from "../../../hwc/requirements/check_composer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { directSubject } from "../suite/direct_subject.ts";
import type { Factory } from "../suite/stage.ts";
import { warmFences } from "../suite/warm_fences.ts";
import { refer, Side } from "./in_process_bus.ts";

/** Makes composers that are reached over binder, on a clock that the test moves. */
export function binderFactory(options: ComposerServiceOptions): Factory {
  const { release = 16 } = options;
  let warm: Promise<void> | undefined;
  return async (device) => {
    await (warm ??= warmRelayedFence());
    const subject = directSubject(device), there = new Side(), here = new Side();
    const service = composerService(subject.composer, options);
    const remote = refer(there, service.object, here);
    const composer = await (options.as === "hidl" ? connectHidl(remote) : connectAidl(remote, release));
    const settle = () => new Promise<void>((done) => setTimeout(done, 0));
    return {
      ...subject,
      composer,
      flush: () => composer.flush(),
      async pass(nanoseconds) {
        await composer.flush();
        await subject.pass(nanoseconds);
        await settle();
      },
      async close() {
        await composer[Symbol.asyncDispose]();
        await service.close();
        await subject.close();
      },
    };
  };
}

/** The rules that a check of another process's composer leaves to its caller: about protected buffers and fences. */
export const CALLERS_OWN: readonly string[] = [
  "composer.fence.acquire",
  "composer.protected.path",
  "composer.protected.unread",
  "composer.scene.protected-video",
];

/** The status of each verdict of a check by its rule. */
export async function statusesOf(composer: AsyncComposer): Promise<Map<string, string>> {
  const { verdicts } = await checkComposer(composer);
  return new Map(verdicts.map(({ rule, status }) => [rule, status]));
}

/** Carries a fence to its end: the first one opens files for good. */
export async function warmRelayedFence(): Promise<void> {
  warmFences();
  const { fence, signal } = NativeFence.create(), relay = new FenceRelay();
  using far = NativeFence.adopt(relay.descriptorOf(fence));
  const ready = far.ready();
  signal();
  await ready;
  relay.close();
  fence.close();
}
