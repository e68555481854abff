import { peek64 } from "../../ffi/machine.ts";
import type { Layer } from "../../loader/layer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import { RESULT } from "./constants.ts";
import { describeDevice, type DeviceDescription } from "./describe.ts";
import { InstanceState, UNKNOWN_INSTANCE } from "./instance_state.ts";
import type { AdaptorOptions } from "./options.ts";

/** An adaptor's state of the instances and devices in whose chains the adaptor is. */
export class Adaptor {
  /** The adaptor's options. */
  readonly options: AdaptorOptions;
  /** The instances by dispatch key. */
  readonly instances = new Map<bigint, InstanceState>();
  readonly #layer: () => Layer;
  readonly #devices = new Map<bigint, AdaptorDevice>();
  #lastKey = 0n;
  #last: AdaptorDevice | undefined;

  /** Makes an adaptor that is in no chain yet. */
  constructor(options: AdaptorOptions, layer: () => Layer) {
    this.options = options;
    this.#layer = layer;
  }

  /** The adaptor's layer. */
  get layer(): Layer {
    return this.#layer();
  }

  /** Returns the device of any of its handles; `undefined` for a device without the adaptor. */
  deviceOf(handle: bigint): AdaptorDevice | undefined {
    const key = peek64(handle);
    if (key === this.#lastKey) return this.#last;
    this.#lastKey = key;
    return this.#last = this.#devices.get(key);
  }

  /** Takes part in a device. */
  enter(device: AdaptorDevice): void {
    this.#devices.set(peek64(device.handle), device);
    this.#lastKey = 0n;
  }

  /** Forgets a device, and returns it. */
  leave(handle: bigint): AdaptorDevice | undefined {
    const key = peek64(handle), device = this.#devices.get(key);
    this.#devices.delete(key);
    this.#lastKey = 0n;
    return device;
  }

  /** The instance of any of its handles. */
  instanceOf(handle: bigint): InstanceState {
    const key = peek64(handle);
    let state = this.instances.get(key);
    if (!state) this.instances.set(key, state = new InstanceState(this.layer, handle, UNKNOWN_INSTANCE));
    return state;
  }

  /** See {@linkcode NativeBufferAdaptor.acquire}. */
  acquire(handle: bigint, image: bigint, native: NativeFence, semaphore: bigint, fence: bigint): number {
    const device = this.deviceOf(handle);
    if (device?.images.has(image)) return device.acquires.acquire(native, semaphore, fence);
    native.close();
    device?.say(`Cannot acquire image 0x${image.toString(16)}: it is not an image of a native buffer`);
    return RESULT.ERROR_INITIALIZATION_FAILED;
  }

  /** See {@linkcode NativeBufferAdaptor.release}. */
  release(queue: bigint, count: number, waits: bigint, handle: bigint): NativeFence | number {
    const device = this.deviceOf(queue), image = device?.images.get(handle);
    if (image) return device!.releases.release(queue, count, waits, image);
    device?.say(`Cannot release image 0x${handle.toString(16)}: it is not an image of a native buffer`);
    return RESULT.ERROR_INITIALIZATION_FAILED;
  }

  /** See {@linkcode NativeBufferAdaptor.describe}. */
  describe(handle: bigint): DeviceDescription | undefined {
    const device = this.deviceOf(handle);
    return device && describeDevice(device);
  }
}
