/** Long requests are gone through in steps, whatever they are made of. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Task } from '../../../time/task.ts'
import { PART_BYTES_LIMIT } from '../spec.ts'
import { checkingJson } from './json-check.ts'
import { countingPoints, parsingJson } from './request.ts'

/** Runs a task, and counts its steps. */
function stepsOf<T>(task: Task<T>): { steps: number; result: T } {
  for (let steps = 1; ; steps++) {
    const { done, value } = task.next()
    if (done === true) return { steps, result: value as T }
  }
}

/** Writes a field with a length around bytes. */
function field(number: number, inner: Uint8Array): Uint8Array {
  const { length } = inner
  const size = [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]
  return Buffer.concat([Uint8Array.of(number * 8 + 2, ...size), inner])
}

const repeated = (bytes: readonly number[], times: number): Uint8Array => {
  return Buffer.alloc(bytes.length * times, Uint8Array.from(bytes))
}

suite('a long request', () => {
  const many = repeated([0x0a, 0], 100_000)

  for (const [what, body] of Object.entries({
    resources: many,
    scopes: field(1, repeated([0x12, 0], 100_000)),
    metrics: field(1, field(2, repeated([0x12, 0], 100_000))),
    points: field(1, field(2, field(2, field(5, many)))),
  })) {
    test(`of many empty ${what} is counted in steps`, () => {
      const { steps, result } = stepsOf(countingPoints(body))
      assert.equal(result, what === 'points' ? 100_000 : 0)
      assert.ok(steps > 100, `${steps}`)
    })
  }

  test('may have a megabyte besides what leads to points, on each level', () => {
    const long = repeated([0x78, 0], PART_BYTES_LIMIT / 2 + 1)
    for (const body of [long, field(1, long), field(1, field(2, long))]) {
      assert.equal(stepsOf(countingPoints(body)).result, 'too_large')
    }
    const attributes = field(1, field(1, long))
    assert.equal(stepsOf(countingPoints(attributes)).result, 'too_large')
  })

  test('of JSON is looked at in steps, but for what stands in texts', () => {
    const check = (text: string) => stepsOf(checkingJson(Buffer.from(text)))
    const [text, ...deep] = ['[{'.repeat(200_000), '['.repeat(121), '{"":'.repeat(121)]
    const { steps, result } = check(`["\\"${text}"]`)
    assert.deepEqual([steps > 6, result], [true, 'whole'])
    for (const each of deep) assert.equal(check(each).result, 'too_deep')
    assert.equal(check(`[${'[],'.repeat(300_000)}`).result, 'too_large')
  })

  test('of JSON has objects of few names, in few forms', () => {
    const check = (text: string) => stepsOf(checkingJson(Buffer.from(text))).result
    const objects = (count: number, nameOf: (i: number) => string): string => {
      return JSON.stringify(Array.from({ length: count }, (_, i) => ({ [nameOf(i)]: { a: [i] } })))
    }
    assert.equal(check(objects(1000, (i) => `k${i}`)), 'whole')
    assert.equal(check(objects(1100, (i) => `k${i}`)), 'too_large')
    assert.equal(check(objects(20_000, (i) => (i % 2 === 0 ? 'a\\"{' : 'b'))), 'whole')
    const names = (count: number): string => {
      return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [i, 'x,{'])))
    }
    assert.deepEqual([check(names(64)), check(names(65))], ['whole', 'too_large'])
    const orders = Array.from({ length: 1100 }, (_, i) => {
      const digits = i.toString(3).padStart(7, '0')
      return `{${Array.from(digits, (digit, at) => `"${'abc'[Number(digit)]}${at}":1`)}}`
    })
    assert.equal(check(`[${orders}]`), 'too_large')
    assert.equal(check('}}]]"'), 'whole')
  })

  test('of JSON is written in steps: messages, points, and lists of numbers', () => {
    const empty = Array<object>(10_000).fill({})
    const histogram = { dataPoints: [{ bucketCounts: Array<number>(100_000).fill(1) }] }
    for (const resource of [
      { resource: { attributes: empty } },
      { scopeMetrics: [{ metrics: empty }] },
      { scopeMetrics: [{ metrics: [{ gauge: { dataPoints: empty } }] }] },
      { scopeMetrics: [{ metrics: [{ histogram }] }] },
    ]) {
      const { steps, result } = stepsOf(
        parsingJson(JSON.stringify({ resourceMetrics: [resource] })),
      )
      assert.ok('bytes' in result)
      assert.ok(steps > 90, `${Object.keys(resource)}: ${steps}`)
    }
    const { steps } = stepsOf(parsingJson(JSON.stringify({ resourceMetrics: empty })))
    assert.ok(steps > 15, `${steps}`)
  })
})
