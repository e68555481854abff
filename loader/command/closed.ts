/** The key under which objects say whether what they belong to is closed: methods that were taken out before look there. */
export const IS_CLOSED: unique symbol = Symbol("closed");

/** Throws: what a command is called on is closed. */
export function refuseClosed(command: string, subject: string): never {
  throw new TypeError(`Cannot call ${command}: the ${subject} is closed; keep it open while its objects are in use`);
}

/** Throws likewise, about the object itself. */
export function refuseObject(command: string, object: object): never {
  return refuseClosed(command, (object as { type?: string }).type ?? "loader");
}
