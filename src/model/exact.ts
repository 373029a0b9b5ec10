/**
 * Numbers that stay exact: a safe integer or a fraction travels as `number`, an integer beyond
 * 2^53 - 1 as `bigint`. Counters and sums of every dialect with 64-bit fields use it.
 */
export type Exact = number | bigint

export const U64_MAX = 0xffff_ffff_ffff_ffffn

/** The one form of a value: a bigint inside the safe range becomes a number. */
export function exact(value: Exact): Exact {
  if (typeof value === 'number') return value
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value
}

/** Sum; exact while both are integers, a double as soon as one is a fraction. */
export function addExact(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum) || !isInteger(a) || !isInteger(b)) return sum
    return exact(BigInt(a) + BigInt(b))
  }
  return isInteger(a) && isInteger(b) ? exact(BigInt(a) + BigInt(b)) : Number(a) + Number(b)
}

/** Difference under the same rule as {@link addExact}. */
export function subtractExact(a: Exact, b: Exact): Exact {
  return addExact(a, -b)
}

/** Product under the same rule as {@link addExact}. */
export function multiplyExact(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (Number.isSafeInteger(product) || !isInteger(a) || !isInteger(b)) return product
    return exact(BigInt(a) * BigInt(b))
  }
  return isInteger(a) && isInteger(b) ? exact(BigInt(a) * BigInt(b)) : Number(a) * Number(b)
}

/** True for every bigint and every finite number without a fraction. */
export function isInteger(value: Exact): boolean {
  return typeof value === 'bigint' || Number.isInteger(value)
}

/** Smaller of two; NaN counts as "not known". */
export function minExact(a: Exact, b: Exact): Exact {
  if (Number.isNaN(a)) return b
  return b < a ? b : a
}

/** Larger of two; NaN counts as "not known". */
export function maxExact(a: Exact, b: Exact): Exact {
  if (Number.isNaN(a)) return b
  return b > a ? b : a
}

/** JSON form: a number where JSON keeps it exact, otherwise decimal text. */
export function exactToJson(value: Exact): number | string {
  return typeof value === 'bigint' ? value.toString() : value
}
