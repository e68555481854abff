import type { DriverDifference } from "../../recordings/compare/finding.ts";
import type { BoundResource, BoundState } from "../../recordings/compare/bound_state.ts";
import { formatName } from "../formats.ts";
import type { FuzzProgram } from "../generate.ts";
import type { RecordedCall } from "../../recordings/record/line.ts";
import type { Arguments } from "../writer.ts";
import { aspectsOf } from "../../../loader/texels/format.ts";

/**
 * Returns what tells a difference from others: how it shows, the command, what
 * sets a draw apart, and the formats, with the aspect if a format has two.
 */
export function signatureOf(difference: DriverDifference, { recording: { lines } }: FuzzProgram): string {
  const { kind, side, line = 0, action } = difference, found = lines[line - HEADERS];
  const call = action ?? (found && "command" in found ? found : undefined);
  const who = side === undefined ? kind : `${kind} on driver ${"AB"[side]}`;
  const what = kind === "differs"
    ? writtenIn(difference)
    : formatsOf(difference, call, lines as readonly RecordedCall[]);
  const trait = kind === "differs" && action ? traitOf(action.boundState) : undefined;
  return [who, call && call.command.replace(NEWER, ""), trait, ...what].filter((each) => each).join(": ");
}

/** Returns the feature that sets a draw apart, whatever its format: the rarest of its pipeline's. */
function traitOf({ state }: BoundState): string | undefined {
  const { pMultisampleState, pDynamicState, pColorBlendState } = state as Arguments ?? {};
  if (pMultisampleState?.rasterizationSamples > 1) return "several samples";
  if (pDynamicState?.pDynamicStates.some((value: number) => value >= EXTENSIONS)) return "dynamic state of 1.3";
  if (pColorBlendState?.pAttachments.some(({ blendEnable }: Arguments) => blendEnable)) return "blending";
  return undefined;
}

/** The first value that is not of Vulkan 1.0. */
const EXTENSIONS = 1e9;

/** The parts of a signature up to its command. */
const COMMAND = 2;
/** With how many formats a difference of one command is told. */
const MOST_FORMATS = 4;

/** Returns the signature under which a difference is told: a command that differs with many formats is one fault. */
export function toldAs(signature: string, told: readonly string[]): string {
  const parts = signature.split(": "), start = parts.slice(0, -1).join(": ") + ": ";
  if (told.includes(signature) || parts.length <= COMMAND) return signature;
  return told.filter((each) => each.startsWith(start)).length < MOST_FORMATS ? signature : `${start}further formats`;
}

/** Lines of the recording's file before line 0. */
const HEADERS = 2;
/** The same command with all arguments in one struct. */
const NEWER = /(?<=^vkCmd(Copy|Blit|Resolve)\w*)2$/;

/** The format that was written, perhaps the one that was read. */
function writtenIn({ action, differences: [first] }: DriverDifference): string[] {
  const image = first?.piece.image, what = image ? formatName(image.format) : "buffer";
  const [source] = (action?.boundState.resources ?? []).filter(({ role }) => role === "srcImage").flatMap(formatIn);
  const written = image && aspectsOf(image.format).length > 1 ? `${what} ${image.aspect}` : what;
  return [source && source !== what ? `${source} to ${written}` : written];
}

/** The formats of all images that a command had in hand, or that its arguments name. */
function formatsOf(
  { action }: DriverDifference,
  call: Pick<RecordedCall, "args"> | undefined,
  lines: readonly RecordedCall[],
): string[] {
  const boundState = action?.boundState.resources.flatMap(formatIn) ?? [];
  const named = boundState.length > 0 || !call
    ? boundState
    : [...namesIn(call.args)].flatMap((name) => formatNamed(name, lines));
  return named.length > 0 ? [[...new Set(named)].sort().join(", ")] : [];
}

function formatIn({ facts: { format } }: BoundResource): string[] {
  return typeof format === "number" ? [formatName(format)] : [];
}

/** The names of objects in arguments. */
function* namesIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
    for (const each of Object.values(value)) yield* namesIn(each);
  }
}

/** The format of an image or of a view by its name. */
function formatNamed(name: string, lines: readonly RecordedCall[]): string[] {
  if (!/^VkImage(View)?#/.test(name)) return [];
  const made = lines.find(({ command, out }) =>
    /^vkCreateImage(View)?$/.test(command) && Object.values(out ?? {}).includes(name)
  );
  return made ? [formatName(made.args.pCreateInfo.format)] : [];
}
