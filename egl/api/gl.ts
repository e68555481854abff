import type { GlCommands, GlRawCommands } from "../gen/gl_commands_gen.ts";

/** The commands of OpenGL ES for scripts. */
export interface Gl extends GlCommands {
  /** The same commands in their raw form. */
  readonly raw: GlRawCommands;
}
