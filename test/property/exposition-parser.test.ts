/** The strict reader of expositions is worth something only if it refuses: one fault each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Format, parseExposition } from '../support/outputs/exposition-parser.ts'

const GOOD: Record<Format, string> = {
  text: [
    '# HELP a_total \\\\ and \\n "quoted"',
    '# TYPE a_total counter',
    'a_total{x="1\\"\\\\\\n"} 18446744073709551615',
    '# TYPE b gauge',
    'b -1.5e-9',
    '# TYPE h histogram',
    'h_bucket{le="-1"} 1',
    'h_bucket{le="+Inf"} 2',
    'h_sum -4',
    'h_count 2',
    '',
  ].join('\n'),
  openmetrics: [
    '# TYPE a counter',
    '# HELP a \\"quoted\\"',
    'a_total 1',
    '# TYPE h_seconds histogram',
    '# UNIT h_seconds seconds',
    'h_seconds_bucket{le="1"} 1',
    'h_seconds_bucket{le="+Inf"} 1',
    'h_seconds_sum 0.5',
    'h_seconds_count 1',
    '# EOF',
    '',
  ].join('\n'),
}

const FAULTS: readonly (readonly [fault: string, format: Format, from: string, to: string])[] = [
  ['a bad value', 'text', 'b -1.5e-9', 'b 0x10'],
  ['a falling counter bucket', 'text', 'le="+Inf"} 2', 'le="+Inf"} 0'],
  ['a count that is not +Inf', 'text', 'h_count 2', 'h_count 3'],
  ['bounds that do not rise', 'text', 'le="-1"', 'le="+Inf"'],
  ['no +Inf', 'text', 'le="+Inf"', 'le="7"'],
  ['a family torn apart', 'text', '# TYPE h histogram', '# TYPE a_total counter'],
  ['a sample of another family', 'text', 'b -1.5e-9', 'c 1'],
  ['a family without samples', 'text', 'b -1.5e-9\n', ''],
  ['a name that needs cleaning', 'text', 'b -1.5e-9', 'b.c 1'],
  ['a label twice', 'text', '{x=', '{x="0",x='],
  ['a reserved label', 'text', '{x=', '{__x='],
  ['an unknown escape', 'text', '1\\"', '1\\t'],
  ['a raw quote', 'text', '1\\"', '1"'],
  ['a repeated series', 'text', 'b -1.5e-9', 'b 1\nb 2'],
  ['metadata behind samples', 'text', 'h_sum -4', '# HELP h late\nh_sum -4'],
  ['a negative counter', 'text', '18446744073709551615', '-1'],
  ['two families of one name', 'openmetrics', 'h_seconds histogram', 'a_created gauge'],
  ['a counter without _total', 'openmetrics', 'a_total 1', 'a 1'],
  ['no end', 'openmetrics', '# EOF\n', ''],
  ['a unit that the name lacks', 'openmetrics', 'h_seconds seconds', 'h_seconds meters'],
  ['a negative sum', 'openmetrics', 'sum 0.5', 'sum -0.5'],
  ['a sum beside negative bounds', 'openmetrics', 'le="1"', 'le="-1"'],
  ['a sum without count', 'openmetrics', 'h_seconds_count 1\n', ''],
]

for (const format of ['text', 'openmetrics'] as const) {
  test(`the strict reader takes a good exposition in ${format}`, () => {
    assert.equal(parseExposition(GOOD[format], format).length, format === 'text' ? 3 : 2)
  })
}

for (const [fault, format, from, to] of FAULTS) {
  test(`the strict reader refuses ${fault}`, () => {
    assert.ok(GOOD[format].includes(from), 'the fault is planted')
    assert.throws(() => parseExposition(GOOD[format].replace(from, to), format))
  })
}
