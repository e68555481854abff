import { checkArguments } from "../../arguments.ts";
import type { AsyncComposer } from "../../composer.ts";
import { namingErrors } from "../../core/refusal.ts";
import { CALLBACK } from "../../device_types.ts";
import { FUNCTION_NAMES } from "../../function_names.ts";
import { HwcError } from "../../hwc_error.ts";
import { COMMANDS } from "../../remote/commands.ts";
import { ERROR } from "../../types.ts";
import { actions } from "./actions.ts";
import type { BinderConnection } from "./connection.ts";
import { frames } from "./frames.ts";
import { layers } from "./layers.ts";
import type { Methods } from "./methods.ts";
import { deviceMethods, questions } from "./questions.ts";

/** A composer of another process, by binder. */
export type BinderComposer = AsyncComposer & AsyncDisposable & {
  /** Sends the commands that wait to be sent with their frame. Throws the error of the first command that failed. */
  flush(): Promise<void>;
  /** A service takes sync_files, and Pumice's takes the kind that other processes can wait for. */
  readonly takesAnyFence: false;
  /** The version of the service's interface. */
  readonly version: number;
};

type Method = (...args: never[]) => unknown;

/**
 * The composer that a connection looks like; `own` methods are those of the language alone, and `lacks` tells those that
 * the service's version does not have.
 */
export function composerOver(
  connection: BinderConnection,
  own: Methods = {},
  lacks: (method: string) => boolean = () => false,
): BinderComposer {
  const methods: Methods = {
    ...questions(connection),
    ...actions(connection),
    ...frames(connection),
    ...layers(connection),
  };
  const named = namingErrors({ ...methods, ...deviceMethods(connection), ...own });
  const checked = Object.fromEntries(
    Object.entries(named).map(([name, method]) => [name, (...args: never[]) => {
      checkArguments(name, args);
      return (method as Method)(...args);
    }]),
  );
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    connection.close();
  };
  const composer: Record<PropertyKey, unknown> = {
    ...missing(checked),
    ...checked,
    registerCallback: (descriptor: number, listener: ((...args: unknown[]) => void) | null) =>
      register(connection, descriptor, listener),
    getFunction: (descriptor: number) => {
      const name = FUNCTION_NAMES[descriptor] as string, isThere = name in checked || name === "registerCallback";
      return isThere && !lacks(name) ? composer[name] : undefined;
    },
    takesAnyFence: false,
    version: connection.service.version,
    flush: async () => void await connection.flush("flush"),
    close,
    [Symbol.dispose]: close,
    [Symbol.asyncDispose]: () => Promise.resolve(close()),
  };
  return composer as unknown as BinderComposer;
}

/** Methods that the interface has no words for. */
function missing(known: Readonly<Record<string, unknown>>): Record<string, Method> {
  const names = Object.keys(COMMANDS).filter((name) => !(name in known));
  return Object.fromEntries(names.map((name) => [name, (...args: never[]) => {
    checkArguments(name, args);
    throw new HwcError(name, ERROR.UNSUPPORTED, "the interface of the service has no such method");
  }]));
}

async function register(
  connection: BinderConnection,
  descriptor: number,
  listener: ((...args: unknown[]) => void) | null,
): Promise<void> {
  checkArguments("registerCallback", [descriptor, listener]);
  const { listeners } = connection, isFirst = !connection.isRegistered;
  listeners.set(descriptor, listener);
  if (!listener) return;
  await connection.register();
  if (!isFirst && descriptor === CALLBACK.HOTPLUG) listeners.replayHotplugs();
}
