import { Library } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { bindByAddress, type NativeFunction } from "../../../ffi/stubs.ts";
import { WsiError } from "../../error.ts";

/** The functions of libxcb used here, with their signatures; a cookie is the u32 in it. */
const CORE = {
  // xcb_connection_t *xcb_connect(const char *displayname, int *screenp)
  xcb_connect: "q:oo",
  xcb_connection_has_error: "s:q",
  xcb_disconnect: "v:q",
  xcb_flush: "s:q",
  xcb_get_file_descriptor: "s:q",
  // const struct xcb_setup_t *xcb_get_setup(xcb_connection_t *c)
  xcb_get_setup: "q:q",
  // uint32_t xcb_get_maximum_request_length(xcb_connection_t *c), in units of four bytes
  xcb_get_maximum_request_length: "w:q",
  xcb_generate_id: "w:q",
  // xcb_generic_event_t *xcb_poll_for_event(xcb_connection_t *c)
  xcb_poll_for_event: "q:q",
  // xcb_generic_error_t *xcb_request_check(xcb_connection_t *c, xcb_void_cookie_t cookie)
  xcb_request_check: "q:qw",
  // const xcb_query_extension_reply_t *xcb_get_extension_data(xcb_connection_t *c, xcb_extension_t *ext)
  xcb_get_extension_data: "q:qq",
  xcb_get_input_focus: "w:q",
  xcb_get_input_focus_reply: "q:qwo",
  // (c, only_if_exists, name_len, name)
  xcb_intern_atom: "w:qwwo",
  xcb_intern_atom_reply: "q:qwo",
  // (c, depth, wid, parent, x, y, width, height, border_width, class, visual, value_mask, value_list)
  xcb_create_window: "w:qwwwsswwwwwwo",
  xcb_destroy_window: "w:qw",
  xcb_map_window: "w:qw",
  // (c, mode, window, property, type, format, data_len, data)
  xcb_change_property: "w:qwwwwwwo",
  // (c, cid, drawable, value_mask, value_list)
  xcb_create_gc: "w:qwwwo",
  xcb_free_gc: "w:qw",
  // (c, format, drawable, gc, width, height, dst_x, dst_y, left_pad, depth, data_len, data)
  xcb_put_image: "w:qwwwwwsswwwq",
  // (c, first_keycode, count)
  xcb_get_keyboard_mapping: "w:qww",
  xcb_get_keyboard_mapping_reply: "q:qwo",
} as const;

/** The functions of libxcb-shm. */
const SHM = {
  xcb_shm_query_version: "w:q",
  xcb_shm_query_version_reply: "q:qwo",
  // (c, shmseg, shm_fd, read_only); the file descriptor is closed
  xcb_shm_attach_fd_checked: "w:qwsw",
  xcb_shm_detach: "w:qw",
  // (c, drawable, gc, total_width, total_height, src_x, src_y, src_width, src_height, dst_x, dst_y, depth, format, send_event, shmseg, offset)
  xcb_shm_put_image: "w:qwwwwwwwwsswwwww",
} as const;

/** Called for each frame or each look for events; the others are not worth a stub of their own. */
const HOT: readonly string[] = ["xcb_poll_for_event", "xcb_flush", "xcb_connection_has_error", "xcb_shm_put_image"];

/** A function of either library. */
export type XcbFunction = keyof typeof CORE | keyof typeof SHM;

/** libxcb and, if the machine has it, libxcb-shm, opened for one connection. */
export class Xcb {
  #core: Library;
  #shm: Library | undefined;
  #bound = new Map<string, readonly [NativeFunction, bigint]>();

  /** Opens both. Throws a {@linkcode WsiError} `no-display` without libxcb. */
  constructor() {
    try {
      this.#core = Library.open("libxcb.so.1");
    } catch (cause) {
      const message = "Cannot open a window: libxcb.so.1 is not there; install libxcb (Debian: libxcb1 libxcb-shm0)";
      throw new WsiError("no-display", message, { cause });
    }
    try {
      this.#shm = Library.open("libxcb-shm.so.0");
    } catch {
      // Pictures then go through the socket.
    }
  }

  /** Address of `xcb_shm_id`, which asks for the extension; 0n without libxcb-shm. */
  get shmId(): bigint {
    return this.#shm?.find("xcb_shm_id") ?? 0n;
  }

  /** Calls a function. */
  call(name: XcbFunction, ...args: (number | bigint)[]): number | bigint {
    let bound = this.#bound.get(name);
    if (!bound) this.#bound.set(name, bound = this.#bind(name));
    return bound[0](...args, bound[1]) as number | bigint;
  }

  /** Gives the libraries back. A second call does nothing. */
  close(): void {
    this.#core.close();
    this.#shm?.close();
  }

  #bind(name: XcbFunction): readonly [NativeFunction, bigint] {
    const isCore = name in CORE, library = isCore ? this.#core : this.#shm!;
    const signature = isCore ? CORE[name as keyof typeof CORE] : SHM[name as keyof typeof SHM];
    if (HOT.includes(name)) return [bindByAddress(signature), library.require(name)];
    return [coldFunction(signature), library.require(name)];
  }
}

function coldFunction(signature: string): NativeFunction {
  return (...args: (number | bigint)[]) => invokeAddress(args.pop() as bigint, signature, args);
}
