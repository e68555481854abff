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

/** The key under which prototypes and raw command objects store their scope. */
const SCOPE = Symbol("scope");

/** The parts of the chain that a scope needs. */
export interface ScopeParts {
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
  /** The owner of the methods that are no commands, for kinds that {@linkcode INSTANCE} and {@linkcode DEVICE} are. */
  readonly actions?: object;
}

/** The part of the objects of one type that is the same in all scopes. */
export interface ObjectKind {
  /** The prototype above the prototypes of open scopes. */
  readonly base: object;
  /** The same for closed scopes. */
  readonly closed: object;
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
  #parts: ScopeParts;
  readonly #kinds: Readonly<Record<string, ObjectKind>>;
  /** The classes of those types of which there have been objects. */
  readonly #classes = new Map<string, HandleClass>();
  /** The raw commands once somebody has asked for them, and their prototype. */
  #raw: RawCommands | undefined;
  #rawPrototype: object | undefined;
  /** Commands with hooks. */
  readonly #hooked = new Set<NativeCall & Partial<Link>>();
  #open = true;

  /** Makes a scope of objects of these kinds, by type. The prototype of a type is made with its first object. */
  constructor(parts: ScopeParts, kinds: Readonly<Record<string, ObjectKind>>) {
    this.#parts = parts;
    this.#kinds = kinds;
  }

  /** Every command in its raw form: C parameters, handles and addresses as bigints. */
  get raw(): RawCommands {
    if (!this.#raw) {
      this.#rawPrototype = inScope(this, this.#open ? RAW_END : closedPrototype(this.#parts.subject));
      this.#raw = Object.create(this.#rawPrototype) as RawCommands;
    }
    return this.#raw;
  }

  /** See {@linkcode ScopeParts.actions}. */
  get actions(): object | undefined {
    return this.#parts.actions;
  }

  /** Carries out a method of {@linkcode ScopeParts.actions}. One that closes may be called again. */
  act(name: string, args: readonly unknown[]): unknown {
    const actions = this.#parts.actions as Record<string, (...args: readonly unknown[]) => unknown> | undefined;
    if (actions) return actions[name](...args);
    return name === "close" ? undefined : refuseClosed(name, this.#parts.subject);
  }

  /** Makes a new object for a handle of this scope. */
  make(type: string, handle: bigint): object {
    let each = this.#classes.get(type);
    if (!each) this.#classes.set(type, each = this.#handleClass(this.#kinds[type]));
    return new each(handle);
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
    if (!command || !(typeOf(command) in this.#kinds)) return false;
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
    if (this.#rawPrototype) clearCommands(this.#rawPrototype);
    for (const each of this.#classes.values()) clearCommands(each.prototype);
  }

  /** Makes every object of the scope answer "is closed" from now on. */
  close(): void {
    this.refresh();
    this.#open = false;
    if (this.#rawPrototype) Object.setPrototypeOf(this.#rawPrototype, closedPrototype(this.#parts.subject));
    for (const [type, each] of this.#classes) {
      Object.setPrototypeOf(each.prototype, this.#kinds[type].closed);
      Object.defineProperty(each.prototype, IS_CLOSED, { value: true }); // for methods that somebody has stored
    }
    // prototypes are collected late, and would keep the whole chain until then
    this.#parts = { ...NO_PARTS, subject: this.#parts.subject };
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
    if (direct) return directMethod(command);
    // what the chain carries out itself makes, lists or destroys objects
    return routedMethod(command, raw, (name, result) => this.#fail(name, result), this.#parts.overrides.has(name));
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
  #handleClass({ base, closed }: ObjectKind): HandleClass {
    function Handle(this: { handle: bigint }, handle: bigint) {
      this.handle = handle;
    }
    Handle.prototype = inScope(this, this.#open ? base : closed);
    return Handle as unknown as HandleClass;
  }
}

/** Makes a prototype of a scope. */
function inScope(scope: Scope, above: object): object {
  const prototype = Object.create(above);
  prototype[SCOPE] = scope; // a property of a plain object: with descriptors, each object here would be a hash table
  return prototype;
}

/** The parts of a closed scope. */
const NO_PARTS: Omit<ScopeParts, "subject"> = {
  overrides: new Map(),
  has: () => false,
  layers: () => [],
  wrap: (type) => refuseClosed("wrap()", type),
  advise: () => "",
};

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
      if (key === "raw") return scopeOf(receiver).raw;
      if (key.startsWith("vk") || typeof Reflect.get(base, key) === "function") refuseClosed(key, subject);
    },
  });
}

/** The methods of every object with a dispatchable handle, beside its commands. */
class HandleBase {
  /** The raw commands of the object's scope. */
  get raw(): RawCommands | undefined {
    return scopeOf(this)?.raw;
  }

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
Object.setPrototypeOf(Object.defineProperties(HandleBase.prototype, ofHandles()), METHOD_END);

/** Without these, the creation of each object would ask the proxy at the end whether the properties may be set. */
function ofHandles(): PropertyDescriptorMap {
  return {
    handle: { value: 0n, writable: true },
    [SCOPE]: { value: undefined, writable: true },
    [IS_CLOSED]: { value: false },
  };
}

/** The methods of an instance beside its commands. The chain implements them. */
export interface InstanceActions extends LayerControls<Layer> {
  /** Destroys the instance and everything that is left of it. */
  close(): void;
}

/** The methods of a device beside its commands. The chain implements them. */
export interface DeviceActions extends Pick<LayerControls<Layer>, "supports"> {
  /** Destroys the device. */
  close(): void;
}

/** Instances, whose scopes have {@linkcode InstanceActions}. */
export const INSTANCE: ObjectKind = handleKind("VkInstance", "VkInstance", {
  ...handedOn<InstanceActions>(["attach", "detach", "replace", "drain", "supports", "close"]),
  lostCalls: {
    get(this: object) {
      return (scopeOf(this)?.actions as InstanceActions | undefined)?.lostCalls;
    },
  },
});
/** Devices, whose scopes have {@linkcode DeviceActions}. */
export const DEVICE: ObjectKind = handleKind("VkDevice", "VkDevice", handedOn<DeviceActions>(["supports", "close"]));
/** Physical devices. */
export const PHYSICAL_DEVICE: ObjectKind = handleKind("VkPhysicalDevice", "VkInstance");
/** Queues. */
export const QUEUE: ObjectKind = handleKind("VkQueue", "VkDevice");
/** Command buffers. */
export const COMMAND_BUFFER: ObjectKind = handleKind("VkCommandBuffer", "VkDevice");

/** The kind of objects that have a base of their own. `subject` is the scope's. */
export function kindOver(base: object, subject: string): ObjectKind {
  return { base, closed: closedPrototype(subject, base) };
}

function handleKind(type: string, subject: string, methods: PropertyDescriptorMap = {}): ObjectKind {
  return kindOver(Object.create(HandleBase.prototype, { type: { value: type }, ...methods }), subject);
}

/** Methods that the scope's owner carries out. Each may be taken from its object and called alone. */
function handedOn<Actions>(names: readonly (keyof Actions & string)[]): PropertyDescriptorMap {
  const methods = names.map((name) => [name, {
    get(this: object) {
      const scope = scopeOf(this);
      return (...args: unknown[]) => scope.act(name, args);
    },
  }]);
  const named: PropertyDescriptorMap = Object.fromEntries(methods);
  return { ...named, [Symbol.dispose]: named.close };
}
