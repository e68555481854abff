import { type ReadDifference, type VerifiedRecording, verifyRecording } from "../../workbench/recordings/mod.ts";
import type { Request } from "../command.ts";

/** `recording verify`: whether a replay reads what the program read. The exit code is 1 if something differs. */
export function verify(path: string, { json, options, values }: Request, print: (text: string) => void): number {
  const verified = verifyRecording(options, path, {
    unsealed: values.unsealed === true,
    onDifference: (difference) => json || print(differenceText(difference)),
  });
  print(json ? JSON.stringify(verified, null, 2) : textOf(verified));
  return verified.differences.length === 0 ? 0 : 1;
}

function differenceText({ line, resource, first, bytes }: ReadDifference): string {
  return `line ${line}: ${resource} has ${bytes} other bytes, the first at ${first}`;
}

function textOf({ deviceName, recordedOn, calls, reads, differences }: VerifiedRecording): string {
  const other = recordedOn.length > 0 && !recordedOn.includes(deviceName)
    ? `, recorded on ${recordedOn.join(", ")}`
    : "";
  const found = reads === 0
    ? "the program read nothing, so that nothing is proven"
    : `${differences.length} of ${reads} reads differ`;
  return `${deviceName}${other}: ${calls} calls, ${found}`;
}
