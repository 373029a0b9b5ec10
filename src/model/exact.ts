/**
 * Numbers that stay exact: a safe integer or a fraction travels as `number`, an integer beyond
 * 2^53 - 1 as `bigint`. Counters and sums of every dialect with 64-bit fields use it.
 */
export type Exact = number | bigint

export const U64_MAX = 0xffff_ffff_ffff_ffffn

/**
 * Makes the one form of a value: a bigint inside the safe range becomes a number.
 *
 * @example
 * import { exact } from 'pentameter/model'
 *
 * console.log(exact(7n), exact(2n ** 53n)) // 7 9007199254740992n
 */
export function exact(value: Exact): Exact {
  if (typeof value === 'number') return value
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value
}

/**
 * Adds; exact while both are integers, a double as soon as one is a fraction.
 *
 * @example
 * import { addExact } from 'pentameter/model'
 *
 * console.log(addExact(Number.MAX_SAFE_INTEGER, 2)) // 9007199254740993n
 * console.log(addExact(1, 0.5)) // 1.5
 */
export function addExact(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum) || !isInteger(a) || !isInteger(b)) return sum
    return exact(BigInt(a) + BigInt(b))
  }
  return isInteger(a) && isInteger(b) ? exact(BigInt(a) + BigInt(b)) : Number(a) + Number(b)
}

/**
 * Subtracts under the same rule as {@link addExact}.
 *
 * @example
 * import { subtractExact } from 'pentameter/model'
 *
 * console.log(subtractExact(2n ** 64n - 1n, 1)) // 18446744073709551614n
 */
export function subtractExact(a: Exact, b: Exact): Exact {
  return addExact(a, -b)
}

/**
 * Multiplies under the same rule as {@link addExact}.
 *
 * @example
 * import { multiplyExact } from 'pentameter/model'
 *
 * console.log(multiplyExact(2 ** 40, 2 ** 20)) // 1152921504606846976n
 */
export function multiplyExact(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (Number.isSafeInteger(product) || !isInteger(a) || !isInteger(b)) return product
    return exact(BigInt(a) * BigInt(b))
  }
  return isInteger(a) && isInteger(b) ? exact(BigInt(a) * BigInt(b)) : Number(a) * Number(b)
}

/**
 * Tells whether a value is whole: true for every bigint and every finite number without a fraction.
 *
 * @example
 * import { isInteger } from 'pentameter/model'
 *
 * console.log(isInteger(3n), isInteger(0.5)) // true false
 */
export function isInteger(value: Exact): boolean {
  return typeof value === 'bigint' || Number.isInteger(value)
}

/**
 * Finds the smaller of two; NaN counts as "not known".
 *
 * @example
 * import { minExact } from 'pentameter/model'
 *
 * console.log(minExact(3, 2n), minExact(Number.NaN, 5)) // 2n 5
 */
export function minExact(a: Exact, b: Exact): Exact {
  if (Number.isNaN(a)) return b
  return b < a ? b : a
}

/**
 * Finds the larger of two; NaN counts as "not known".
 *
 * @example
 * import { maxExact } from 'pentameter/model'
 *
 * console.log(maxExact(3, 2n), maxExact(Number.NaN, 5)) // 3 5
 */
export function maxExact(a: Exact, b: Exact): Exact {
  if (Number.isNaN(a)) return b
  return b > a ? b : a
}

/**
 * Makes the JSON form: a number where JSON keeps it exact, otherwise decimal text.
 *
 * @example
 * import { exactToJson } from 'pentameter/model'
 *
 * console.log(JSON.stringify([1, 2n ** 60n].map(exactToJson))) // [1,"1152921504606846976"]
 */
export function exactToJson(value: Exact): number | string {
  return typeof value === 'bigint' ? value.toString() : value
}
