/** A property of an object of a card: its number, its value when it was read, and the values it can take. */
export interface CardProperty {
  /** The property's number. */
  readonly id: number;
  /** The value when the property was read. */
  readonly value: bigint;
  /** Whether only the kernel changes the property. */
  readonly isImmutable: boolean;
  /** The smallest and the largest value; `undefined` for properties that are no number. */
  readonly range?: readonly [least: bigint, most: bigint];
  /** The values by name: of an enumeration, or the bits' numbers of a bit mask. */
  readonly values?: Readonly<Record<string, bigint>>;
}

/** The properties of an object by their names, such as `CRTC_ID`. */
export type CardProperties = Readonly<Record<string, CardProperty>>;

/** A mode of a connector. */
export interface CardMode {
  /** Pixels of a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Hertz. */
  readonly refreshRate: number;
  /** Whether the display prefers the mode. */
  readonly isPreferred: boolean;
  /** The kernel's `struct drm_mode_modeinfo`, 68 bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A connector: a socket of the card, or a writeback. */
export interface CardConnector {
  /** The kernel's number of the connector. */
  readonly id: number;
  /** The name, such as `HDMI-A-1`. */
  readonly name: string;
  /** `DRM_MODE_CONNECTOR_…`, such as 14 for an embedded DisplayPort. */
  readonly type: number;
  /** Whether a display is connected. */
  readonly isConnected: boolean;
  /** Millimetres of the display, 0 if unknown. */
  readonly size: { readonly width: number; readonly height: number };
  /** The modes, the preferred ones first. */
  readonly modes: readonly CardMode[];
  /** The display's EDID; `undefined` if there is none. */
  readonly edid: Uint8Array | undefined;
  /** The numbers of the CRTCs that can drive the connector. */
  readonly crtcs: readonly number[];
  /** The properties. */
  readonly properties: CardProperties;
}

/** A CRTC: what scans out a picture. */
export interface CardCrtc {
  /** The kernel's number of the CRTC. */
  readonly id: number;
  /** The properties. */
  readonly properties: CardProperties;
}

/** A plane: a part of the picture of a CRTC. */
export interface CardPlane {
  /** The kernel's number of the plane. */
  readonly id: number;
  /** The kind of the plane. */
  readonly type: "primary" | "overlay" | "cursor";
  /** The numbers of the CRTCs that can show the plane. */
  readonly crtcs: readonly number[];
  /** The fourcc codes of the formats whose rows lie one after the other (modifier LINEAR). */
  readonly formats: readonly number[];
  /** The layouts in memory of each format, LINEAR among them: DRM format modifiers by the fourcc codes. */
  readonly modifiers: ReadonlyMap<number, readonly bigint[]>;
  /** The properties. */
  readonly properties: CardProperties;
}

/** The abilities of a card besides showing its planes. */
export interface CardCapabilities {
  /** The size of the cursor's buffer, in pixels. */
  readonly cursor: { readonly width: number; readonly height: number };
  /** Whether framebuffers are made with a modifier. */
  readonly modifiers: boolean;
  /** Whether buffers of other devices can be shown. */
  readonly imports: boolean;
}

/** An open card. */
export interface KmsCard extends Disposable {
  /** The device file. */
  readonly path: string;
  /** The kernel driver, such as `vkms`. */
  readonly driver: string;
  /** The card's abilities. */
  readonly capabilities: CardCapabilities;
  /** The CRTCs, in the kernel's order. */
  readonly crtcs: readonly CardCrtc[];
  /** The planes, in the kernel's order. */
  readonly planes: readonly CardPlane[];
  /** The connectors, as they were at the last {@linkcode KmsCard.refresh}. */
  readonly connectors: readonly CardConnector[];
  /** Whether this process may set modes: the first that opens a card, until another program takes over. */
  readonly isMaster: boolean;
  /** Reads the connectors again, which asks the displays. */
  refresh(): void;
  /** Becomes master. Throws a {@linkcode KmsError} `not-master` while another program is. */
  takeMaster(): void;
  /** Becomes master, unless another program is. Returns whether this process is master now. */
  tryMaster(): boolean;
  /** Lets another program set modes. */
  dropMaster(): void;
  /** Closes the card. A second call does nothing. */
  close(): void;
}
