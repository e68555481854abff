import { NativeBlock } from "../block.ts";
import { callAtThreadEnd } from "../call_at_thread_end.ts";
import { DOOR, INVOKE, SPILL, VISIT_STATE } from "../emit/layout.ts";
import { invoke, placeCall, readResult } from "../invoke.ts";
import { libcAddress } from "../libc.ts";
import { copy, poke64 } from "../machine.ts";
import { parseSignature } from "../signature.ts";
import { type Core, coreImage } from "../image/core.ts";
import { enterVisit } from "./body.ts";

/** The number of the system call futex, by `Deno.build.arch`. */
const FUTEX: Readonly<Record<string, number>> = { x86_64: 202, aarch64: 98 };
/** For pthread_attr_setdetachstate. */
const PTHREAD_CREATE_DETACHED = 1;
/** Bytes of the keeper's stack; what Deno does there is little. */
const KEEPER_STACK = 512 * 1024;

/** A door at work. */
interface OpenDoor {
  readonly core: Core;
  /** What thunks leave their arguments in, and where that is. */
  readonly spill: DataView<ArrayBuffer>;
  readonly spillAddress: bigint;
  /** What visitors are to carry out, once there was something: one at a time, as this thread waits meanwhile. */
  order?: NativeBlock;
  /** Makes and starts the keeper, once. */
  start: (() => void) | undefined;
  /** Deno keeps what native code calls only as long as somebody has it. */
  readonly callback: Deno.UnsafeCallback<{ readonly parameters: readonly []; readonly result: "void" }>;
}

let open: OpenDoor | undefined;
/** The visit whose call is being answered; 0n for none. */
let visiting = 0n;

/**
 * Makes all that other threads' calls need to be answered here, and returns the
 * door's address; what makes callbacks calls it. The keeper comes with the first who may wait.
 */
export function prepareDoor(spill: DataView<ArrayBuffer>, spillAddress: bigint): bigint {
  const core = coreImage()!;
  if (open) return core.doorAddress;
  const callback = new Deno.UnsafeCallback({ parameters: [], result: "void" } as const, answerVisits);
  const words: [offset: number, value: bigint][] = [
    [DOOR.syscall, libcAddress("syscall")],
    [DOOR.futex, BigInt(FUTEX[Deno.build.arch] ?? 0)],
    [DOOR.callback, Deno.UnsafePointer.value(callback.pointer)],
    [DOOR.invoke, core.image.address("invoke")],
    [DOOR.wait, core.image.address("waitForAnswer")],
  ];
  for (const [offset, value] of words) core.door.setBigUint64(offset, value, true);
  open = { core, spill, spillAddress, start: starter(core), callback };
  return core.doorAddress;
}

/** Sees that somebody minds the door: once there may be visits. */
export function mindDoor(): void {
  open!.start?.();
  open!.start = undefined;
}

/** What starts the keeper. Its functions are looked up beforehand, where Deno may be asked. */
function starter({ image, doorAddress: door }: Core): () => void {
  const [begin, detach, stack, create] = [
    "pthread_attr_init",
    "pthread_attr_setdetachstate",
    "pthread_attr_setstacksize",
    "pthread_create",
  ].map(libcAddress);
  const attributes = door + BigInt(DOOR.attributes), shut = image.address("shutDoor");
  return () => {
    invoke(begin, "s:q", [attributes]);
    invoke(detach, "s:qs", [attributes, PTHREAD_CREATE_DETACHED]);
    invoke(stack, "s:qq", [attributes, BigInt(KEEPER_STACK)]);
    invoke(create, "s:qqqq", [door + BigInt(DOOR.keeper), attributes, image.address("keepDoor"), door]);
    callAtThreadEnd("shutDoor", door);
    globalThis.addEventListener("unload", () => invoke(shut, "v:q", [door])); // for exit handlers of other libraries
  };
}

/** Answers all who have come. */
function answerVisits(): void {
  const { image, doorAddress: door } = open!.core;
  let visit = invoke(image.address("takeVisits"), "q:q", [door]) as bigint;
  while (visit !== 0n) {
    const state = answer(visit) ? VISIT_STATE.answered : VISIT_STATE.refused;
    visit = invoke(image.address("settleVisit"), "q:qwq", [visit, state, door]) as bigint;
  }
}

/** Runs what was called; its arguments are read from where those of this thread's own calls are. */
function answer(visit: bigint): boolean {
  const { spill, spillAddress } = open!;
  copy(spillAddress, visit, SPILL.size);
  visiting = visit;
  try {
    if (!enterVisit(spill)) return false;
  } finally {
    visiting = 0n;
  }
  poke64(visit + BigInt(SPILL.result), spill.getBigUint64(SPILL.result, true));
  return true;
}

/** Whether a call is being answered that another thread waits for. */
export function isVisited(): boolean {
  return visiting !== 0n;
}

/**
 * Has the thread whose call is being answered call an address, for what only
 * that thread can do, and returns the result. This thread waits; what that one
 * calls meanwhile that is to be answered here goes on without.
 */
export function callOnVisitor(
  address: bigint,
  signature: string,
  args: readonly (number | bigint)[],
): number | bigint | undefined {
  const shape = parseSignature(signature), { image, doorAddress } = open!.core;
  const order = open!.order ??= new NativeBlock(INVOKE.size);
  placeCall(order.view, address, shape, args);
  invoke(image.address("orderVisitor"), "v:qqq", [visiting, order.address, doorAddress]);
  return readResult(order.view, shape.result);
}
