import type { CommandName } from "../../remote/commands.ts";
import type { IComposerClientMethods } from "../gen/composer3_gen.ts";
import type { BinderConnection } from "./connection.ts";

/** The methods whose name and types are the composer's, too. */
export type SameName = Exclude<keyof IComposerClientMethods & CommandName, "executeCommands">;
// deno-lint-ignore no-explicit-any
export type AnyMethod = (...args: any[]) => Promise<any>;

/** Asks by such a method. */
export function askAny(connection: BinderConnection, name: SameName, args: readonly unknown[]): ReturnType<AnyMethod> {
  return connection.ask(name, (service) => (service[name] as AnyMethod)(...args));
}
