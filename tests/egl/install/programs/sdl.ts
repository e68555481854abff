/**
 * SDL's renderer for OpenGL ES 2 draws a picture without a screen:
 * `sdl.ts DRIVER LIBRARY`; it prints what came of it.
 *
 * @module
 */
import { loadEgl } from "../../../../egl/mod.ts";
import { arena } from "../../../../ffi/arena.ts";
import { readCString } from "../../../../ffi/cstring.ts";
import { NativeProgram } from "../../../loader/install/programs/call_native.ts";

const VIDEO = 0x20, HIDDEN_GL = 0xa, ACCELERATED = 2, RGBA = 0x16762004, SIDE = 32; // SDL_PIXELFORMAT_ABGR8888: bytes R, G, B, A

Deno.env.set("SDL_VIDEODRIVER", "offscreen");
const [driver, path] = Deno.args, said: string[] = [];
using egl = loadEgl({ driver, log: (message) => said.push(message) });
using _installed = egl.install();
const sdl = new NativeProgram(path), why = () => readCString(sdl.call("SDL_GetError", "q:") as bigint);
sdl.must(1, why, "SDL_SetHint", "s:qq", "SDL_RENDER_DRIVER", "opengles2");
sdl.must(0, why, "SDL_Init", "s:w", VIDEO);
const window = sdl.call("SDL_CreateWindow", "q:qssssw", "test", 0, 0, SIDE, SIDE, HIDDEN_GL) as bigint;
if (window === 0n) throw new Error(`SDL_CreateWindow: ${why()}`);
const renderer = sdl.call("SDL_CreateRenderer", "q:qsw", window, -1, ACCELERATED) as bigint;
if (renderer === 0n) throw new Error(`SDL_CreateRenderer: ${why()}`);
const memory = arena(), info = memory.alloc(128), pixels = memory.alloc(4 * SIDE * SIDE), rect = memory.alloc(16);
sdl.must(0, why, "SDL_GetRendererInfo", "s:qq", renderer, memory.address(info));
new Int32Array(memory.bytes.buffer, memory.bytes.byteOffset + rect, 4).set([0, 0, SIDE / 2, SIDE]);
color(0, 0, 255);
sdl.must(0, why, "SDL_RenderClear", "s:q", renderer);
color(255, 0, 0);
sdl.must(0, why, "SDL_RenderFillRect", "s:qq", renderer, memory.address(rect));
sdl.must(0, why, "SDL_RenderReadPixels", "s:qqwqs", renderer, 0n, RGBA, memory.address(pixels), 4 * SIDE);
const pixel = (x: number) => [...memory.bytes.slice(pixels + 4 * (SIDE * 7 + x)).slice(0, 4)];
const drawn = [pixel(3), pixel(SIDE - 3)], name = readCString(memory.view.getBigUint64(info, true));
sdl.call("SDL_RenderPresent", "v:q", renderer);
sdl.call("SDL_DestroyRenderer", "v:q", renderer);
sdl.call("SDL_DestroyWindow", "v:q", window);
sdl.call("SDL_Quit", "v:");
console.log(JSON.stringify({ renderer: name, drawn, said: said.slice(1) })); // the first sentence tells the driver

function color(red: number, green: number, blue: number): void {
  sdl.must(0, why, "SDL_SetRenderDrawColor", "s:qwwww", renderer, red, green, blue, 255);
}
