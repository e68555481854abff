import { inFrame } from "../../ffi/arena.ts";
import type { MethodParts } from "../command/method.ts";
import { imageSize, indexSize, type PixelStore } from "../command/pixels.ts";
import type { Command } from "../command/spec.ts";
import type { Gl } from "./gl_scope.ts";
import type { State } from "./state.ts";

/** Names of glPixelStorei: alignment, row length, pixels and rows skipped, image height, images skipped. */
const PACK = [0x0D05, 0x0D02, 0x0D04, 0x0D03, 0, 0], UNPACK = [0x0CF5, 0x0CF2, 0x0CF4, 0x0CF3, 0x806E, 0x806D];

/** Works out how many bytes a command reads or writes behind a `void` pointer; `undefined` for commands where nothing tells. */
export function bytesOfCommand(state: State, gl: Gl, { params }: Command): MethodParts["bytes"] {
  const at = (name: string) => params.findIndex((each) => each.name === name);
  const data = params.find(({ code, stars }) => code === "v" && stars === 1),
    [format, type] = [at("format"), at("type")];
  if (!data || data.len[0] !== "@" && data.name !== "pixels") return undefined;
  if (format >= 0 && type >= 0 && at("width") >= 0) {
    const sides = [at("width"), at("height"), at("depth")];
    const names = data.isConst ? UNPACK : PACK;
    return (values) => {
      const [width, height, depth] = sides.map((index) => index < 0 ? 1 : Number(values[index]));
      return imageSize(
        [width, height, depth],
        Number(values[format]),
        Number(values[type]),
        pixelStore(state, gl, names),
      );
    };
  }
  const count = at("count");
  if (data.name !== "indices" || count < 0 || type < 0) return undefined;
  return (values) => {
    const size = indexSize(Number(values[type]));
    return size === undefined ? undefined : Number(values[count]) * size;
  };
}

/** What glPixelStorei() has set; before 3.0 there was the alignment alone. */
function pixelStore({ current }: State, gl: Gl, names: readonly number[]): PixelStore {
  const modern = (current?.context.facts?.version[0] ?? 0) >= 3;
  const [alignment, rowLength, pixels, rows, imageHeight, images] = inFrame((memory) => {
    const at = memory.alloc(16), address = memory.address(at);
    return names.map((name, index) => {
      const fallback = index === 0 ? 4 : 0;
      memory.view.setInt32(at, fallback, true);
      if (name !== 0 && (fallback !== 0 || modern)) gl.raw.glGetIntegerv(name, address);
      return memory.view.getInt32(at, true);
    });
  });
  return { alignment, rowLength, imageHeight, skip: [pixels, rows, images] };
}
