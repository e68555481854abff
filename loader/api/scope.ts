import { IS_CLOSED } from "../../ffi/scalar.ts";
import { checkHandle, directMethod, directRaw, type NativeCall, routedMethod } from "../command/compile.ts";
import { entering } from "../command/compiled/entering.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { refuseClosed } from "../command/runtime.ts";
import { VulkanError } from "../error.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { Layer, LayerControls } from "../layer.ts";
import type { Link } from "../layers/guard/link.ts";
import { compose, passesBy } from "../layers/hooks/hooks.ts";
import { withControls } from "../layers/hooks/places.ts";

/** The key under which prototypes and raw command objects store their scope. */
const SCOPE = Symbol("scope");

/** The parts of the chain that a scope needs. */
export interface ScopeParts {
  /** The handle types of the scope's objects; `""` for the loader itself. */
  readonly types: readonly string[];
  /** The name of the objects in messages, such as `VkDevice`. */
  readonly subject: string;
  /** Raw commands that the chain implements itself, by name. */
  readonly overrides: ReadonlyMap<string, NativeCall>;
  /** Whether the chain below has the command. */
  has(command: Command): boolean;
  /** The TypeScript layers above a command, top to bottom. */
  layers(command: string): readonly Layer[];
  /** Called before each command, if commands may have to be refused. */
  readonly enter?: (command: string) => void;
  /** Returns the object of a returned dispatchable handle. */
  wrap(type: string, handle: bigint): object;
  /** Returns advice for the error of a failed override, beside the code. */
  advise(result: number): string;
}

/** A class of objects that are handles of one type in one scope. */
type HandleClass = new (handle: bigint) => object;

/**
 * The commands of one instance, or of one device, as JavaScript sees them.
 * Objects of a scope share prototypes. A command appears on the prototype when
 * it is first named: the direct method if there are no hooks, otherwise a
 * method that runs the hooks. Therefore a command without hooks costs nothing,
 * and closing a scope turns all its objects into closed ones at once.
 */
export class Scope {
  /** Every command in its raw form: C parameters, handles and addresses as bigints. */
  readonly raw: RawCommands;
  readonly #parts: ScopeParts;
  readonly #classes = new Map<string, HandleClass>();
  readonly #rawPrototype: object;
  readonly #bases: Readonly<Record<string, object>>;
  /** Commands with hooks. */
  readonly #hooked = new Set<NativeCall & Partial<Link>>();
  #open = true;

  /** Makes the prototypes of a scope's objects over the given base classes, one per type. */
  constructor(parts: ScopeParts, bases: Readonly<Record<string, object>>) {
    this.#parts = parts;
    this.#bases = bases;
    this.#rawPrototype = Object.create(RAW_END, { [SCOPE]: { value: this } });
    this.raw = Object.create(this.#rawPrototype);
    for (const type of parts.types) this.#classes.set(type, this.#handleClass(bases[type] ?? {}));
  }

  /** Makes a new object for a handle of this scope. */
  make(type: string, handle: bigint): object {
    return new (this.#classes.get(type)!)(handle);
  }

  /**
   * Returns the object of a returned handle. Throws a `TypeError` for NULL,
   * because calling a command with NULL ends the process.
   */
  wrap(type: string, handle: bigint): object {
    if (handle === 0n && type !== "") {
      throw new TypeError(
        `Cannot use the returned handle: the driver gave no ${type}; check the index or the family`,
      );
    }
    return this.#parts.wrap(type, handle);
  }

  /** Whether a command of one of its objects can be called: by the chain below, or by a layer that provides an extension. */
  supports(name: string): boolean {
    const command = findCommand(name);
    if (!command || !this.#classes.has(typeOf(command))) return false;
    const { has, overrides, layers } = this.#parts;
    return overrides.has(name) || has(command) || layers(name).some((layer) => isProvided(layer, name));
  }

  /** Whether a hook of one of this object's commands is running. */
  get isAmid(): boolean {
    return this.#hooked.values().some((call) => call.isRunning?.() ?? false);
  }

  /** Forgets resolved commands after a change of layers. The objects stay. */
  refresh(): void {
    for (const call of this.#hooked) if (!call.isRunning?.()) this.#hooked.delete(call);
    clearCommands(this.#rawPrototype);
    for (const each of this.#classes.values()) clearCommands(each.prototype);
  }

  /** Makes every object of the scope answer "is closed" from now on. */
  close(): void {
    this.refresh();
    this.#open = false;
    const { subject } = this.#parts;
    Object.setPrototypeOf(this.#rawPrototype, closedPrototype(subject));
    for (const [type, each] of this.#classes) {
      Object.setPrototypeOf(each.prototype, closedPrototype(subject, this.#bases[type]));
      Object.defineProperty(each.prototype, IS_CLOSED, { value: true }); // for methods that somebody has stored
    }
  }

  /** Returns the raw form of a command with all hooks; `undefined` if there is no such command. */
  resolveRaw(name: string): NativeCall | undefined {
    const command = findCommand(name);
    if (!command) return undefined;
    const bottom = this.bottom(command), call = compose(this.#parts.layers(name), command, bottom);
    const { enter } = this.#parts;
    if (call !== bottom) this.#hooked.add(call);
    return enter ? entering(call, command.params.length, () => enter(name)) : call;
  }

  /** Returns the method of a command; `undefined` if there is none or if the command belongs to another type. */
  resolveMethod(name: string, prototype: object): NativeCall | undefined {
    const command = findCommand(name);
    if (!command || !this.#owns(command, prototype)) return undefined;
    if (this.#isAlone(command)) return directMethod(command);
    const raw = this.resolveRaw(name)!;
    const direct = this.#isBelow(command) && raw === directRaw(command);
    return direct ? directMethod(command) : routedMethod(command, raw, (name, result) => this.#fail(name, result));
  }

  /** Whether nothing can be above a command of the chain. The raw form, which takes longest to make, is not made then. */
  #isAlone(command: Command): boolean {
    const { enter, layers } = this.#parts;
    return !enter && this.#isBelow(command) && layers(command.name).every((layer) => passesBy(layer, command));
  }

  /** Whether the chain below answers a command itself. */
  #isBelow(command: Command): boolean {
    return this.#parts.has(command) && !this.#parts.overrides.has(command.name);
  }

  #fail(command: string, result: number): never {
    const advice = this.#parts.overrides.has(command) ? this.#parts.advise(result) : undefined;
    throw new VulkanError(command, result, advice);
  }

  /** Returns the raw function below the hooks of a command. */
  bottom(command: Command): NativeCall {
    const override = this.#parts.overrides.get(command.name);
    if (override) {
      return (...args) => {
        if (!this.#open) refuseClosed(command.name, this.#parts.subject);
        checkHandle(command, args[0]);
        return override(...args);
      };
    }
    return this.#parts.has(command) ? directRaw(command) : unavailable(command.name, this.#parts.subject);
  }

  #owns(command: Command, prototype: object): boolean {
    return this.#classes.get(typeOf(command))?.prototype === prototype;
  }

  /** A function rather than a class: to give a class another prototype takes longer than all else here. */
  #handleClass(base: object): HandleClass {
    function Handle(this: { handle: bigint }, handle: bigint) {
      this.handle = handle;
    }
    Handle.prototype = Object.create(base, {
      handle: { value: 0n, writable: true }, // without it, each new object would ask the proxy at the end
      [SCOPE]: { value: this },
      [IS_CLOSED]: { value: false, configurable: true },
      raw: { value: this.raw },
    });
    return Handle as unknown as HandleClass;
  }
}

/** Returns the scope of one of this library's objects. */
export function scopeOf(object: object): Scope {
  return (object as { [SCOPE]: Scope })[SCOPE];
}

/** The type of the objects that have a command; `""` for the loader. */
function typeOf({ level, params }: Command): string {
  return level === "global" ? "" : params[0].type;
}

/** Whether a layer answers a command of an extension of its own. */
function isProvided({ commands = {}, instanceExtensions, deviceExtensions }: Layer, name: string): boolean {
  return name in commands && (instanceExtensions ?? deviceExtensions) !== undefined;
}

function clearCommands(target: object): void {
  for (const name of Object.getOwnPropertyNames(target)) {
    if (name.startsWith("vk")) delete (target as Record<string, unknown>)[name];
  }
}

function unavailable(name: string, subject: string): NativeCall {
  return () => {
    throw new TypeError(
      `${name} is not available on this ${subject}: enable the extension or API version that has it, at creation`,
    );
  };
}

/** Ends the prototype chain of raw command objects. A missing name is resolved once and defined. */
const RAW_END = new Proxy({}, {
  get(_target, key, receiver) {
    if (typeof key !== "string" || !key.startsWith("vk")) return undefined;
    const prototype = Object.getPrototypeOf(receiver);
    return define(prototype, key, scopeOf(prototype).resolveRaw(key));
  },
});

/** Ends the prototype chain of handle objects in the same way. */
export const METHOD_END: object = new Proxy({}, {
  get(_target, key, receiver) {
    if (typeof key !== "string" || !key.startsWith("vk")) return undefined;
    const prototype = Object.getPrototypeOf(receiver);
    return define(prototype, key, scopeOf(prototype).resolveMethod(key, prototype));
  },
});

function define(target: object, name: string, value: NativeCall | undefined): NativeCall | undefined {
  if (value) Object.defineProperty(target, name, { value, configurable: true, writable: true });
  return value;
}

/**
 * Makes the prototype for objects of a closed scope, which keep only the
 * methods that may be called twice. `base` is the former prototype.
 */
function closedPrototype(subject: string, base: object = {}): object {
  return new Proxy({ close() {}, [Symbol.dispose]() {} }, {
    get(target, key, receiver) {
      if (typeof key !== "string" || key in target) return Reflect.get(target, key, receiver);
      if (key.startsWith("vk") || typeof Reflect.get(base, key) === "function") refuseClosed(key, subject);
    },
  });
}

/** The methods of every object with a dispatchable handle, beside its commands. */
class HandleBase {
  /** Called by compiled methods for returned handles. */
  wrap(type: string, handle: bigint): object {
    return scopeOf(this).wrap(type, handle);
  }

  /** Shows the type and the handle, and hides the machinery. */
  [Symbol.for("Deno.customInspect")](): string {
    const { handle } = this as unknown as { handle: bigint };
    return `${(this as unknown as { type: string }).type} 0x${handle.toString(16)}`;
  }
}
Object.setPrototypeOf(HandleBase.prototype, METHOD_END);

/** The methods of an instance beside its commands. The chain implements them. */
export interface InstanceActions extends LayerControls<Layer> {
  /** Destroys the instance and everything that is left of it. */
  close(): void;
}

/** Makes the base of an instance's object. */
export function instanceBase(actions: InstanceActions): object {
  return Object.assign(withControls(handleBase("VkInstance"), actions), {
    close: () => actions.close(),
    [Symbol.dispose]: () => actions.close(),
  });
}

/** Makes the base of a device's object. */
export function deviceBase(close: () => void, supports: (command: string) => boolean): object {
  return Object.assign(handleBase("VkDevice"), { close, supports, [Symbol.dispose]: close });
}

/** Makes the base of objects that only have a handle and commands. */
export function handleBase(type: string): object {
  return Object.create(HandleBase.prototype, { type: { value: type } });
}
