import { LASTING, NativeBlock } from "../block.ts";
import { CROSSING_STATE, GATE, INVOKE, LEAVE, SPILL, WAKE } from "../emit/layout.ts";
import { invokeAddress, placeCall, readResult } from "../invoke.ts";
import { libcAddress } from "../libc.ts";
import { copyMemory, poke64 } from "../machine.ts";
import { parseSignature } from "../signature.ts";
import { type Core, coreImage } from "../image/core.ts";
import { enterCrossing } from "./body.ts";

/** The number of the system call futex, by `Deno.build.arch`. */
const FUTEX: Readonly<Record<string, number>> = { x86_64: 202, aarch64: 98 };
/** For pthread_attr_setdetachstate. */
const PTHREAD_CREATE_DETACHED = 1;
/** Bytes of the keeper's stack. The signal's handler needs little. */
const KEEPER_STACK = 128 * 1024;

/** A gate at work. */
interface OpenGate {
  readonly core: Core;
  /** The view and the address of the memory in which thunks leave their arguments. */
  readonly spill: DataView<ArrayBuffer>;
  readonly spillAddress: bigint;
  /** The texts of the sentence about a long wait: what is around a name, and the names so far. */
  readonly texts: NativeBlock;
  /** Places of names in the texts. */
  readonly names: Map<string, number>;
  /** The place for the next name, an offset in `texts`. */
  end: number;
  /** The call that a caller carries out, made at first use. One is enough, because this thread waits meanwhile. */
  order?: NativeBlock;
  /** Makes and starts the keeper; `undefined` after the first call. */
  start: (() => void) | undefined;
}

let open: OpenGate | undefined;
/** The crossing whose call is running here; 0n for none. */
let answering = 0n;

/**
 * Prepares the gate through which other threads' calls reach this isolate, and
 * returns the gate's address. Code that makes callbacks calls this function.
 * The keeper starts only when a thread may have to wait.
 *
 * No other thread enters a `Deno.UnsafeCallback`. When a `Worker` ends, Deno
 * frees its callbacks before native code can notice the end, and a thread that
 * is about to enter one cannot be seen. A signal belongs to the process and
 * outlives every isolate.
 */
export function prepareGate(spill: DataView<ArrayBuffer>, spillAddress: bigint): bigint {
  const core = coreImage()!;
  if (open) return core.gateAddress;
  Deno.addSignalListener(WAKE.name, answerCrossings);
  const words: [offset: number, value: bigint][] = [
    [GATE.syscall, libcAddress("syscall")],
    [GATE.futex, BigInt(FUTEX[Deno.build.arch] ?? 0)],
    [GATE.wake, libcAddress("raise")],
    [GATE.invoke, core.image.address("invoke")],
    [GATE.wait, core.image.address("waitForAnswer")],
  ];
  for (const [offset, value] of words) core.gate.setBigUint64(offset, value, true);
  open = {
    core,
    spill,
    spillAddress,
    start: starter(core),
    texts: new NativeBlock(TEXTS, LASTING),
    names: new Map(),
    end: 0,
  };
  prepareSentence(open);
  return core.gateAddress;
}

/** Bytes of all names of commands, and of a sentence. */
const TEXTS = 0x8000;
/** Seconds for which a caller waits before it says so. */
const PATIENCE = 2n;
/** A `pollfd` of standard error that asks for POLLOUT, and the answer. */
const POLL = 2n | 4n << 32n, POLLED = POLL | 4n << 48n;
const SENTENCE = [
  "pumice: ",
  " on thread ",
  " has waited two seconds for the loader's thread; if that thread waits for this one, neither goes on: see " +
  "docs/linux-differences.md\n",
];

function prepareSentence({ core: { gate }, texts: { address, bytes }, ...rest }: OpenGate): void {
  gate.setBigUint64(GATE.patience, PATIENCE, true);
  gate.setBigUint64(GATE.poll, POLL, true);
  gate.setBigUint64(GATE.polled, POLLED, true);
  let end = rest.end;
  SENTENCE.forEach((part, index) => {
    const { written } = new TextEncoder().encodeInto(part, bytes.subarray(end));
    gate.setBigUint64(GATE.sentence + 16 * index, address + BigInt(end), true);
    gate.setBigUint64(GATE.sentence + 16 * index + 8, BigInt(written), true);
    end += written;
  });
  open!.end = end + 7 & ~7;
  gate.setBigUint64(GATE.unnamed, gateName("a callback"), true);
}

/** The address of a name for {@linkcode THUNK.name}; 0n once there is no more room. The gate must be prepared. */
export function gateName(name: string): bigint {
  const { texts, names, end } = open!, known = names.get(name);
  if (known !== undefined) return texts.address + BigInt(known);
  if (end + 8 + name.length * 3 > TEXTS) return 0n;
  const { written } = new TextEncoder().encodeInto(name, texts.bytes.subarray(end + 8));
  texts.view.setBigUint64(end, BigInt(written), true);
  names.set(name, end);
  open!.end = end + 8 + written + 7 & ~7;
  return texts.address + BigInt(end);
}

/** Starts the keeper, if it does not run yet. Call this function before a thread can come to the gate. */
export function mindGate(): void {
  open!.start?.();
  open!.start = undefined;
}

/**
 * Returns a function that starts the keeper. The C functions are looked up
 * beforehand, where Deno's operations may be called.
 */
function starter({ image, gateAddress: gate, leave }: Core): () => void {
  const [begin, detach, stack, create] = [
    "pthread_attr_init",
    "pthread_attr_setdetachstate",
    "pthread_attr_setstacksize",
    "pthread_create",
  ].map(libcAddress);
  const attributes = gate + BigInt(GATE.attributes);
  return () => {
    invokeAddress(begin, "s:q", [attributes]);
    invokeAddress(detach, "s:qs", [attributes, PTHREAD_CREATE_DETACHED]);
    invokeAddress(stack, "s:qq", [attributes, BigInt(KEEPER_STACK)]);
    invokeAddress(create, "s:qqqq", [gate + BigInt(GATE.keeper), attributes, image.address("keepGate"), gate]);
    leave.setBigUint64(LEAVE.shutGate, image.address("shutGate"), true);
    leave.setBigUint64(LEAVE.gate, gate, true);
  };
}

/** Answers all waiting crossings. There are none if the signal was meant for another isolate. */
function answerCrossings(): void {
  const { image, gateAddress: gate } = open!.core;
  let crossing = invokeAddress(image.address("takeCrossings"), "q:q", [gate]) as bigint;
  while (crossing !== 0n) {
    const state = answer(crossing) ? CROSSING_STATE.answered : CROSSING_STATE.refused;
    crossing = invokeAddress(image.address("settleCrossing"), "q:qwq", [crossing, state, gate]) as bigint;
  }
}

/** Runs the handler of a crossing. The arguments are copied to where the arguments of this thread's own calls are. */
function answer(crossing: bigint): boolean {
  const { spill, spillAddress } = open!;
  copyMemory(spillAddress, crossing, SPILL.size);
  answering = crossing;
  try {
    if (!enterCrossing(spill)) return false;
  } finally {
    answering = 0n;
  }
  poke64(crossing + BigInt(SPILL.result), spill.getBigUint64(SPILL.result, true));
  return true;
}

/** Whether the handler that runs now answers a call of another, waiting thread. */
export function answersCrossing(): boolean {
  return answering !== 0n;
}

/**
 * Lets the crossing thread call an address, for calls that only that thread can
 * make, and returns the result. This thread waits meanwhile, so a callback of
 * that call does not reach a handler here.
 */
export function callOnCaller(
  address: bigint,
  signature: string,
  args: readonly (number | bigint)[],
): number | bigint | undefined {
  const shape = parseSignature(signature), { image, gateAddress } = open!.core;
  const order = open!.order ??= new NativeBlock(INVOKE.size, LASTING);
  placeCall(order.view, address, shape, args);
  invokeAddress(image.address("orderCaller"), "v:qqq", [answering, order.address, gateAddress]);
  return readResult(order.view, shape.result);
}
