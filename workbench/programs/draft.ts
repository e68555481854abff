import type { Choices } from "./choices.ts";
import type { FuzzFacts } from "./facts.ts";
import type { Format } from "./formats.ts";
import type { Memory } from "./memory.ts";
import type { Arguments, Writer } from "./writer.ts";

/** The parts that every writer of a program's lines needs. */
export interface Draft {
  /** Decides. Each action has its own. */
  readonly choices: Choices;
  /** The lines. */
  readonly writer: Writer;
  /** Memory, and data of the program. */
  readonly memory: Memory;
  /** The abilities of the drivers. */
  readonly facts: FuzzFacts;
  /** Whether commands go to a secondary command buffer. */
  isSecondary: boolean;
  /** Whether images of a format have features. */
  can(format: Format, features: number): boolean;
  /** Whether the drivers have a feature. */
  has(feature: string): boolean;
  /** Writes a command that copies, blits or resolves, as Vulkan 1.0 has the command or as Vulkan 1.3 does. */
  transfer(command: string, args: Arguments): void;
}
