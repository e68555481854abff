import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { connectComposer } from "../../../hwc/remote/client/connect.ts";
import type { RemoteOptions } from "../../../hwc/remote/client/connect.ts";
import { FenceRelay } from "../../../hwc/remote/fence_relay.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { Factory } from "../suite/stage.ts";
import { warmFences } from "../suite/warm_fences.ts";
import type { FarServer } from "./far_server.ts";

/** Makes composers in another process, on a clock there that the test moves. */
export function remoteFactory(server: FarServer, remote: RemoteOptions = {}): Factory {
  warmFences();
  warmRelay();
  return ({ compositor, ...options }) => {
    // Functions stay in their process; cases that bring their own composition want the rule of Hwc2Test.
    server.serve(options, compositor ? "hwc2trunc" : "round-once");
    const composer = connectComposer(server.path, remote);
    return {
      composer,
      controls: server.controls,
      now: () => server.call("now") as bigint,
      flush: () => composer.flush(),
      async pass(nanoseconds) {
        composer.flush();
        server.call("advance", nanoseconds);
        // News of the meantime come before an answer, and are told a moment later.
        composer.getMaxVirtualDisplayCount();
        await new Promise((done) => setTimeout(done, 0));
      },
      async close() {
        await composer[Symbol.asyncDispose]();
        server.end();
      },
    };
  };
}

/** The thread that fences are carried over by keeps something open after its first start. */
function warmRelay(): void {
  const { fence, signal } = NativeFence.create();
  const relay = new FenceRelay();
  closeDescriptor(relay.descriptorOf(fence));
  relay.close();
  signal();
  fence.close();
}
