/** One object, descriptor or buffer inside a message, at its byte offset in the data. */
export type BinderItem =
  | { at: number; kind: "local"; object: LocalObject } // flattened as BINDER_TYPE_BINDER
  | { at: number; kind: "remote"; object: RemoteObject } // BINDER_TYPE_HANDLE
  | { at: number; kind: "fd"; fd: number } // BINDER_TYPE_FD; the receiver owns fd
  | { at: number; kind: "buffer"; bytes: Uint8Array; parent?: number; parentOffset?: number } // BINDER_TYPE_PTR (HIDL)
  | { at: number; kind: "fdArray"; fds: readonly number[]; parent: number; parentOffset: number }; // BINDER_TYPE_FDA
export interface Message {
  bytes: Uint8Array;
  items: readonly BinderItem[];
}
/** An object that a process offers: answers transactions. A throw of BinderStatusError becomes that status; any other throw FAILED_TRANSACTION. */
export interface LocalObject {
  transact(
    code: number,
    message: Message,
    call: { oneway: boolean; callerPid: number; callerUid: number },
  ): Message | Promise<Message>;
  /** Called when no other process has the object any more, after it was sent. */
  released?(): void;
}
/** An object of another process. */
export interface RemoteObject {
  transact(code: number, message: Message, options?: { oneway?: boolean }): Promise<Message>;
  onDeath(callback: () => void): () => void;
  release(): void;
}
export interface BinderBus {
  contextManager(): RemoteObject; // handle 0
  becomeContextManager(object: LocalObject): Promise<void>;
  close(): Promise<void>;
}
