import { createDebugMessenger, type DebugMessenger } from "../../loader/mod.ts";
import type { VkInstance } from "../../loader/types.ts";

/** The messages of validation about an instance. */
export interface Messenger extends DebugMessenger {
  /** The messages so far. */
  readonly messages: string[];
}

/** Keeps errors and warnings of every kind. `react` is told each message after it is kept; it may throw. */
export function createMessenger(react: (message: string) => void = () => {}): Messenger {
  const messages: string[] = [];
  const messenger = createDebugMessenger(undefined, ({ message }) => {
    messages.push(message);
    react(message);
  }, { interval: 0 });
  return Object.assign(messenger, { messages });
}

/** Lets the messenger listen to a live instance; returns what takes it away again. */
export function listen(instance: VkInstance, messenger: Messenger): Disposable {
  return messenger.listen(instance);
}
