/** Bytes of the text grammar beside its separators (spec.ts), for all that scan it. */
export const PLUS = 0x2b
export const MINUS = 0x2d
export const DOT = 0x2e
export const ZERO = 0x30
export const ONE = 0x31
export const AT = 0x40
export const LOWER_E = 0x65
export const LOWER_G = 0x67
export const LOWER_H = 0x68
export const LOWER_M = 0x6d
export const LOWER_R = 0x72
/** Number of decimal digits of which any are a safe integer. */
export const SAFE_DIGITS = 15
