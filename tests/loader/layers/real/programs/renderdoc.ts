/**
 * Has RenderDoc's layer capture one frame of the demo's scene, by the calls it
 * offers to programs: `renderdoc.ts DRIVER FOLDER LIBRARY above|below`, with an
 * X server in `DISPLAY`. Prints the path of the capture and what a TypeScript
 * layer above or below RenderDoc's counted.
 *
 * @module
 */
import { arena } from "../../../../../ffi/arena.ts";
import { cstring, readCString } from "../../../../../ffi/cstring.ts";
import { invokeAddress, peek64 } from "../../../../../ffi/machine.ts";
import { NativeProgram, outcome } from "../../../install/programs/call_native.ts";
import { counter } from "./counter.ts";
import { show } from "./show.ts";

const API_VERSION_1_1_2 = 10102, LAYER = "VK_LAYER_RENDERDOC_Capture";
/** Byte offsets of the functions in RENDERDOC_API_1_1_2. */
const API = { setPathTemplate: 88n, captureCount: 104n, capture: 112n, start: 152n, end: 168n } as const;

const [driver, folder, library, place] = Deno.args;
const { layer, counts } = counter(place), api = findApi();
call("setPathTemplate", "v:q", arena().place(cstring(`${folder}/frame`)));
const layers = place === "above" ? [layer, LAYER] : [LAYER, layer];
show({ driver, folder, size: { width: 96, height: 54 }, frames: 1, layers, around: capture });
console.log(JSON.stringify({ capture: newest(), counts }));

function findApi(): bigint {
  const renderdoc = new NativeProgram(library), found = outcome();
  renderdoc.must(1, () => "it has no such version", "RENDERDOC_GetAPI", "s:wq", API_VERSION_1_1_2, found.address);
  return found.value();
}

function call(name: keyof typeof API, signature: string, ...args: (number | bigint)[]): number | bigint {
  return invokeAddress(peek64(api + API[name]), signature, args) as number | bigint;
}

/** Begins and ends a capture of the only device and window there are. */
function capture(all: () => void): void {
  call("start", "v:qq", 0n, 0n);
  all();
  if (call("end", "w:qq", 0n, 0n) !== 1) throw new Error("RenderDoc captured nothing");
}

/** The path of the last capture. */
function newest(): string {
  const count = call("captureCount", "w:") as number, path = arena().place(new Uint8Array(4096));
  if (count === 0) throw new Error("RenderDoc knows of no capture");
  call("capture", "w:wqqq", count - 1, path, 0n, 0n);
  return readCString(path);
}
