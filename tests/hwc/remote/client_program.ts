/**
 * A client in a process of its own, to be killed. Arguments: the server's path,
 * and what it does: `frame` shows one and ends; `hang` has shown one and waits;
 * `validated` is between validating and presenting; `torn` has sent half a
 * message; `silent` has connected and says nothing. What it says is how far it
 * has come.
 *
 * @module
 */
import { CALLBACK, POWER_MODE } from "../../../hwc/device_types.ts";
import type { Channel } from "../../../hwc/remote/wire/channel.ts";
import { connectComposer, type RemoteComposer } from "../../../hwc/remote/client/connect.ts";
import { connectTo } from "../../../hwc/remote/client/connection.ts";
import { KIND, MAGIC, VERSION } from "../../../hwc/remote/wire/wire.ts";
import { DescriptorStream } from "../../../ffi/file/unix_socket.ts";
import { createEvent, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { FORMAT } from "../../../hwc/types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { opaqueLayer } from "../core/frame.ts";

const [path, what] = Deno.args;

/** Everything that a server must clear away: a layer, a buffer, a fence that never signals, a virtual display, settings. */
function draw(composer: RemoteComposer): bigint {
  let display = 0n;
  composer.registerCallback(CALLBACK.HOTPLUG, (each) => display ||= each);
  composer.setPowerMode(display, POWER_MODE.ON);
  composer.createVirtualDisplay(64, 64, FORMAT.RGBA_8888);
  const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
  const buffer = allocateBuffer({ width: 96, height: 64, format: FORMAT.RGBA_8888, usage });
  opaqueLayer(composer, display, buffer, { fence: NativeFence.create().fence });
  composer.validateDisplay(display);
  return display;
}

function connected(): Channel {
  return connectTo(path, 10_000);
}

const DEEDS: Record<string, () => void> = {
  frame() {
    using composer = connectComposer(path);
    composer.presentDisplay(draw(composer)).close();
  },
  hang() {
    const composer = connectComposer(path);
    composer.presentDisplay(draw(composer)).close();
  },
  validated: () => void draw(connectComposer(path)),
  torn() {
    const channel = connected(), stream = new DescriptorStream(duplicate(channel.fd));
    const words = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer);
    channel.post(KIND.HELLO, words(VERSION));
    channel.flush();
    stream.send(words(MAGIC, KIND.BATCH, 1000, 1, 5, 6), [createEvent()]);
  },
  silent: () => void connected(),
};

DEEDS[what]();
console.log(what);
if (what !== "frame") setInterval(() => {}, 1 << 30);
