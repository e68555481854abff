/** Does a bit of everything by a given load method and reports what came out; a worker, because the load method is fixed for good. */
import {
  arena,
  bindByAddress,
  bindByTable,
  CallRing,
  configureImage,
  copyFromArena,
  createLookup,
  createThunk,
  cstring,
  declareStamps,
  fillTable,
  invokeAddress,
  type LoadMethod,
  NameBlob,
  NativeBlock,
  NativeError,
  peek16,
  peek32,
  peek64,
  peek8,
  poke16,
  poke32,
  poke64,
  poke8,
  readCString,
  setLoaderDataAddress,
  stampAddress,
  takeFaults,
} from "../../../ffi/mod.ts";
import { fixture, fixturePath } from "../fixture.ts";

const scope = globalThis as unknown as Worker;

scope.onmessage = (event: MessageEvent<LoadMethod>) => {
  const said: string[] = [];
  configureImage({ loadMethod: event.data, linker: fixturePath(), log: (message) => said.push(message) });
  try {
    scope.postMessage({ results: [calls(), memory(), callbacks(), lookups(), stamps()], said, rings: rings() });
  } catch (error) {
    scope.postMessage({ results: [String(error)], said });
  }
};

/** The result of recording calls of other threads. */
function rings(): string {
  try {
    new CallRing().close();
    return "work";
  } catch (error) {
    return error instanceof NativeError ? error.code : String(error);
  }
}

function objectWith(...entries: bigint[]): bigint {
  const block = new NativeBlock(64);
  block.view.setBigUint64(0, block.address + 8n, true);
  entries.forEach((entry, index) => block.view.setBigUint64(8 + 8 * index, entry, true));
  return block.address;
}

function calls(): unknown[] {
  const offset = arena().alloc(8);
  arena().view.setBigUint64(offset, 7n, true);
  const object = objectWith(0n, fixture("pointers"));
  return [
    bindByAddress("q:qqqqqqq")(1n, 2n, 3n, 4n, 5n, 6n, 7n, fixture("seven")),
    bindByAddress("d:qfwdqf")(1n, 0.5, 3, 2.25, 5n, -1.5, fixture("mixed")),
    bindByTable("q:qooooooooo")(object, offset, 0, 0, 0, 0, 0, 0, 0, offset, 8),
    invokeAddress(fixture("pointers"), "q:qooooooooo", [object, offset, 0, 0, 0, 0, 0, 0, 0, offset]),
    invokeAddress(fixture("negative"), "s:s", [5]),
  ];
}

function memory(): unknown[] {
  const block = new NativeBlock(64), at = block.address;
  poke64(at, 0x1122_3344_5566_7788n);
  poke8(at, 1);
  poke16(at + 2n, 2);
  poke32(at + 4n, 3);
  const offset = arena().place(cstring("grüße")) - arena().base;
  copyFromArena(at + 16n, Number(offset), 8);
  const names = new NameBlob("first second"), table = new NativeBlock(32);
  fillTable({ getProcAddr: fixture("name_hash"), handle: 1n, names, table: table.address });
  const copied = arena().copyIn(at, 8);
  return [
    [peek8(at), peek16(at), peek32(at), peek64(at)],
    [readCString(at + 16n), readCString(at + 16n, 2), readCString(0n)],
    [0, 8, 16].map((entry) => table.view.getBigUint64(entry, true)),
    arena().view.getBigUint64(copied, true),
  ];
}

function callbacks(): unknown[] {
  const call = (address: bigint) => invokeAddress(fixture("call_result"), "s:qq", [address, 5n]);
  const answering = createThunk("s:q", (value: bigint) => Number(value) + 1);
  const throwing = createThunk("s:q", () => {
    throw "fault";
  }, { next: fixture("succeed") });
  const ten = createThunk("q:qqqqqqqqqq", (...args: bigint[]) => args.reduce((sum, arg) => sum * 10n + arg));
  const before = [
    call(answering.address),
    call(throwing.address),
    invokeAddress(fixture("call10"), "q:q", [ten.address]),
  ];
  answering.close();
  throwing.close();
  const after = [call(answering.address), call(throwing.address)];
  for (const thunk of [answering, throwing, ten]) thunk.free();
  return [before, after, takeFaults()];
}

function lookups(): unknown[] {
  const lookup = createLookup([["known", 5n]], fixture("name_hash"));
  lookup.set("more", 6n);
  const ask = (name: string) => {
    const offset = Number(arena().place(cstring(name)) - arena().base);
    return invokeAddress(fixture("ask"), "q:qqo", [lookup.address, 1n, offset]);
  };
  const before = ["known", "more", "other"].map(ask);
  lookup.close();
  return [before, ask("known")];
}

function stamps(): unknown[] {
  declareStamps([
    { name: "get_queue", handles: "one", argument: 3, result: false, hiddenOffset: 8, failure: 0 },
    { name: "enumerate", handles: "array", argument: 2, result: true, hiddenOffset: 16, failure: 0xffff_fffd },
  ]);
  const object = objectWith(0n, fixture("get_queue"), fixture("enumerate"));
  const out = arena().alloc(64), count = arena().alloc(8);
  const keys = () => [2, 3, 4, 5].map((index) => invokeAddress(fixture("key"), "q:w", [index]) === object + 8n);
  invokeAddress(fixture("reset"), "v:", []);
  invokeAddress(stampAddress("get_queue"), "v:qwwo", [object, 0, 5, out]);
  const first = keys();
  arena().view.setUint32(count, 2, true);
  const result = invokeAddress(stampAddress("enumerate"), "s:qoo", [object, count, out]);
  const target = invokeAddress(fixture("object"), "q:w", [4]) as bigint;
  return [first, result, keys(), invokeAddress(setLoaderDataAddress(), "s:qq", [object, target]), keys()];
}
