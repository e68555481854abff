import type { AsyncComposer } from "../../composer.ts";
import type { CommandName } from "../../remote/commands.ts";

/** Some of a composer's methods. */
export type Methods = Partial<{ [Name in CommandName]: AsyncComposer[Name] }>;
