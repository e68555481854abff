import { codec, structsAt } from "../../../loader/codec/codec.ts";
import { type Parameter, planOf } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { argumentReader, type Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import type { TraceFields } from "../../../loader/layers/shipped/trace/line.ts";
import { type Style, traceStruct } from "../../../loader/layers/shipped/trace/value.ts";
import { makes } from "./commands.ts";
import { dropIgnored } from "./ignored.ts";
import type { RecordedCall } from "./line.ts";
import type { HandleNames } from "./names.ts";

/** Makes lines from the raw calls of one command. */
export interface CallReader {
  /** Reads the inputs, before the call. */
  given(args: Arguments): RecordedCall;
  /** Adds the outputs. Returns whether the call had an effect: the first of two calls may only ask for a count. */
  complete(call: RecordedCall, args: Arguments): boolean;
}

/** Returns the reader of a command's calls. */
export function callReader(command: string, style: Style, names: HandleNames): CallReader {
  const { parameters } = planOf(findCommand(command)!), inputs = argumentReader(command, style);
  const handle: Style["handle"] = (type, value) =>
    makes(command) ? names.add(type, value) : owner ? names.gotFrom(owner, type, value) : names.got(type, value);
  let owner: string | undefined;
  const outputs = argumentReader(command, { ...style, handle });
  const asked = parameters.filter(isAsked), told = parameters.filter(isTold);
  return {
    given(raw) {
      const args = pick(inputs.inputs(raw), asked) as RecordedCall["args"];
      dropIgnored(args);
      return { command, args };
    },
    complete(call, raw) {
      if (told.length === 0) return true;
      owner = call.args.swapchain;
      call.out = pick(outputs.outputs(raw), told);
      return Object.keys(call.out).length === told.length;
    },
  };
}

/** Whether a replay needs an input. Counts follow from their lists, and allocators belong to the program. */
function isAsked({ role, type }: Parameter): boolean {
  return !["output", "fill", "count"].includes(role) && type !== "VkAllocationCallbacks";
}

/** Whether a replay needs an output. */
function isTold({ role, kind, len }: Parameter): boolean {
  return role === "output" && (["h", "struct", "u32", "u64"].includes(kind) || kind === "void" && len !== "");
}

function pick(fields: TraceFields, parameters: readonly Parameter[]): TraceFields {
  return Object.fromEntries(
    parameters.filter(({ name }) => fields[name] !== null).map(({ name }) => [name, fields[name]]),
  );
}

/** Reads a VkCommandBufferBeginInfo, which does not say itself whether its inheritance info counts. */
export function beginInfo(address: bigint, level: number, style: Style): TraceFields {
  const { size, decode, layout } = codec("VkCommandBufferBeginInfo");
  return inFrame((memory) => traceStruct(layout, decode(memory.copyIn(address, size), level), style));
}

/**
 * Reads the VkAccelerationStructureBuildRangeInfoKHR of builds, of which each has
 * as many as it has geometries. `address` is that of their addresses.
 */
export function buildRanges(address: bigint, builds: RecordedCall["args"][], style: Style): TraceFields[][] {
  const { layout } = codec(BUILD_RANGE);
  return builds.map(({ pGeometries = [], ppGeometries = [] }, index) => {
    const { length } = pGeometries.length > 0 ? pGeometries : ppGeometries;
    const ranges = structsAt(BUILD_RANGE, peek64(address + BigInt(8 * index)), length);
    return ranges.map((each) => traceStruct(layout, each, style));
  });
}

const BUILD_RANGE = "VkAccelerationStructureBuildRangeInfoKHR";
