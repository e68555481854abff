/**
 * A bus between two sides of one process that does what the kernel's does:
 * bytes are copied, descriptors duplicated, objects become another process's,
 * and come home as what they were.
 *
 * @module
 */
import { assert } from "@std/assert";
import { closeDescriptor, duplicate } from "../../../ffi/file/file_descriptor.ts";
import type { BinderBus, BinderItem, LocalObject, Message, RemoteObject } from "../../../hwc/binder/bus.ts";
import { BinderStatusError, STATUS } from "../../../hwc/binder/status.ts";

/** A process on the bus. */
export class Side {
  readonly #nodes = new Map<LocalObject, Node>();
  readonly #held = new Map<Node, Proxy>();
  isDead = false;
  /** Changes what this side sends, for a side that is hostile. */
  tamper: ((code: number, message: Message) => readonly [number, Message]) | undefined;

  /** References of this side to objects of others, for tests that look for leaks. */
  get references(): number {
    return [...this.#held.values()].reduce((sum, { holds }) => sum + holds, 0);
  }

  /** The node of an object of this side. */
  nodeOf(object: LocalObject): Node {
    let node = this.#nodes.get(object);
    if (!node) this.#nodes.set(object, node = new Node(this, object));
    return node;
  }

  /** A reference of this side to another side's object: the same one for the same object, held once more. */
  hold(node: Node): RemoteObject {
    const proxy = this.#held.get(node) ?? new Proxy(this, node);
    this.#held.set(node, proxy);
    proxy.holds++;
    return proxy;
  }

  /** A way to another side's object that counts as no reference, as handle 0 does. */
  reach(node: Node): RemoteObject {
    const proxy = new Proxy(this, node);
    proxy.holds++;
    return proxy;
  }

  /** The reference is given back. */
  drop(proxy: Proxy): void {
    this.#held.delete(proxy.node);
  }

  /** The node has no references any more. */
  forget(node: Node): void {
    this.#nodes.delete(node.object);
  }

  /** The process ends: its references are given back, and those who hold its objects hear of it. */
  die(): void {
    this.isDead = true;
    for (const proxy of [...this.#held.values()]) while (proxy.holds > 0) proxy.release();
    for (const node of this.#nodes.values()) node.died();
  }
}

/** An object that others refer to. */
class Node {
  readonly owner: Side;
  readonly object: LocalObject;
  readonly watchers: Set<() => void> = new Set();
  #references = 0;
  queue: Promise<unknown> = Promise.resolve();

  constructor(owner: Side, object: LocalObject) {
    this.owner = owner;
    this.object = object;
  }

  retain(): void {
    this.#references++;
  }

  release(): void {
    if (--this.#references > 0) return;
    this.owner.forget(this);
    if (!this.owner.isDead) this.object.released?.();
  }

  died(): void {
    for (const watcher of this.watchers) watcher();
  }
}

/** Another side's object. */
class Proxy implements RemoteObject {
  readonly side: Side;
  readonly node: Node;
  holds = 0;

  constructor(side: Side, node: Node) {
    this.side = side;
    this.node = node;
    node.retain();
  }

  async transact(code: number, message: Message, { oneway = false } = {}): Promise<Message> {
    assert(this.holds > 0, "an object is called that was released");
    const { node } = this, { owner, object } = node, call = { oneway, callerPid: oneway ? 0 : 1, callerUid: 0 };
    if (owner.isDead) throw new BinderStatusError(STATUS.DEAD_OBJECT, "the process is gone");
    const [sentCode, sent] = this.side.tamper?.(code, message) ?? [code, message];
    const arrived = carry(sent, this.side, owner);
    if (oneway) {
      node.queue = node.queue.then(() => object.transact(sentCode, arrived, call)).catch(() => {});
      return { bytes: new Uint8Array(), items: [] };
    }
    await undefined;
    const reply = await answer(() => object.transact(sentCode, arrived, call));
    if (owner.isDead) throw new BinderStatusError(STATUS.DEAD_OBJECT, "the process is gone");
    const back = carry(owner.tamper?.(0, reply)[1] ?? reply, owner, this.side);
    closeAll(reply); // the kernel has duplicated them
    return back;
  }

  onDeath(callback: () => void): () => void {
    if (this.node.owner.isDead) queueMicrotask(callback);
    this.node.watchers.add(callback);
    return () => this.node.watchers.delete(callback);
  }

  release(): void {
    if (this.side.isDead && this.holds === 0) return;
    assert(this.holds > 0, "an object is released once too often");
    if (--this.holds > 0) return;
    this.side.drop(this);
    this.node.release();
  }
}

/** The answer of a call, or the status that stands for what it throws. */
async function answer(call: () => Message | Promise<Message>): Promise<Message> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof BinderStatusError) throw error;
    throw new BinderStatusError(STATUS.FAILED_TRANSACTION, `${error}`);
  }
}

function carry({ bytes, items }: Message, from: Side, to: Side): Message {
  let last = -1;
  for (const { at } of items) {
    assert(at > last && at % 4 === 0 && at < bytes.length, "objects are in ascending order, at multiples of four");
    last = at;
  }
  return { bytes: bytes.slice(), items: items.map((item) => carried(item, from, to)) };
}

function carried(item: BinderItem, from: Side, to: Side): BinderItem {
  const { at } = item;
  switch (item.kind) {
    case "local":
      return { at, kind: "remote", object: to.hold(from.nodeOf(item.object)) };
    case "remote": {
      const { node } = item.object as Proxy;
      return node.owner === to
        ? { at, kind: "local", object: node.object }
        : { at, kind: "remote", object: to.hold(node) };
    }
    case "fd":
      return { at, kind: "fd", fd: duplicated(item.fd) };
    case "fdArray":
      return { ...item, fds: item.fds.map(duplicated) };
    case "buffer":
      return { ...item, bytes: item.bytes.slice() };
  }
}

function duplicated(fd: number): number {
  const copy = duplicate(fd);
  if (copy < 0) throw new BinderStatusError(STATUS.FAILED_TRANSACTION, `descriptor ${fd} is not open`);
  return copy;
}

function closeAll({ items }: Message): void {
  for (const item of items) {
    if (item.kind === "fd") closeDescriptor(item.fd);
    else if (item.kind === "fdArray") item.fds.forEach(closeDescriptor);
  }
}

/** A reference of one side to an object of another, as a service manager would give it. */
export function refer(owner: Side, object: LocalObject, holder: Side): RemoteObject {
  return holder.hold(owner.nodeOf(object));
}

/** A device of the kernel's, with a service manager on one side. */
export class Device {
  readonly manager: Side = new Side();
  object: LocalObject | undefined;

  bus(side: Side): BinderBus {
    return {
      contextManager: () => side.reach(this.manager.nodeOf(this.object!)),
      becomeContextManager: (object) => Promise.resolve(void (this.object = object)),
      close: () => Promise.resolve(),
    };
  }
}
