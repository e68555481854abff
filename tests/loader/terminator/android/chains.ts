import { arena } from "../../../../ffi/arena.ts";
import { DeviceChain } from "../../../../loader/chain/device_chain.ts";
import { InstanceChain } from "../../../../loader/chain/instance_chain.ts";
import { declareImage } from "../../../../loader/chain/table/table_layout.ts";
import { codec, type StructObject } from "../../../../loader/codec/codec.ts";
import { type Driver, openDriver } from "../../../../loader/driver/interface/driver.ts";
import { driverProc } from "../../../../loader/driver/interface/probe.ts";
import { behindAndroid } from "../../../../loader/terminator/android/behind_android.ts";
import type { AndroidLevelOptions } from "../../../../loader/terminator/android/options.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import type { AndroidDriverFixture } from "./fixture.ts";

/** An instance and a device right above the driver level. */
export interface Chains {
  /** The level's driver. */
  readonly driver: Driver;
  /** The instance. */
  readonly instance: bigint;
  /** The first physical device. */
  readonly gpu: bigint;
  /** The device. */
  readonly device: bigint;
}

/** The wishes for an instance. */
export interface Asked extends AndroidLevelOptions {
  /** Instance extensions. */
  readonly instanceExtensions?: readonly string[];
  /** Device extensions. */
  readonly deviceExtensions?: readonly string[];
}

/** Makes an instance and a device of a driver behind Android's level, with no layers between, and destroys them again. */
export function withChains(fixture: AndroidDriverFixture, asked: Asked, use: (chains: Chains) => void): void {
  declareImage();
  const memory = arena(), mark = memory.mark(), out = memory.address(memory.alloc(8));
  using driver = behindAndroid(openDriver(fixture.path), asked);
  try {
    const info = struct("VkInstanceCreateInfo", { ppEnabledExtensionNames: asked.instanceExtensions ?? [] });
    const chain = InstanceChain.create({ driver, elements: [], info, allocator: 0n, out }) as InstanceChain;
    const gpu = firstGpu(driver, chain.handle);
    const deviceInfo = struct("VkDeviceCreateInfo", { ppEnabledExtensionNames: asked.deviceExtensions ?? [] });
    const device = DeviceChain.create({
      instance: chain,
      physicalDevice: gpu,
      info: deviceInfo,
      allocator: 0n,
      out,
    }) as DeviceChain;
    use({ driver, instance: chain.handle, gpu, device: device.handle });
    device.destroy(0n);
    chain.destroy(0n);
  } finally {
    memory.release(mark);
  }
}

/** A struct in the arena; its address. */
export function struct(name: string, object: StructObject): bigint {
  const memory = arena(), { size, encodeOut, encode } = codec(name), at = memory.alloc(size);
  if (name.endsWith("Info")) {
    encode(name === "VkDeviceCreateInfo" ? { pQueueCreateInfos: QUEUES, ...object } : object, at);
  } else encodeOut(object, at);
  return memory.address(at);
}

const QUEUES = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];

function firstGpu(driver: Driver, instance: bigint): bigint {
  const memory = arena(), count = memory.alloc(4), out = memory.alloc(8);
  memory.view.setUint32(count, 1, true);
  const enumerate = driverProc(driver, instance, "vkEnumeratePhysicalDevices");
  invokeAddress(enumerate, "s:qqq", [instance, memory.address(count), memory.address(out)]);
  return memory.view.getBigUint64(out, true);
}
