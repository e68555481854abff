import { connectAidl } from "../../../hwc/binder/aidl/connect.ts";
import { composerService, type ComposerServiceOptions } from "../../../hwc/binder/serve.ts";
import { directSubject } from "../suite/direct_subject.ts";
import type { Factory } from "../suite/stage.ts";
import { refer, Side } from "./in_process_bus.ts";

/** Makes composers that are reached over binder, on a clock that the test moves. */
export function binderFactory(options: ComposerServiceOptions): Factory {
  const { release = 16 } = options;
  return async (device) => {
    const subject = directSubject(device), there = new Side(), here = new Side();
    const service = composerService(subject.composer, options);
    const composer = await connectAidl(refer(there, service.object, here), release);
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
