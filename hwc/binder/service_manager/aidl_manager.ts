import type { LocalObject, Message } from "../bus.ts";
import { AidlReader, AidlWriter, type Dialect } from "../parcel/aidl/dialect.ts";
import { AidlException, EXCEPTION, writeException } from "../parcel/aidl/exception.ts";
import { META } from "../parcel/aidl/meta.ts";
import { array, STRING } from "../parcel/aidl/types.ts";
import { failWith, STATUS } from "../status.ts";
import { CALLBACK, DESCRIPTOR, methodsOf, SERVICE_15, SERVICE_16, SERVICE_BINDER } from "./aidl_layout.ts";
import { isSame, type Registered, type Registry, release as giveBack } from "./registry.ts";

/** Reads a method's arguments, and writes its result behind "no exception". */
type Method = (from: AidlReader, to: AidlWriter) => void;

const NAME = /^[A-Za-z0-9_./-]{1,127}$/;
const STRINGS = array(STRING);

/** Returns the object of handle 0 of `/dev/binder`, in the form of an Android release. */
export function aidlManager(registry: Registry, release: number, isDeclared: (name: string) => boolean): LocalObject {
  const dialect: Dialect = { release: Math.floor(release), version: 1 }, codes = methodsOf(release);
  const methods = methodsOn(registry, release, isDeclared);
  return {
    /** What an error leaves of the message is given back. */
    transact(code, message) {
      const from = new AidlReader(message, dialect),
        to = new AidlWriter(dialect),
        method = methods[codes.get(code) ?? ""];
      try {
        if (method) answer(method, from, to);
        else answerMeta(code, to);
        from.close();
      } catch (error) {
        from.drop();
        if (!(error instanceof AidlException)) throw error;
        return refused(error, dialect);
      }
      return to.message();
    },
  };
}

function answer(method: Method, from: AidlReader, to: AidlWriter): void {
  from.token(DESCRIPTOR);
  if (to.dialect.release >= 11) to.i32(EXCEPTION.NONE); // older ones answer with the bare result
  method(from, to);
}

function refused(error: AidlException, dialect: Dialect): Message {
  const to = new AidlWriter(dialect);
  writeException(to, error);
  return to.message();
}

function answerMeta(code: number, to: AidlWriter): void {
  if (code === META.INTERFACE) to.text(DESCRIPTOR);
  else if (code === META.DEBUG_PID) to.i32(Deno.pid);
  else if (code !== META.PING) failWith(STATUS.UNKNOWN_TRANSACTION, `${DESCRIPTOR} has no transaction ${code}`);
}

function methodsOn(registry: Registry, release: number, isDeclared: (name: string) => boolean): Record<string, Method> {
  const find: Method = (from, to) => SERVICE_BINDER.write(to, registry.find(STRING.read(from)) ?? null);
  const findService: Method = (from, to) => writeService(to, registry.find(STRING.read(from)) ?? null, release);
  return {
    getService: find,
    getService2: findService,
    checkService: release === 15.1 || release === 15.2 ? findService : find,
    checkService2: findService,
    addService: (from, to) => {
      add(registry, from);
      if (release < 11) to.i32(EXCEPTION.NONE);
    },
    listServices: release < 11 ? (from, to) => listOne(registry, from, to) : (from, to) => {
      from.i32(); // every service is listed, whatever the priority of its dump
      STRINGS.write(to, registry.names);
    },
    registerForNotifications: (from) => watch(registry, from),
    unregisterForNotifications: (from) => unwatch(registry, from),
    isDeclared: (from, to) => to.i32(isDeclared(STRING.read(from)) ? 1 : 0),
    getDeclaredInstances: (from, to) => STRINGS.write(to, instancesOf(STRING.read(from), registry.names)),
    updatableViaApex: (from, to) => (STRING.read(from), to.text(null)),
    getUpdatableNames: (from, to) => (STRING.read(from), STRINGS.write(to, [])),
    getConnectionInfo: (from, to) => (STRING.read(from), to.i32(0)),
    registerClientCallback: () => {
      throw new AidlException(EXCEPTION.UNSUPPORTED_OPERATION, "this manager does not count the clients of a service");
    },
    tryUnregisterService: (from) => unregister(registry, from),
    getServiceDebugInfo: (_, to) => to.i32(0),
  };
}

function writeService(to: AidlWriter, found: Registered | null, release: number): void {
  if (release < 15.2) SERVICE_15.write(to, { tag: "binder", value: found });
  else SERVICE_16.write(to, { tag: "serviceWithMetadata", value: { service: found, isLazyService: false } });
}

function add(registry: Registry, from: AidlReader): void {
  const name = STRING.read(from), registered = SERVICE_BINDER.read(from);
  from.i32(); // isolated processes
  from.i32(); // the priority of its dump
  if (!NAME.test(name)) throw new AidlException(EXCEPTION.ILLEGAL_ARGUMENT, `"${name}" is no name of a service`);
  if (!registered) throw new AidlException(EXCEPTION.ILLEGAL_ARGUMENT, `there is no object for ${name}`);
  registry.add([name], registered);
}

/** Older ones list a name by its number, until there is none. */
function listOne(registry: Registry, from: AidlReader, to: AidlWriter): void {
  const name = registry.names[from.i32()];
  if (name === undefined) failWith(STATUS.NAME_NOT_FOUND, "there are no more services");
  to.text(name);
}

function watch(registry: Registry, from: AidlReader): void {
  const name = STRING.read(from), callback = SERVICE_BINDER.read(from), { dialect } = from;
  if (!callback) throw new AidlException(EXCEPTION.NULL_POINTER, "there is no callback");
  registry.watch(name, {
    object: callback.object,
    tell(found, registered) {
      const to = new AidlWriter(dialect);
      to.token(CALLBACK.descriptor);
      to.text(found);
      SERVICE_BINDER.write(to, registered);
      tellOneway(callback, to.message());
    },
  });
}

/** One who cannot be told has ended, or does not read what it is told. */
function tellOneway({ object }: Registered, message: Message): void {
  if ("remote" in object) object.remote.transact(CALLBACK.onRegistration, message, { oneway: true }).catch(() => {});
}

function unwatch(registry: Registry, from: AidlReader): void {
  const name = STRING.read(from), callback = SERVICE_BINDER.read(from);
  if (!callback || !registry.unwatch(name, callback.object)) {
    throw new AidlException(EXCEPTION.ILLEGAL_STATE, `nobody of that kind waits for ${name}`);
  }
  giveBack(callback.object);
}

function unregister(registry: Registry, from: AidlReader): void {
  const name = STRING.read(from), given = SERVICE_BINDER.read(from), known = registry.find(name);
  if (!given || !known || !isSame(given.object, known.object)) {
    throw new AidlException(EXCEPTION.ILLEGAL_STATE, `that object is not registered as ${name}`);
  }
  giveBack(given.object);
  registry.remove(name);
}

function instancesOf(kind: string, names: readonly string[]): string[] {
  return names.filter((name) => name.startsWith(`${kind}/`)).map((name) => name.slice(kind.length + 1));
}
