/**
 * Lines of NDJSON from their grammar (§3.1, §3.2, §4.9): both spellings, fields in any order, in or
 * without an envelope, numbers of every kind; and lines that are none, each with the reason that
 * the document gives for it.
 */
import { ByteBuilder } from '../../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import { latin1, Transcript } from '../../../../../test/fuzz/engine/transcript.ts'
import {
  anyText,
  finite,
  shuffled,
  text,
  unsigned,
} from '../../../../../test/fuzz/engine/values.ts'
import type { Profile } from '../../../decoder.ts'

/** Limit of the reader under test. */
export const LINE_LIMIT = 4096
const TEXT_LIMIT = 512
const NO_JSON = [
  '{',
  '}',
  '{"Name":',
  'x',
  '{"a":1,}',
  "{'a':1}",
  '\u0000',
  '{"a":1}{',
  'NaN',
  '"\t"',
]
const NO_OBJECT = ['[]', '1', 'null', '"text"', 'true', '[{"Payload":{}}]', '-0', '1e999']
const NO_PAYLOAD = ['{}', '{"Payload":1}', '{"Payload":[]}', '{"Payload":null}', '{"Name":"a"}']
const NO_KIND = ['Sum ', 'sum', '', 'Rate', 0, null, ['Sum'], { Sum: 1 }]
const NO_NUMBER = ['1', '', true, [], {}, 'NaN']
const NO_UTF8 = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80]].map((bytes) => Uint8Array.from(bytes))

/** A JSON member: its name, and its value as JSON text. */
type Member = readonly [name: string, json: string]

/** Content of a line: in which spelling, of what, with which marks and fault. */
interface LineContent {
  readonly profile: Profile
  readonly kind: 'Mean' | 'Sum'
  readonly fault: string | undefined
  readonly marks: readonly string[] | undefined
}

const MARKINGS: readonly (readonly string[])[] = [
  [],
  ['scale'],
  ['tags'],
  ['scale', 'tags'],
  ['other'],
]

/** Fills one buffer with lines, and one transcript with what becomes of each. */
export class LineStream {
  readonly out = new ByteBuilder()
  readonly meaning = new Transcript()
  #random!: Random

  /** @returns whether the meaning holds */
  make(random: Random): boolean {
    this.#random = random
    this.out.reset(random.below(4))
    this.meaning.reset()
    const isMeant = !random.isOnceIn(4)
    for (let left = 1 + random.below(4); left > 0; left--) this.#line()
    // without anything in it, a last line without its end is none
    const isEmpty = /^\n?$|\n\n$/.test(latin1(this.out.bytes.subarray(-2)))
    if (!isEmpty && random.isOnceIn(4)) this.out.truncate(this.out.size - 1)
    if (!isMeant) this.out.truncate(random.below(this.out.size + 1))
    return isMeant
  }

  #line(): void {
    const { out, meaning } = this
    const random = this.#random
    const way = random.below(24)
    const start = out.size
    if (way < 14) this.#window()
    else if (way === 14) this.#ignored('keep_alive', random.pick(['', ' ', '\t\r ']))
    else if (way === 15) {
      this.#ignored('other_event', `{"event":${random.pick(['"x"', 'null', '1'])},"Payload":{}}`)
    } else if (way === 16) this.#refused('not_json', random.pick(NO_JSON))
    else if (way === 17) this.#refused('not_an_object', random.pick(NO_OBJECT))
    else if (way === 18) this.#refused('no_payload', random.pick(NO_PAYLOAD))
    else if (way === 19) {
      out.text('{"Name":"').raw(random.pick(NO_UTF8)).text('","CounterType":"Sum"}')
      meaning.add('error').add('not_json')
    } else if (way === 20) {
      this.#refused('line_too_long', '{'.padEnd(LINE_LIMIT + 1 + random.below(500), 'x'))
    } else this.#window(random.pick(['missing_name', 'unknown_counter_type', 'missing_value']))
    if (way < 14 && out.size - start > LINE_LIMIT) throw new Error('a line is longer than meant')
    out.u8(0x0a)
  }

  #ignored(reason: string, line: string): void {
    this.out.text(line)
    this.meaning.add('ignored').add(reason)
  }

  #refused(code: string, line: string): void {
    this.out.text(line)
    this.meaning.add('error').add(code)
  }

  /** A payload, with one fault or none. */
  #window(fault?: string): void {
    const { out } = this
    const random = this.#random
    const profile: Profile = random.isOnceIn(2) ? 'peer' : 'document'
    const kind = random.isOnceIn(2) ? 'Mean' : 'Sum'
    const facts = new Transcript()
    const marks = random.isOnceIn(4) ? random.pick(MARKINGS) : undefined
    const members = this.#members({ profile, kind, fault, marks }, facts)
    const payload = objectOf(shuffled(random, members), random)
    const provider = random.isOnceIn(3) ? sayable(anyText(random)) : ''
    const timeMs = random.isOnceIn(3) ? random.below(2 ** 31) * 1000 : undefined
    const buckets = random.isOnceIn(4) ? bucketsOf(random, kind === 'Mean' && !fault) : undefined
    const isTold = [provider || undefined, timeMs, marks, buckets].some(
      (each) => each !== undefined,
    )
    const hasEnvelope = isTold || random.isOnceIn(3)
    if (hasEnvelope) {
      const around: Member[] = [['Payload', payload]]
      if (random.isOnceIn(2)) around.push(['event', '"EventCounters"'])
      if (provider !== '') around.push(['provider', JSON.stringify(provider)])
      if (timeMs !== undefined) {
        around.push(['time', JSON.stringify(new Date(timeMs).toISOString())])
      }
      if (marks !== undefined) around.push(['marks', JSON.stringify(marks)])
      if (buckets !== undefined) {
        around.push(['buckets', buckets.json])
        facts.append(buckets.facts)
      }
      out.text(objectOf(shuffled(random, around), random))
    } else out.text(payload)
    if (fault === undefined) this.meaning.add('window').add(provider).add(timeMs).append(facts)
    else
      this.meaning
        .add('error')
        .add(hasEnvelope || !isBareLost(fault, members) ? fault : 'no_payload')
  }

  #members({ profile, kind, fault, marks = [] }: LineContent, facts: Transcript): Member[] {
    const random = this.#random
    const members: Member[] = []
    const add = (name: string, value: unknown): void => {
      members.push([name, typeof value === 'number' ? numberText(value) : JSON.stringify(value)])
    }
    const name = sayable(anyText(random)) || 'n'
    if (fault !== 'missing_name') add('Name', name)
    else if (!random.isOnceIn(3)) {
      add('Name', random.pick(['', 1, null, 'a\0b', 'x'.repeat(TEXT_LIMIT + 1)]))
    }
    if (fault === 'unknown_counter_type') add('CounterType', random.pick(NO_KIND))
    else add('CounterType', kind)
    facts.add(profile).add(name).add(kind)
    this.#texts(profile, kind, marks, add, facts)
    if (kind === 'Sum') facts.add(this.#number('Increment', add, fault))
    else this.#mean(add, fault, facts)
    if (random.isOnceIn(6)) add(random.pick(['Extra', '__proto__', 'Sum']), random.pick(NO_KIND))
    return members
  }

  #texts(
    profile: Profile,
    kind: string,
    marks: readonly string[],
    add: (name: string, value: unknown) => void,
    facts: Transcript,
  ): void {
    const random = this.#random
    const displayName = random.isOnceIn(2) ? sayable(text(random)) : ''
    if (displayName !== '') add('DisplayName', displayName)
    const isDocument = profile === 'document'
    let seriesMs: number | undefined
    if (!random.isOnceIn(3)) {
      const stated = random.pick([0, 1, 60, 2 ** 31, 4_294_967_295])
      seriesMs = isDocument ? stated * 1000 : stated
      add('Series', `${random.pick(['Interval', 'interval'])}=${stated}`)
    }
    let seconds: number | undefined
    if (!random.isOnceIn(3)) {
      const stated = random.pick([finite(random), 1, 60.02, 0, -1])
      if (stated > 0) seconds = stated
      add('IntervalSec', stated)
    }
    let scale = 0
    if (kind === 'Sum' && random.isOnceIn(2)) {
      scale = random.pick([1, 60, 3600, 86_399])
      const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
      const clock = `${two(scale / 3600)}:${two((scale / 60) % 60)}:${two(scale % 60)}`
      add('DisplayRateTimeScale', isDocument ? String(scale) : clock)
      // a second stands for none in the document's spelling
      if (scale === 1 && isDocument && !marks.includes('scale')) scale = 0
    }
    const units = random.isOnceIn(2) ? random.pick(['', 'MB', 'é', 'm/s']) : ''
    const labels = this.#labels()
    const separator = isDocument ? '=' : ':'
    const pairs = isDocument && units !== '' ? [...labels, ['DisplayUnits', units]] : labels
    const joined = pairs.map(([key, value]) => `${key}${separator}${value}`).join(',')
    add(isDocument ? 'MetaData' : 'Metadata', joined)
    if (!isDocument && units !== '') add('DisplayUnits', units)
    facts.add(displayName).add(seriesMs).add(seconds).add(scale).add(units)
    for (const [key, value] of labels) facts.add(key!).add(value!)
    facts.add(marks.includes('tags') ? 'tags' : '')
  }

  #labels(): string[][] {
    const random = this.#random
    const count = random.below(4)
    return Array.from({ length: count }, (_, i) => {
      const [key, value] = [text(random, 40), text(random, 40)].map((part) =>
        part.replace(/[,=:\0]/g, '_'),
      )
      return [`${key}${i}`, value!]
    })
  }

  /** @returns the number as read; NaN for null and for what is not finite */
  #number(name: string, add: (name: string, value: unknown) => void, fault?: string): number {
    const random = this.#random
    if (fault === 'missing_value') {
      if (!random.isOnceIn(3)) add(name, random.pick(NO_NUMBER))
      return 0
    }
    const value = random.isOnceIn(8)
      ? random.pick([Number.NaN, Infinity, -Infinity])
      : finite(random)
    add(name, value)
    return Number.isFinite(value) ? value + 0 : Number.NaN
  }

  #mean(
    add: (name: string, value: unknown) => void,
    fault: string | undefined,
    facts: Transcript,
  ): void {
    const random = this.#random
    const count = Number(unsigned(random, 53))
    add('Count', count)
    facts.add(this.#number('Mean', add, fault)).add(count)
    facts.add(this.#number('StandardDeviation', add))
    const [min, max] = [this.#number('Min', add), this.#number('Max', add)]
    const isEmpty = count === 0
    facts.add(isEmpty && Number.isNaN(min) ? Infinity : min)
    facts.add(isEmpty && Number.isNaN(max) ? -Infinity : max)
  }
}

/** Buckets that are none. */
const NO_BUCKETS = ['null', '[]', '{}', '{"scale":9,"sum":0}', '{"scale":0,"sum":"1e9"}', '"0"']

interface MeantBuckets {
  readonly json: string
  /** What is read of them. */
  readonly facts: Transcript
}

/** @param isTaken whether what they stand at has such */
function bucketsOf(random: Random, isTaken: boolean): MeantBuckets {
  const facts = new Transcript()
  if (random.isOnceIn(4)) return { json: random.pick(NO_BUCKETS), facts }
  const scale = random.below(19) - 10
  const zero = random.isOnceIn(2) ? 0n : unsigned(random, 40)
  const sides = [sideOf(random, scale), sideOf(random, scale)] as const
  const counts = sides.flat().map(([, count]) => count)
  const total = counts.reduce((sum, count) => sum + count, zero)
  const sum = total === 0n ? 0 : random.pick([0, -1.5, 2 ** 70, '36893488147419103232'])
  const [negative, positive] = sides.map((side) =>
    side.map(([i, count]) => [i, numberOrText(count)]),
  )
  const member = { scale, sum, zero: numberOrText(zero), negative, positive }
  if (!isTaken) return { json: JSON.stringify(member), facts }
  facts
    .add('buckets')
    .add(scale)
    .add(String(total))
    .add(String(exactSum(sum)))
  for (const [index, count] of sides.flat()) facts.add(index).add(String(count))
  return { json: JSON.stringify(member), facts }
}

/** A few buckets of finite doubles, near enough to each other to stay at their scale. */
function sideOf(random: Random, scale: number): [index: number, count: bigint][] {
  const low = Math.max(-40, Math.floor(-1074 * 2 ** scale))
  const high = Math.min(40, Math.ceil(1024 * 2 ** scale) - 1)
  const side: [number, bigint][] = []
  for (let i = low + random.below(4); i <= high && side.length < 5; i += 1 + random.below(20)) {
    side.push([i, 1n + unsigned(random, 60)])
  }
  return side
}

function numberOrText(value: bigint): number | string {
  return value > Number.MAX_SAFE_INTEGER ? String(value) : Number(value)
}

function exactSum(sum: number | string): number | bigint {
  return typeof sum === 'string' ? BigInt(sum) : sum
}

/** A payload without an envelope is one by its name and type alone. */
function isBareLost(fault: string, members: readonly Member[]): boolean {
  return fault === 'missing_name' && members.every(([name]) => name !== 'Name')
}

function sayable(value: string): string {
  return value.replaceAll('\0', '').slice(0, TEXT_LIMIT)
}

/** JSON has no text for what is not finite but null, and numbers that are too large. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return 'null'
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value)
  return value < 0 ? '-1e999' : '1e999'
}

function objectOf(members: readonly Member[], random: Random): string {
  const space = random.isOnceIn(8) ? random.pick([' ', '\t', '\r']) : ''
  const texts = members.map(([name, json]) => {
    const key = random.isOnceIn(30) ? escaped(name) : name
    return `${space}"${key}"${space}:${space}${json}${space}`
  })
  return `{${texts.join(',')}}`
}

/** Spells the first character as an escape. */
function escaped(name: string): string {
  return `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`
}
