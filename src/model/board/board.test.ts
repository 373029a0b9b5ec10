import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { readNumber, VECTORS } from '../../dialects/scope/test/golden.ts'
import {
  CHART_COLUMNS,
  parseBounded,
  parseBoundedCount,
  parseColor,
  parseSeconds,
  parseSma,
  parseSource,
  parseTrigger,
  parseYRange,
  TIME_WINDOW_S,
} from './options.ts'
import { movingAverage, movingAverageOver } from './sma.ts'
import { Trigger, type TriggerChange } from './trigger.ts'

describe('colours', () => {
  for (const each of VECTORS.colors) {
    it(`label ${JSON.stringify(each.label)} is ${each.color ?? 'no colour'}`, () => {
      assert.equal(parseColor(each.label) ?? null, each.color)
    })
  }

  it('knows all nine words of the original, in lower case only', () => {
    const words = 'red green blue yellow cyan magenta orange white black'.split(' ')
    for (const word of words) {
      assert.match(parseColor(word)!, /^#[0-9a-f]{6}$/)
      assert.equal(parseColor(word.toUpperCase()), undefined)
    }
    assert.equal(parseColor('orange'), '#ff6900')
    assert.equal(parseColor('#AbC'), '#aabbcc')
    assert.equal(parseColor('#é12'), undefined)
  })
})

describe('options', () => {
  const PARSERS: Readonly<Record<string, (arg: string) => unknown>> = {
    '--y-range': parseYRange,
    '--sma': parseSma,
    '--trigger': parseTrigger,
    SOURCE: parseSource,
  }

  for (const each of VECTORS.options) {
    it(`${each.option} ${JSON.stringify(each.arg)} gives ${JSON.stringify(each.result)}`, () => {
      assert.deepEqual(PARSERS[each.option]!(each.arg) ?? null, each.result)
    })
  }

  it('cuts keys at the last equals sign', () => {
    assert.deepEqual(parseSma('a=b=3'), { key: 'a=b', samples: 3 })
    assert.deepEqual(parseTrigger('a=1,2=3,'), { key: 'a=1,2', below: 3, above: null })
  })

  it('refuses numbers that are not plain and finite', () => {
    for (const text of ['inf', 'NaN', '1e999', '0x10', '1_000', ' 1', '', '+', '1e', '.']) {
      assert.equal(parseYRange(`p=${text || 'x'},5`), undefined, text)
    }
    assert.deepEqual(parseYRange('p=.5,1.'), { plot: 'p', min: 0.5, max: 1 })
    assert.equal(parseYRange('p=1,2,3'), undefined)
    assert.equal(parseYRange('p=2,2'), undefined)
    assert.equal(parseSma('x=1.5'), undefined)
    assert.equal(parseSma('x=99999999999999999999'), undefined)
    assert.equal(parseSma('x=-2s'), undefined)
    assert.equal(parseSeconds('0'), undefined)
    assert.equal(parseSeconds('0.1'), 0.1)
  })

  it('takes addresses with and without port, and no others', () => {
    assert.deepEqual(parseSource('fe80::1%eth0'), { host: 'fe80::1%eth0', port: 5001 })
    assert.deepEqual(parseSource('::1'), { host: '::1', port: 5001 })
    assert.deepEqual(parseSource('plc1:80'), { host: 'plc1', port: 80 })
    for (const text of [
      ':5001',
      'a:b',
      'a:1:2',
      '[a]:1',
      '[]',
      '[::1',
      'h:65536',
      'a b',
      '::1]:2',
    ]) {
      assert.equal(parseSource(text), undefined, text)
    }
  })

  it('moves values of the controls into their bounds', () => {
    assert.equal(parseBounded('0.2', TIME_WINDOW_S), 1)
    assert.equal(parseBounded('1e6', TIME_WINDOW_S), 600)
    assert.equal(parseBounded('nan', TIME_WINDOW_S), undefined)
    assert.equal(parseBoundedCount('-3', CHART_COLUMNS), 1)
    assert.equal(parseBoundedCount('2.5', CHART_COLUMNS), undefined)
  })
})

describe('moving average', () => {
  for (const each of VECTORS.sma) {
    it(`${each.name}: window ${each.window}`, () => {
      const out = movingAverage(each.in.map(readNumber), each.window)
      assert.deepEqual(
        Array.from(out, (value) => (Number.isNaN(value) ? null : value)),
        each.out,
      )
    })
  }

  it('is the plain mean of each window, whatever the values are', () => {
    const value = fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.constantFrom(NaN, Infinity))
    holds(
      fc.property(
        fc.array(value, { maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        (list, n) => {
          const out = movingAverage(list, n)
          list.forEach((_, i) => {
            const finite = list.slice(Math.max(0, i - n + 1), i + 1).filter(Number.isFinite)
            const mean = finite.reduce((sum, each) => sum + each, 0) / finite.length
            assert.deepEqual(out[i], i + 1 < n ? Number.NaN : mean)
          })
        },
      ),
    )
  })

  it('forgets a huge value as soon as it has left the window', () => {
    const out = movingAverage([1e300, 1, 2, 3, 4], 2)
    assert.deepEqual([...out].slice(2), [1.5, 2.5, 3.5])
  })

  it('takes a window in seconds by the times of the samples', () => {
    const out = movingAverageOver([0, 1, 2, 4, 4.5], [1, 3, 5, 7, 9], 2)
    assert.deepEqual([...out], [NaN, NaN, 4, 7, 8])
  })

  it('refuses a window that is none', () => {
    assert.throws(() => movingAverage([1], -1), RangeError)
    assert.throws(() => movingAverage([1], 1.5), RangeError)
  })
})

describe('trigger', () => {
  for (const each of VECTORS.trigger) {
    it(`${each.name}`, () => {
      const trigger = new Trigger(each.window_s)
      for (const { key, below, above } of each.metrics) trigger.edit(key, { below, above })
      const changes = each.steps.flatMap((step) => {
        if ('action' in step) return trigger.edit(step.key, step.set)
        const values = new Map(Object.entries(step.values))
        return trigger.sample(step.t, (key) =>
          values.has(key) ? readNumber(values.get(key)) : undefined,
        )
      })
      assert.deepEqual(changes.map(inVectorForm), each.expect)
    })
  }

  it('needs the metric to leave the hit region before it hits again', () => {
    const trigger = new Trigger(2)
    trigger.edit('x', { above: 5 })
    const step = (t: number, x: number) => trigger.sample(t, () => x).map(({ kind }) => kind)
    assert.deepEqual(step(0, 6), ['hit'])
    assert.deepEqual(step(1, 6), ['stopped'])
    assert.deepEqual(trigger.clear(), [{ kind: 'cleared' }])
    assert.deepEqual(step(2, 7), [])
    assert.deepEqual(step(3, 4), [])
    assert.deepEqual(step(4, 6), ['hit'])
    assert.equal(trigger.isStopped, false)
  })

  it('keeps a latched event when another metric or another side is edited', () => {
    const trigger = new Trigger(2)
    trigger.edit('x', { above: 5 })
    trigger.sample(0, () => 6)
    assert.deepEqual(trigger.edit('y', { above: 1 }), [])
    assert.deepEqual(trigger.edit('x', { below: 1 }), [])
    assert.equal(trigger.event?.value, 6)
    assert.deepEqual(trigger.thresholds('x'), { below: 1, above: 5 })
  })

  it('looks at metrics of one snapshot in UTF-8 order', () => {
    const trigger = new Trigger(2)
    for (const key of ['\u{1f600}', '\uffff', 'b']) trigger.edit(key, { above: 0 })
    trigger.sample(0, (key) => (key === 'b' ? -1 : 1))
    assert.equal(trigger.event?.key, '\uffff')
  })

  it('drops a latched event at a reconnect, unless the view has stopped at it', () => {
    const trigger = new Trigger(2)
    trigger.edit('x', { above: 5 })
    trigger.sample(7, () => 6)
    assert.deepEqual(trigger.reconnect(), [{ kind: 'cleared' }])
    trigger.sample(0, () => 0)
    trigger.sample(1, () => 6)
    trigger.sample(2, () => 6)
    assert.equal(trigger.isStopped, true)
    assert.deepEqual(trigger.reconnect(), [])
    assert.equal(trigger.event?.t, 1)
  })

  it('stops at the middle of the window that is set by then', () => {
    const trigger = new Trigger(600)
    trigger.edit('x', { below: 0 })
    trigger.sample(10, () => -1)
    trigger.setWindow(4)
    const [change] = trigger.sample(12, () => 5)
    assert.deepEqual(change, { kind: 'stopped', t: 12, from: 8, to: 12 })
  })
})

/** A change as the golden vectors write it. */
function inVectorForm(change: TriggerChange): unknown {
  if (change.kind === 'hit') return { hit: change.event }
  if (change.kind === 'cleared') return { cleared: true }
  return { paused_at: change.t, view: [change.from, change.to] }
}
