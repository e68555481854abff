/** The numbers by which a planted command differs from all others of its kind. */
export const PLANTED = { vertices: 7, offset: 44, regions: 3, word: 0xdead } as const;
