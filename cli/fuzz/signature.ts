import type { DriverDifference } from "../../compare/finding.ts";
import { formatName } from "../../loader/fuzz/formats.ts";
import type { FuzzProgram } from "../../loader/fuzz/generate.ts";

/** Returns what tells a difference from others: how it shows, the command, and the formats that it is about. */
export function signatureOf(difference: DriverDifference, program: FuzzProgram): string {
  const { kind, side, line, action, differences: [first] } = difference;
  const command = action?.command ?? commandAt(program, line);
  const who = side === undefined ? "" : ` on ${"AB"[side]}`, { args } = action ?? { args: undefined };
  const image = first?.piece.image, what = first ? image ? formatName(image.format) : "buffer" : "";
  const source = args && formatOf(program, args.srcImage);
  return [`${kind}${who}`, command, source && source !== what ? `${source} to ${what}` : what].filter((each) => each)
    .join(": ");
}

/** The command of a line of the recording's file, whose first line is a header. */
function commandAt({ recording: { lines } }: FuzzProgram, line = 0): string {
  const found = lines[line - 2];
  return found && "command" in found ? found.command : "";
}

/** The format of an image by its name. */
function formatOf({ recording: { lines } }: FuzzProgram, image: unknown): string | undefined {
  if (image === undefined) return undefined;
  for (const line of lines) {
    if (!("command" in line) || line.command !== "vkCreateImage" || line.out!.pImage !== image) continue;
    return formatName(line.args.pCreateInfo.format);
  }
}
