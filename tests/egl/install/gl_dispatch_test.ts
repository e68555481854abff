import { assertEquals } from "@std/assert";
import { DispatchFollower } from "../../../egl/install/gl_dispatch.ts";
import { peek32, peek64, poke64 } from "../../../ffi/machine.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";

const EGL = 1, GLX = 0, TABLE = 0x1234_5678_9abcn, VENDOR = 7;

/** A driver and a libGLdispatch that note what they are asked. */
function recorded() {
  const calls: (string | number | bigint)[][] = [], native = new DisposableStack();
  const now = { state: 0n, succeeds: 1 };
  const thunk = (name: string, signature: string, work: (...args: (number | bigint)[]) => number | bigint | void) => {
    const made = createThunk(signature, (...args) => {
      calls.push([name, ...args]);
      return work(...args) as number;
    });
    native.defer(() => made.free());
    return made.address;
  };
  const egl = {
    makeCurrent: thunk("makeCurrent", "w:qqqq", () => now.succeeds),
    releaseThread: thunk("releaseThread", "w:", () => now.succeeds),
    getProcAddress: 0n,
  };
  const shared = {
    state: thunk("state", "q:", () => now.state),
    take: thunk("take", "w:qqsq", (state) => (now.state = state as bigint, 1)),
    lose: thunk("lose", "v:", () => void (now.state = 0n)),
    table: TABLE,
    vendor: VENDOR,
  };
  const follower = DispatchFollower.make(egl, shared)!;
  native.use(follower);
  return { calls, now, follower, [Symbol.dispose]: () => native.dispose() };
}

const names = (calls: readonly (readonly unknown[])[]) => calls.map(([name]) => name);

Deno.test("libGLdispatch is told of the first context on a thread, and of the last one's end", () => {
  using recording = recorded();
  const { calls, now, follower } = recording;
  const makeCurrent = (...args: bigint[]) => bindByAddress("w:qqqq")(...args, follower.makeCurrent);
  assertEquals(makeCurrent(1n, 2n, 3n, 1n << 40n), 1);
  const [asked, , taken] = calls.splice(0);
  assertEquals(asked, ["makeCurrent", 1n, 2n, 3n, 1n << 40n]);
  assertEquals(taken, ["take", now.state, TABLE, VENDOR, 0n]);
  assertEquals([peek32(now.state), peek64(now.state + 8n)], [EGL, libcAddress("free")]);
  assertEquals(makeCurrent(1n, 2n, 3n, 5n), 1);
  assertEquals(names(calls.splice(0)), ["makeCurrent", "state"]);
  assertEquals(makeCurrent(1n, 0n, 0n, 0n), 1);
  assertEquals(names(calls.splice(0)), ["makeCurrent", "state", "lose"]);
  assertEquals(makeCurrent(1n, 0n, 0n, 0n), 1);
  assertEquals(names(calls.splice(0)), ["makeCurrent", "state"]);
});

Deno.test("libGLdispatch is told nothing where the driver refuses, nor of what is another API's", () => {
  using recording = recorded();
  const { calls, now, follower } = recording;
  const makeCurrent = (...args: bigint[]) => bindByAddress("w:qqqq")(...args, follower.makeCurrent);
  now.succeeds = 0;
  assertEquals(makeCurrent(1n, 2n, 3n, 4n), 0);
  assertEquals(names(calls.splice(0)), ["makeCurrent"]);
  now.succeeds = 1;
  makeCurrent(1n, 2n, 3n, 4n);
  const own = now.state;
  poke64(own, BigInt(GLX));
  makeCurrent(1n, 0n, 0n, 0n);
  assertEquals([calls.splice(0).at(-1)![0], now.state], ["state", own]);
  poke64(own, BigInt(EGL));
  assertEquals(bindByAddress("w:")(follower.releaseThread), 1);
  assertEquals([names(calls), now.state], [["releaseThread", "state", "lose"], 0n]);
});
