import type { StampSpec } from "../emit/emitter.ts";
import { isCounted } from "../emit/layout.ts";
import { coreImage, declareStamps, stampAddress as emittedStamp, stampSpec } from "../image/core.ts";
import { PORTABLE, portableFunction, PortableThunk } from "../portable.ts";
import { parseSignature } from "../signature.ts";

export { declareStamps };
export type { StampSpec };

/**
 * Address of a terminator named with {@linkcode declareStamps}: a function that
 * calls the same command at `hiddenOffset` of its first argument's dispatch
 * table and, if that succeeds, stores the table's address in word 0 of every
 * handle returned. Callable from any thread.
 *
 * @example
 * ```ts
 * import { declareStamps, stampAddress } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const create = { handles: "one", argument: 3, result: true, hiddenOffset: 8, failure: 0 } as const;
 * declareStamps([{ name: "exampleCreate", ...create }]);
 * assertEquals(stampAddress("exampleCreate") > 0n, true);
 * ```
 */
export function stampAddress(name: string): bigint {
  return emittedStamp(name) ?? portableStamp(stampSpec(name)!);
}

/**
 * Address of `VkResult setLoaderData(void *holder, void *object)`, which copies
 * the dispatch key of `holder` to `object` and returns `VK_SUCCESS`. Layers get
 * this function as vkSetInstanceLoaderData and vkSetDeviceLoaderData.
 *
 * @example
 * ```ts
 * import { arena, invokeAddress, peek64, poke64, setLoaderDataAddress } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), holder = memory.address(memory.alloc(16)), object = holder + 8n;
 * poke64(holder, 0x1234n);
 * assertEquals(invokeAddress(setLoaderDataAddress(), "s:qq", [holder, object]), 0);
 * assertEquals(peek64(object), 0x1234n);
 * memory.release(mark);
 * ```
 */
export function setLoaderDataAddress(): bigint {
  return coreImage()?.image.address("setLoaderData") ?? portableSetLoaderData();
}

const made = new Map<string, PortableThunk>();

/** A terminator without emitted code; see {@linkcode StampSpec}. */
function portableStamp(spec: StampSpec): bigint {
  const key = JSON.stringify(spec);
  let thunk = made.get(key);
  if (!thunk) {
    made.set(
      key,
      thunk = new PortableThunk(signatureOf(spec), (...args) => runPortably(spec, args), { failure: 0 }),
    );
  }
  return thunk.address;
}

/** `setLoaderData` without emitted code. */
function portableSetLoaderData(): bigint {
  let thunk = made.get("");
  if (!thunk) made.set("", thunk = new PortableThunk(parseSignature("s:qq"), setLoaderData, { failure: -3 }));
  return thunk.address;
}

function setLoaderData(holder: bigint, object: bigint): number {
  PORTABLE.poke64(object, PORTABLE.peek64(holder));
  return 0;
}

/** Passes all arguments as 64 bits. On both processors, that passes narrower arguments as well. */
function signatureOf(spec: StampSpec) {
  return parseSignature(`${spec.result ? "s" : "v"}:${"q".repeat(spec.argument + 1)}`);
}

function runPortably(spec: StampSpec, args: bigint[]): number | undefined {
  if (isCounted(spec) && args[spec.argument - 1] === 0n) return spec.failure | 0;
  const key: bigint = PORTABLE.peek64(args[0]);
  const hidden: bigint = PORTABLE.peek64(key + BigInt(spec.hiddenOffset));
  const room = isCounted(spec) ? PORTABLE.peek32(args[spec.argument - 1]) : Infinity;
  const result = portableFunction(hidden, signatureOf(spec).text)(...args);
  const output = args[spec.argument];
  if (output !== 0n && !(result < 0)) {
    for (const handle of handles(spec, args, output, room)) {
      PORTABLE.poke64(handle, key);
    }
  }
  return result;
}

function* handles(spec: StampSpec, args: bigint[], output: bigint, room: number): Generator<bigint> {
  if (spec.handles === "one") return yield* pointers(output, 1);
  const said = PORTABLE.peek32(spec.lengthAt === undefined ? args[spec.argument - 1] : args[1] + BigInt(spec.lengthAt));
  const count = Math.min(said, room); // a driver may report more elements than there was room for
  const { groupPlaces: group } = spec;
  if (!group) return yield* pointers(output, count);
  for (let index = 0; index < count; index++) {
    const at = output + BigInt(index * group.size);
    yield* pointers(at + BigInt(group.handles), Math.min(PORTABLE.peek32(at + BigInt(group.count)), group.most));
  }
}

function* pointers(array: bigint, count: number): Generator<bigint> {
  for (let index = 0; index < count; index++) {
    const handle: bigint = PORTABLE.peek64(array + BigInt(8 * index));
    if (handle !== 0n) yield handle;
  }
}
