import { inFrame } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import { peek32 } from "../../ffi/machine.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import type { DisplayKind } from "./display.ts";
import type { ContextFacts, ContextObject } from "./objects.ts";
import type { State } from "./state.ts";
import { placeStrings, words } from "./strings.ts";
import { GL_EXTENSIONS, GL_NUM_EXTENSIONS, GL_VERSION } from "../gen/gl_constants_gen.js";

/** The extension of markers, which Android's loader lists in every context. */
export const MARKER = "GL_EXT_debug_marker";

/** Returns the capabilities of a context that is current for the first time, and tells the hook table. */
export function factsOf(state: State, { hooks }: ContextObject, kind: DisplayKind): ContextFacts {
  const api = hooks === 1 ? "gles1" : "gles2", { driver } = state;
  const getString = driver.find("glGetString", api);
  const string = (name: number) => readCString(bindByAddress("q:w")(name, getString) as bigint, 1 << 20);
  const text = string(GL_VERSION), version = versionIn(text), isDesktop = !text.startsWith("OpenGL ES");
  // Newer contexts of desktop OpenGL have no list in one piece, and asking for it would be an error of theirs.
  const all = isDesktop && version[0] >= 3 ? indexedExtensions(state) : words(string(GL_EXTENSIONS));
  if (isDesktop) state.dispatch.admitAll(hooks);
  else state.dispatch.admit(hooks, version, new Set(all));
  const extensions = kind === "drivers" || all.includes(MARKER) ? all : [MARKER, ...all];
  const { memory, addresses: [list, ...names] } = placeStrings([
    extensions.map((name) => `${name} `).join(""),
    ...extensions,
  ]);
  return { version, isDesktop, extensions, list, names, memory };
}

/** `OpenGL ES 3.2 Mesa …`, `OpenGL ES-CM 1.1 …`. */
function versionIn(text: string): [number, number] {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return [Number(major ?? 1), Number(minor ?? 0)];
}

/** Contexts without the old list have one name at a time. */
function indexedExtensions({ driver }: State): string[] {
  const getString = driver.find("glGetStringi", "gles2"), getInteger = driver.find("glGetIntegerv", "gles2");
  if (getString === 0n || getInteger === 0n) return [];
  const count = inFrame((memory) => {
    const at = memory.address(memory.alloc(16));
    bindByAddress("v:wq")(GL_NUM_EXTENSIONS, at, getInteger);
    return peek32(at);
  });
  const name = (index: number) => readCString(bindByAddress("q:ww")(GL_EXTENSIONS, index, getString) as bigint);
  return Array.from({ length: count }, (_, index) => name(index));
}
