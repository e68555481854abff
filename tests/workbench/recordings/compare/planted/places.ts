import type { RecordedCall, RecordedLine, RecordedStream } from "../../../../../workbench/layers.ts";
import { type Args, type Fault, keyOf, type Kind, type Place } from "./fault.ts";

/** A call of a recording with its place. */
export interface PlacedCall {
  readonly place: Place;
  readonly call: RecordedCall;
  /** Index of the line. */
  readonly index: number;
}

/** Returns the calls of a recording with their places. */
export function placed(lines: readonly RecordedLine[]): PlacedCall[] {
  const buffers = new Map<string, number>(), counts = new Map<string, number>();
  let allocated = 0;
  return lines.flatMap((call, index): PlacedCall[] => {
    if (!("command" in call)) return [];
    const { command, args, out } = call;
    if (command === "vkAllocateCommandBuffers") {
      for (const each of out!.pCommandBuffers) buffers.set(each, allocated++);
    }
    const buffer = command.startsWith("vkCmd") ? buffers.get(args.commandBuffer) : undefined;
    const key = keyOf({ command, buffer, nth: 0 }), nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    return [{ place: { command, buffer, nth }, call, index }];
  });
}

/** Returns all faults of a kind that a recording can have. */
export function faultsOf({ name, commands, change }: Kind, { lines, data }: RecordedStream): Fault[] {
  return placed(lines).filter(({ place, call }) =>
    commands.includes(place.command) && change(asRead(call.args, data) as Args) !== "unsuitable"
  ).map(({ place }) => ({ ...place, kind: name }));
}

/** A copy of recorded arguments with their bytes, as a layer reads them. */
function asRead(value: unknown, data: RecordedStream["data"]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength).slice();
  }
  if (Array.isArray(value)) return value.map((each) => asRead(each, data));
  const { bytes, data: hash } = value as { bytes?: unknown; data?: unknown };
  if (typeof bytes === "string") return Uint8Array.fromHex(bytes);
  if (typeof hash === "string") return data(hash).slice();
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asRead(each, data)]));
}
