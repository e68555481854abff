/** Transactions that every AIDL object knows. */
export const META = {
  INTERFACE_VERSION: 0x00ff_ffff,
  INTERFACE_HASH: 0x00ff_fffe,
  PING: 0x5f50_4e47,
  INTERFACE: 0x5f4e_5446,
  DUMP: 0x5f44_4d50,
  SYSPROPS: 0x5f53_5052,
  EXTENSION: 0x5f45_5854,
  DEBUG_PID: 0x5f50_4944,
} as const;
