/**
 * Adds the layer and the command in front of the message of an error that a
 * hook threw. The object, its class, cause and stack stay. A value that cannot
 * be changed, or is not an error, becomes the cause of a new error.
 */
export function blamed(error: unknown, layer: string, command: string): unknown {
  if (!(error instanceof Error)) return wrapped(error, layer, command);
  if (isOverflow(error)) return error;
  const { message, stack } = error;
  if (message.includes(layer) && message.includes(command)) return error;
  const named = `${layer}, ${command}: ${message}`;
  try {
    set(error, "message", named);
    if (typeof stack === "string") set(error, "stack", renamed(stack, error.name, message, named));
    return error;
  } catch {
    return wrapped(error, layer, command);
  }
}

/** Calls a function of a layer, and adds the layer and the place to an error that the function throws. */
export function blaming<Result>(layer: string, place: string, call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    throw blamed(error, layer, place);
  }
}

/** If the stack is full, there is no room to examine it. */
function isOverflow({ message }: Error): boolean {
  return message === "Maximum call stack size exceeded";
}

/** A stack begins with the message of the error's creation. If it does not, the new words are put in front. */
function renamed(stack: string, name: string, message: string, named: string): string {
  const at = message === "" ? -1 : stack.indexOf(message), frames = stack.indexOf("\n    at ");
  if (at >= 0 && (frames < 0 || at < frames)) return stack.slice(0, at) + named + stack.slice(at + message.length);
  return `${name}: ${named}${frames < 0 ? "" : stack.slice(frames)}`;
}

function set(error: Error, name: "message" | "stack", value: string): void {
  Object.defineProperty(error, name, { value, writable: true, configurable: true, enumerable: false });
}

function wrapped(cause: unknown, layer: string, command: string): Error {
  return new Error(`${layer}, ${command}: the hook threw ${String(cause)}`, { cause });
}
