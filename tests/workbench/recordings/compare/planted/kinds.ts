import type { Kind } from "./fault.ts";
import { BINDINGS } from "./kinds/bindings.ts";
import { DRAWS } from "./kinds/draws.ts";
import { PASSES } from "./kinds/passes.ts";
import { SHADERS } from "./kinds/shaders.ts";
import { STATE } from "./kinds/state.ts";
import { TRANSFERS } from "./kinds/transfers.ts";

/** All kinds of faults. */
export const KINDS: readonly Kind[] = [...DRAWS, ...BINDINGS, ...STATE, ...SHADERS, ...TRANSFERS, ...PASSES];
