import { assertEquals } from "@std/assert";
import { type BlobCache, openBlobCache } from "../../../egl/mod.ts";
import { type BlobCacheCallbacks, blobCacheCallbacks } from "../../../egl/cache/install.ts";
import { NativeBlock, openBlocks } from "../../../ffi/block.ts";
import { hasFault } from "../../../ffi/error.ts";
import { invokeAddress } from "../../../ffi/invoke.ts";
import { withFolder } from "../../support/temporary.ts";
import { filled } from "./bytes.ts";

/** A cache as a driver sees it, with memory of the driver's: a key of four bytes at 0, values from 16 on. */
class Driver {
  readonly memory = new NativeBlock(1 << 20);
  readonly cache: BlobCache;
  readonly callbacks: BlobCacheCallbacks;

  constructor(cache = openBlobCache()) {
    this.cache = cache;
    this.callbacks = blobCacheCallbacks(cache);
    this.memory.bytes.set([1, 2, 3, 4]);
  }

  set(value: Uint8Array, keySize = 4n, valueSize = BigInt(value.length), at = this.memory.address): void {
    this.memory.bytes.set(value, 16);
    invokeAddress(this.callbacks.set, "v:qqqq", [at, keySize, this.memory.address + 16n, valueSize]);
  }

  /** The result of get, and the first bytes behind the value's address, which were all 0xee. */
  get(room: number, shown = 4, keySize = 4n): [bigint, number[]] {
    this.memory.bytes.fill(0xee, 16);
    const where = room === 0 ? 0n : this.memory.address + 16n;
    const args = [this.memory.address, keySize, where, BigInt.asUintN(64, BigInt(room))];
    const size = invokeAddress(this.callbacks.get, "q:qqqq", args) as bigint;
    return [size, [...this.memory.bytes.subarray(16, 16 + shown)]];
  }

  [Symbol.dispose](): void {
    this.callbacks.free();
    this.cache.close();
    this.memory.close();
  }
}

const NOTHING = [0xee, 0xee, 0xee, 0xee];

Deno.test("get returns the size it needs, and writes only what fits", () => {
  using driver = new Driver();
  assertEquals(driver.get(100), [0n, NOTHING]);
  driver.set(new Uint8Array([7, 8, 9]));
  assertEquals(driver.get(0), [3n, NOTHING]);
  assertEquals(driver.get(2), [3n, NOTHING]);
  assertEquals(driver.get(3), [3n, [7, 8, 9, 0xee]]);
  assertEquals(driver.get(100), [3n, [7, 8, 9, 0xee]]);
});

Deno.test("a cache of many files finds values for a larger buffer, too", () => {
  withFolder((folder) => {
    using driver = new Driver(openBlobCache({ path: `${folder}/c`, multifile: true }));
    driver.set(new Uint8Array([7, 8, 9]));
    assertEquals([driver.get(0)[0], driver.get(100), driver.get(3)[0]], [3n, [3n, [7, 8, 9, 0xee]], 3n]);
    driver.set(filled(200_000, 5));
    const [size, bytes] = driver.get(200_000, 200_001);
    assertEquals([size, bytes.every((byte, at) => byte === (at < 200_000 ? 5 : 0xee))], [200_000n, true]);
  });
});

Deno.test("negative or too large sizes and invalid addresses are ignored", () => {
  using driver = new Driver();
  const NEGATIVE = 2n ** 64n - 1n;
  driver.set(filled(4), NEGATIVE);
  driver.set(filled(4), 4n, NEGATIVE);
  driver.set(filled(4), 2n ** 40n);
  driver.set(filled(4), 4n, 2n ** 40n);
  driver.set(filled(4), 4n, 4n, 0n);
  assertEquals([driver.cache.entries, hasFault()], [0, false]);
  driver.set(filled(4));
  assertEquals([driver.get(-1)[0], driver.get(4, 4, NEGATIVE)[0], driver.get(4, 4, 2n ** 40n)[0]], [0n, 0n, 0n]);
  assertEquals([driver.get(4)[0], hasFault()], [4n, false]);
});

Deno.test("on another thread the cache finds nothing, stores nothing, and never waits", async () => {
  using driver = new Driver();
  driver.set(filled(4));
  const definition = { parameters: ["u64", "u64", "u64", "u64"], result: "u64", nonblocking: true } as const;
  const elsewhere = (address: bigint) => new Deno.UnsafeFnPointer(Deno.UnsafePointer.create(address)!, definition);
  const { address } = driver.memory;
  assertEquals(await elsewhere(driver.callbacks.get).call(address, 4n, address + 16n, 4n), 0n);
  await elsewhere(driver.callbacks.set).call(address, 3n, address + 16n, 4n);
  assertEquals([driver.cache.entries, driver.cache.counts.hits + driver.cache.counts.misses], [1, 0]);
});

Deno.test("closed callbacks find nothing; freed ones leave no memory behind", () => {
  const before = openBlocks();
  {
    using driver = new Driver();
    driver.set(filled(4));
    driver.callbacks.close();
    driver.set(filled(5));
    assertEquals([driver.get(4)[0], driver.cache.entries], [0n, 1]);
  }
  assertEquals(openBlocks(), before);
});
