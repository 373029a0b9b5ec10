/** Rows of a history as CSV (RFC 4180): a line of names first, times in ISO 8601. */
import { createReadStream } from 'node:fs'
import { COLUMNS, numberText, type PlacedRow, type Row, RowError } from './rows.ts'

/** Longest line: that of a histogram is some KB. */
const LINE_LIMIT = 4_194_304

export const CSV_HEAD = `${COLUMNS.join()}\r\n`

export function csvLine(row: Row): string {
  const fields = COLUMNS.map((column) => {
    const value = row[column]
    if (value === undefined) return ''
    if (column === 'time') return new Date(row.time).toISOString()
    return typeof value === 'number' ? numberText(value) : quoted(value)
  })
  return `${fields.join()}\r\n`
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Reads the rows of a file. Columns are found by their names, in any order.
 * @throws {RowError} that names the line, for a file that can't be read on from there
 */
export async function* readCsv(path: string): AsyncGenerator<PlacedRow> {
  let places: ReadonlyMap<string, number> | undefined
  for await (const { line, fields } of records(path)) {
    if (places === undefined) {
      places = new Map(fields.map((name, i) => [name, i]))
      const missing = ['time', 'seconds', 'name', 'kind'].filter((name) => !places!.has(name))
      if (missing.length > 0) throw new RowError(`line 1: no column ${missing.join(', ')}`)
      continue
    }
    if (fields.length !== places.size) {
      throw new RowError(`line ${line}: ${fields.length} fields, line 1 has ${places.size}`)
    }
    const known = places
    const text = (column: string): string => fields[known.get(column) ?? -1] ?? ''
    yield { number: line, row: () => rowOf(text) }
  }
  if (places === undefined) throw new RowError('line 1: the file is empty')
}

function rowOf(text: (column: string) => string): Row {
  const number = (column: string): number | undefined => {
    const written = text(column)
    if (written === '') return undefined
    const value = Number(written)
    if (!Number.isNaN(value) || written === 'NaN') return value
    throw new RowError(`${column}: want a number, got ${written.slice(0, 40)}`)
  }
  const time = Date.parse(text('time'))
  if (Number.isNaN(time)) {
    throw new RowError(`time: want ISO 8601, got ${text('time').slice(0, 40)}`)
  }
  return {
    time,
    ...{ seconds: number('seconds') ?? 1, name: text('name'), labels: text('labels') },
    ...{ kind: text('kind'), value: number('value'), count: number('count'), sum: number('sum') },
    ...{ min: number('min'), max: number('max'), detail: text('detail'), about: text('about') },
  }
}

interface CsvRecord {
  /** Number of its first line, from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

/** Cuts a file into records; a quoted field may go over several lines. */
async function* records(path: string): AsyncGenerator<CsvRecord> {
  let held = ''
  let line = 1
  for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
    held += chunk
    let from = 0
    for (;;) {
      const end = recordEnd(held, from)
      if (end === undefined) break
      const text = held.slice(from, end)
      yield { line, fields: fieldsOf(text, line) }
      line += 1 + newLines(text)
      from = end + 1
    }
    held = held.slice(from)
    if (held.length > LINE_LIMIT) {
      throw new RowError(`line ${line}: more than ${LINE_LIMIT} characters`)
    }
  }
  if (held !== '') yield { line, fields: fieldsOf(held, line) }
}

/** Finds the line feed that ends a record: one with an even number of quotes before it. */
function recordEnd(text: string, from: number): number | undefined {
  let quotes = 0
  let at = from
  for (;;) {
    const end = text.indexOf('\n', at)
    if (end < 0) return undefined
    for (let i = text.indexOf('"', at); i >= 0 && i < end; i = text.indexOf('"', i + 1)) quotes++
    if (quotes % 2 === 0) return end
    at = end + 1
  }
}

function newLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/gsy

function fieldsOf(record: string, line: number): string[] {
  const text = record.endsWith('\r') ? record.slice(0, -1) : record
  const fields: string[] = []
  FIELD.lastIndex = 0
  for (;;) {
    const match = FIELD.exec(text)
    if (match === null)
      throw new RowError(`line ${line}: a quote within field ${fields.length + 1}`)
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === '') return fields
  }
}
