import type { LocalObject, RemoteObject } from "../bus.ts";
import { AidlReader, AidlWriter, type Dialect } from "../parcel/aidl/dialect.ts";
import { readException } from "../parcel/aidl/exception.ts";
import { array, BINDER, STRING } from "../parcel/aidl/types.ts";
import { readWhole } from "../parcel/reader.ts";
import { BinderStatusError, failWith, STATUS } from "../status.ts";
import { DESCRIPTOR, SERVICE_BINDER } from "./aidl_layout.ts";

/** `getService` has this number in every release. */
const GET_SERVICE = 1;
/** The numbers that `listServices` has in some release; `addService` is the one before. */
const LIST_SERVICES = [4, 5, 6];
const ALL = 15, DUMP_DEFAULT = 8;

/** The manager of services at handle 0 of `/dev/binder`, of Pumice's making or of Android's. */
export class AidlManagerClient {
  readonly #manager: RemoteObject;
  readonly #dialect: Dialect;
  #listing: number | undefined;

  /** `release` is the Android release, 10 to 16. */
  constructor(manager: RemoteObject, release: number) {
    this.#manager = manager;
    this.#dialect = { release: Math.floor(release), version: 1 };
  }

  /** Returns a service, which the caller releases; `undefined` if there is none. */
  async find(name: string): Promise<RemoteObject | undefined> {
    const to = this.#call();
    to.text(name);
    const found = await this.#ask(GET_SERVICE, to, (from) => SERVICE_BINDER.read(from));
    return found && "remote" in found.object ? found.object.remote : undefined;
  }

  /** Registers an object under a name, in the place of an earlier one. */
  async add(name: string, object: LocalObject): Promise<void> {
    const isOld = this.#dialect.release < 11, code = isOld ? 3 : await this.#listCode() - 1, to = this.#call();
    to.text(name);
    BINDER.write(to, { local: object });
    to.i32(0);
    to.i32(DUMP_DEFAULT);
    await this.#ask(code, to, (from) => isOld && from.i32());
  }

  /** Returns the names of all services. */
  async list(): Promise<readonly string[]> {
    if (this.#dialect.release < 11) return await this.#listOneByOne();
    return await this.#listBy(await this.#listCode());
  }

  /**
   * The number of `listServices`, which tells where Android 15's other methods are: that release had three layouts. A
   * wrong number is a method that takes something else.
   */
  async #listCode(): Promise<number> {
    if (this.#listing !== undefined) return this.#listing;
    let last: unknown;
    for (const code of LIST_SERVICES) {
      try {
        await this.#listBy(code);
        return this.#listing = code;
      } catch (error) {
        if (error instanceof BinderStatusError && error.code === STATUS.DEAD_OBJECT) throw error;
        last = error;
      }
    }
    const reason = last instanceof Error ? last.message : last;
    return failWith(
      STATUS.BAD_TYPE,
      `the service manager is of another release than ${this.#dialect.release}: ${reason}`,
    );
  }

  async #listBy(code: number): Promise<readonly string[]> {
    const to = this.#call();
    to.i32(ALL);
    return await this.#ask(code, to, (from) => array(STRING).read(from));
  }

  async #listOneByOne(): Promise<string[]> {
    const names: string[] = [];
    for (;;) {
      const to = this.#call();
      to.i32(names.length);
      to.i32(ALL);
      try {
        names.push(await this.#ask(4, to, (from) => STRING.read(from)));
      } catch (error) {
        if (error instanceof BinderStatusError && error.code !== STATUS.DEAD_OBJECT) return names;
        throw error;
      }
    }
  }

  #call(): AidlWriter {
    const to = new AidlWriter(this.#dialect);
    to.token(DESCRIPTOR);
    return to;
  }

  async #ask<Value>(code: number, to: AidlWriter, read: (from: AidlReader) => Value): Promise<Value> {
    const reply = new AidlReader(await this.#manager.transact(code, to.message()), this.#dialect);
    return readWhole(reply, (from) => {
      if (this.#dialect.release >= 11) readException(from);
      return read(from);
    });
  }
}
