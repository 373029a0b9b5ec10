/**
 * A strict reader of Prometheus' text format 0.0.4 and of OpenMetrics 1.0, for tests. It refuses
 * whatever a scraper might not: families torn apart or sharing a sample name, repeated series,
 * metadata after samples, labels unsorted in meaning (`le` falling), counts that do not add up.
 */
export type Format = 'text' | 'openmetrics'

export interface ParsedFamily {
  readonly name: string
  readonly type: string
  help: string | undefined
  unit: string | undefined
  readonly samples: ParsedSample[]
}

export interface ParsedSample {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  /** As written: digits beyond 2^53 would be lost in a double. */
  readonly text: string
}

const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary'])
const NUMBER = /^(NaN|[+-]Inf|[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?)$/
/** What the samples of a family are called, behind its name. */
const SUFFIXES: Record<Format, Record<string, readonly string[]>> = {
  text: {
    counter: [''],
    gauge: [''],
    histogram: ['_bucket', '_sum', '_count'],
    summary: ['', '_sum', '_count'],
  },
  openmetrics: {
    counter: ['_total', '_created'],
    gauge: [''],
    histogram: ['_bucket', '_sum', '_count', '_created'],
    summary: ['', '_sum', '_count', '_created'],
  },
}

/** @throws {Error} naming the line */
export function parseExposition(
  text: string,
  format: Format,
  names: 'legacy' | 'utf8' = 'legacy',
): ParsedFamily[] {
  return new Parser(format, names).parse(text)
}

/** All samples by `name{key="value",…}` with sorted labels. */
export function sampleTexts(families: readonly ParsedFamily[]): Map<string, string> {
  const values = new Map<string, string>()
  for (const { samples } of families) {
    for (const sample of samples) values.set(sampleKey(sample), sample.text)
  }
  return values
}

function sampleKey({ name, labels }: ParsedSample): string {
  return name + labelKey(labels)
}

function labelKey(labels: ReadonlyMap<string, string>, without?: string): string {
  const pairs = [...labels].filter(([key, value]) => key !== without && value !== '').sort()
  return `{${pairs.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}}`
}

class Parser {
  readonly #format: Format
  readonly #names: 'legacy' | 'utf8'
  readonly #families: ParsedFamily[] = []
  /** Every name that a family or its samples may have: none may appear twice. */
  readonly #claimed = new Set<string>()
  readonly #seen = new Set<string>()
  #line = ''

  constructor(format: Format, names: 'legacy' | 'utf8') {
    this.#format = format
    this.#names = names
  }

  parse(text: string): ParsedFamily[] {
    if (text !== '' && !text.endsWith('\n')) throw new Error('last line without line feed')
    if (!text.isWellFormed()) throw new Error('lone surrogate')
    const lines = text.split('\n').slice(0, -1)
    if (this.#format === 'openmetrics' && lines.pop() !== '# EOF') throw new Error('no # EOF')
    for (const line of lines) {
      this.#line = line
      if (line.startsWith('#')) this.#metadata(line)
      else this.#sample(line)
    }
    for (const family of this.#families) this.#checkFamily(family)
    return this.#families
  }

  #fail(reason: string): never {
    throw new Error(`${reason}: ${this.#line}`)
  }

  #metadata(line: string): void {
    const match = /^# (HELP|TYPE|UNIT) (.*)$/s.exec(line) ?? this.#fail('unknown comment')
    const [name, end] = this.#name(match[2]!, 0)
    if (match[2]![end] !== ' ') this.#fail('no space behind the name')
    const value = match[2]!.slice(end + 1)
    const family = this.#familyFor(name)
    if (family.samples.length > 0) this.#fail('metadata behind samples')
    this.#setMetadata(family, match[1]!, value)
  }

  #setMetadata(family: Mutable<ParsedFamily>, keyword: string, value: string): void {
    if (keyword === 'HELP') {
      if (family.help !== undefined) this.#fail('second HELP')
      family.help = this.#unescape(value, this.#format === 'openmetrics')
    } else if (keyword === 'TYPE') {
      if (family.type !== '') this.#fail('second TYPE')
      if (!TYPES.has(value)) this.#fail('unknown type')
      family.type = value
      this.#claim(family)
    } else {
      if (this.#format === 'text') this.#fail('UNIT in text format')
      if (!family.name.endsWith(`_${value}`)) this.#fail('name does not end with the unit')
      family.unit = value
    }
  }

  #familyFor(name: string): ParsedFamily {
    const last = this.#families.at(-1)
    if (last?.name === name) return last
    if (this.#families.some((family) => family.name === name)) this.#fail('family torn apart')
    const family = { name, type: '', help: undefined, unit: undefined, samples: [] }
    this.#families.push(family)
    return family
  }

  #claim(family: ParsedFamily): void {
    const suffixes = SUFFIXES[this.#format][family.type]!
    for (const suffix of new Set([...suffixes, ''])) {
      const name = family.name + suffix
      if (this.#claimed.has(name)) this.#fail(`name ${name} of two families`)
      this.#claimed.add(name)
    }
  }

  #sample(line: string): void {
    const family = this.#families.at(-1)
    if (family === undefined || family.type === '') this.#fail('sample without TYPE')
    const sample = this.#readSample(line)
    const suffixes = SUFFIXES[this.#format][family.type]!
    const suffix = suffixes.find((end) => sample.name === family.name + end)
    if (suffix === undefined) this.#fail(`sample is not of family ${family.name}`)
    if (suffix === '_bucket' && !sample.labels.has('le')) this.#fail('bucket without le')
    if (this.#seen.has(sampleKey(sample))) this.#fail('series repeated')
    this.#seen.add(sampleKey(sample))
    family.samples.push(sample)
  }

  #readSample(line: string): ParsedSample {
    const labels = new Map<string, string>()
    let name = ''
    let at = 0
    if (line[0] !== '{') [name, at] = this.#name(line, 0)
    if (line[at] === '{') {
      at++
      for (let isFirst = true; line[at] !== '}'; isFirst = false) {
        if (!isFirst && line[at++] !== ',') this.#fail('no comma between labels')
        if (isFirst && name === '' && line[at] === '"') {
          ;[name, at] = this.#quoted(line, at)
          continue
        }
        at = this.#label(line, at, labels)
      }
      at++
    }
    if (name === '') this.#fail('no name')
    const value = line.slice(at + 1)
    if (line[at] !== ' ' || !NUMBER.test(value)) this.#fail('bad value')
    return { name, labels, text: value }
  }

  #label(line: string, start: number, labels: Map<string, string>): number {
    const [key, at] = this.#key(line, start)
    if (line[at] !== '=' || line[at + 1] !== '"') this.#fail('no value behind a label')
    if (labels.has(key)) this.#fail(`label ${key} twice`)
    if (key.startsWith('__')) this.#fail(`reserved label ${key}`)
    const [value, end] = this.#quoted(line, at + 1)
    labels.set(key, value)
    return end
  }

  #key(line: string, at: number): [string, number] {
    if (line[at] === '"' && this.#names === 'utf8') return this.#quoted(line, at)
    const match = /^[a-zA-Z_][a-zA-Z0-9_]*/.exec(line.slice(at)) ?? this.#fail('bad label name')
    return [match[0], at + match[0].length]
  }

  #name(line: string, at: number): [string, number] {
    if (line[at] === '"' && this.#names === 'utf8') return this.#quoted(line, at)
    const match = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line.slice(at)) ?? this.#fail('bad name')
    return [match[0], at + match[0].length]
  }

  #quoted(line: string, start: number): [string, number] {
    if (line[start] !== '"') this.#fail('no quote')
    let at = start + 1
    while (at < line.length && line[at] !== '"') at += line[at] === '\\' ? 2 : 1
    if (at >= line.length) this.#fail('quote not closed')
    return [this.#unescape(line.slice(start + 1, at), true), at + 1]
  }

  #unescape(text: string, hasQuotes: boolean): string {
    return text.replace(/\\(.?)/gs, (_, character: string) => {
      if (character === 'n') return '\n'
      if (character === '\\' || (hasQuotes && character === '"')) return character
      return this.#fail(`bad escape \\${character}`)
    })
  }

  #checkFamily(family: ParsedFamily): void {
    this.#line = family.name
    if (family.samples.length === 0) this.#fail('family without samples')
    for (const sample of family.samples) this.#checkCounterLike(family, sample)
    if (family.type !== 'histogram') return
    const rows = new Map<string, ParsedSample[]>()
    let last = ''
    for (const sample of family.samples) {
      const key = labelKey(sample.labels, 'le')
      if (key !== last && rows.has(key)) this.#fail(`histogram ${key} torn apart`)
      last = key
      rows.set(key, [...(rows.get(key) ?? []), sample])
    }
    for (const samples of rows.values()) this.#checkHistogram(family, samples)
  }

  #checkCounterLike(family: ParsedFamily, sample: ParsedSample): void {
    const suffix = sample.name.slice(family.name.length)
    const isCount = suffix === '_bucket' || suffix === '_count'
    if (isCount && !/^\d+$/.test(sample.text)) this.#fail(`not a count: ${sample.text}`)
    // the total of an EventCounter may have a fraction
    const isTotal = family.type === 'counter'
    if (isTotal && !/^\d+(\.\d+)?$/.test(sample.text)) this.#fail(`not a total: ${sample.text}`)
    const isSum = suffix === '_sum' && this.#format === 'openmetrics'
    if (isSum && !(Number(sample.text) >= 0)) this.#fail(`negative sum: ${sample.text}`)
  }

  #checkHistogram(family: ParsedFamily, samples: readonly ParsedSample[]): void {
    const find = (suffix: string): ParsedSample | undefined =>
      samples.find((sample) => sample.name === family.name + suffix)
    const buckets = samples.filter((sample) => sample.name === `${family.name}_bucket`)
    let bound = Number.NEGATIVE_INFINITY
    let seen = 0n
    for (const bucket of buckets) {
      const le = bucket.labels.get('le')!
      if (!NUMBER.test(le)) this.#fail(`bad le ${le}`)
      const next = Number(le.replace('Inf', 'Infinity'))
      if (!(next > bound)) this.#fail(`le ${le} does not rise`)
      if (BigInt(bucket.text) < seen) this.#fail(`bucket ${le} falls`)
      bound = next
      seen = BigInt(bucket.text)
    }
    if (bound !== Number.POSITIVE_INFINITY) this.#fail('no +Inf bucket')
    const count = find('_count')
    if (count !== undefined && BigInt(count.text) !== seen) this.#fail('count is not +Inf')
    if ((find('_sum') === undefined) !== (count === undefined)) this.#fail('sum or count alone')
    const hasNegative = buckets.some((bucket) => bucket.labels.get('le')!.startsWith('-'))
    if (this.#format === 'text' ? count === undefined : hasNegative === (count !== undefined)) {
      this.#fail(hasNegative ? 'sum beside negative bounds' : 'no sum')
    }
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
