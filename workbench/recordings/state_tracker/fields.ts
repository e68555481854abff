/** Arguments and structs of a recorded call: what is in them depends on the command. */
// deno-lint-ignore no-explicit-any -- likewise
export type Fields = Record<string, any>;
