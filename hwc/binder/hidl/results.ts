import type { CommandResultPayload } from "../gen/composer3_gen.ts";
import type { NativeHandle } from "../parcel/hidl/parcel.ts";
import { OPCODE } from "./opcodes.ts";
import { failWith, STATUS } from "../status.ts";
import { commandsIn, longWords, MalformedWords, WordReader, WordWriter } from "./words.ts";

const FULL_BRIGHTNESS = 1, NO_DIMMING = 0;
/** The version that brought a wish for the client target. */
const TARGET_PROPERTY = "2.4";

/** Encodes results; `places` are those of the commands' first words. */
export function encodeResults(
  results: readonly CommandResultPayload[],
  places: readonly number[],
  version: string,
): WordWriter {
  const to = new WordWriter();
  for (const result of results) {
    if (result.tag === "error") to.command(OPCODE.SET_ERROR, places[result.value.commandIndex], result.value.errorCode);
    else encodeResult(to, result, version);
  }
  return to;
}

function encodeResult(to: WordWriter, result: Exclude<CommandResultPayload, { tag: "error" }>, version: string): void {
  if (result.tag === "clientTargetProperty" && version < TARGET_PROPERTY) return;
  to.selectDisplay(BigInt.asUintN(64, result.value.display));
  switch (result.tag) {
    case "changedCompositionTypes": {
      const words = result.value.layers.flatMap(({ layer, composition }) => [...longWords(layer), composition]);
      return to.command(OPCODE.SET_CHANGED_COMPOSITION_TYPES, ...words);
    }
    case "displayRequest": {
      const { mask, layerRequests } = result.value;
      const words = layerRequests.flatMap(({ layer, mask }) => [...longWords(layer), mask]);
      return to.command(OPCODE.SET_DISPLAY_REQUESTS, mask, ...words);
    }
    case "presentFence":
      return to.command(OPCODE.SET_PRESENT_FENCE, to.fence(result.value.fence));
    case "releaseFences": {
      const words = result.value.layers.flatMap(({ layer, fence }) => [...longWords(layer), to.fence(fence)]);
      return to.command(OPCODE.SET_RELEASE_FENCES, ...words);
    }
    case "presentOrValidateResult":
      return to.command(OPCODE.SET_PRESENT_OR_VALIDATE_DISPLAY_RESULT, result.value.result);
    case "clientTargetProperty": {
      const { pixelFormat, dataspace } = result.value.clientTargetProperty;
      return to.command(OPCODE.SET_CLIENT_TARGET_PROPERTY, pixelFormat, dataspace);
    }
  }
}

/**
 * Decodes results; `owners` has the index of the settings of each place. Descriptors in them are copies. An answer with
 * words that are no results is a status like any other, and leaves no copy.
 */
export function decodeResults(
  words: Uint32Array,
  handles: readonly NativeHandle[],
  owners: ReadonlyMap<number, number>,
): CommandResultPayload[] {
  const results: CommandResultPayload[] = [], readers: WordReader[] = [];
  let display = 0n;
  try {
    for (const [, opcode, rest] of commandsIn(words)) {
      const from = new WordReader(rest, handles);
      readers.push(from);
      if (opcode === OPCODE.SELECT_DISPLAY) display = from.u64();
      else if (opcode === OPCODE.SET_ERROR) {
        results.push({ tag: "error", value: { commandIndex: owners.get(from.s32()) ?? 0, errorCode: from.s32() } });
      } else {
        const result = decodeResult(opcode, from, display);
        if (result) results.push(result);
      }
    }
    return results;
  } catch (error) {
    for (const reader of readers) reader.drop();
    if (!(error instanceof MalformedWords)) throw error;
    failWith(STATUS.BAD_VALUE, `the service's answer is malformed: ${error.message}`);
  }
}

/** A result; `undefined` for one of a version that is not known. */
function decodeResult(opcode: number, from: WordReader, display: bigint): CommandResultPayload | undefined {
  switch (opcode) {
    case OPCODE.SET_CHANGED_COMPOSITION_TYPES: {
      const layers = repeated(from, () => ({ layer: from.u64(), composition: from.s32() }));
      return { tag: "changedCompositionTypes", value: { display, layers } };
    }
    case OPCODE.SET_DISPLAY_REQUESTS: {
      const mask = from.s32(), layerRequests = repeated(from, () => ({ layer: from.u64(), mask: from.s32() }));
      return { tag: "displayRequest", value: { display, mask, layerRequests } };
    }
    case OPCODE.SET_PRESENT_FENCE: {
      const fence = from.fence();
      return fence < 0 ? undefined : { tag: "presentFence", value: { display, fence } };
    }
    case OPCODE.SET_RELEASE_FENCES: {
      const layers = repeated(from, () => ({ layer: from.u64(), fence: from.fence() }));
      return { tag: "releaseFences", value: { display, layers } };
    }
    case OPCODE.SET_PRESENT_OR_VALIDATE_DISPLAY_RESULT:
      return { tag: "presentOrValidateResult", value: { display, result: from.s32() } };
    case OPCODE.SET_CLIENT_TARGET_PROPERTY: {
      const clientTargetProperty = { pixelFormat: from.s32(), dataspace: from.s32() };
      const value = { display, clientTargetProperty, brightness: FULL_BRIGHTNESS, dimmingStage: NO_DIMMING };
      return { tag: "clientTargetProperty", value };
    }
  }
}

function repeated<Value>(from: WordReader, read: () => Value): Value[] {
  const values: Value[] = [];
  while (from.left > 0) values.push(read());
  return values;
}
