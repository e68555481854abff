import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds between two looks at the memory. */
const LOOK = 100;
/** The growth of the heap between two collections: in bytes, and as a part of a large heap. */
const GROWTH = 6 << 20, PART = 0.25;

/**
 * Keeps this process small until the end of the returned scope, however many messages pass. V8 would let the garbage of
 * messages grow to 100 MB before it collects, and the flags against that have no effect after the start of a process.
 * Where V8 gives no way to collect, nothing happens.
 */
export function keepMemorySmall(): Disposable {
  const collect = collector();
  if (!collect) return { [Symbol.dispose]() {} };
  let last = held();
  const look = () => {
    if (held() - last < Math.max(GROWTH, PART * last)) return;
    collect();
    last = held();
  };
  const timer = setInterval(look, LOOK);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Bytes of the heap, unused ones included, and of the buffers that the heap keeps. */
function held(): number {
  const { heapTotal, external } = Deno.memoryUsage();
  return heapTotal + external;
}

/** V8's function for collecting all garbage. Only contexts that are made after the flag was set have the function. */
function collector(): (() => void) | undefined {
  try {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    return typeof collect === "function" ? () => void collect() : undefined;
  } catch {
    return undefined; // older versions of Deno
  }
}
