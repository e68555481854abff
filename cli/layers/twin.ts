import type { Option } from "../command.ts";

/** The option of commands that run something as on another device. */
export const TWIN: Option = {
  type: "string",
  value: "FILE",
  help: "as on the device in a file or profile; exact:, used: or common: before it is the strictness",
};
