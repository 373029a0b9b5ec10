/**
 * Rows of a history as Parquet, by hyparquet and hyparquet-writer (docs/formats/history-rows.md).
 */
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import { COLUMNS, type PlacedRow, type Row, RowError } from './rows.ts'

/** Rows of a group, which is held in memory while it is written and read. */
const GROUP_ROWS = 50_000

type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema']

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
const DOUBLE = { type: 'DOUBLE' } as const
const REQUIRED = { repetition_type: 'REQUIRED' } as const
const OPTIONAL = { repetition_type: 'OPTIONAL' } as const
const TYPES = {
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', ...REQUIRED },
  seconds: { type: 'INT32', ...REQUIRED },
  name: { ...TEXT, ...REQUIRED },
  labels: { ...TEXT, ...REQUIRED },
  kind: { ...TEXT, ...REQUIRED },
  ...{ value: { ...DOUBLE, ...OPTIONAL }, count: { ...DOUBLE, ...OPTIONAL } },
  ...{ sum: { ...DOUBLE, ...OPTIONAL }, min: { ...DOUBLE, ...OPTIONAL } },
  ...{ max: { ...DOUBLE, ...OPTIONAL }, detail: { ...TEXT, ...OPTIONAL } },
  about: { ...TEXT, ...OPTIONAL },
} as const satisfies Record<(typeof COLUMNS)[number], unknown>

export class ParquetFile {
  readonly #writer: ParquetWriter
  #rows: Row[] = []

  constructor(path: string) {
    const schema: Schema = [
      { name: 'root', num_children: COLUMNS.length },
      ...COLUMNS.map((name) => ({ name, ...TYPES[name] })),
    ]
    this.#writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'pentameter' })
  }

  add(row: Row): void {
    this.#rows.push(row)
    if (this.#rows.length >= GROUP_ROWS) this.#flush()
  }

  #flush(): void {
    const rows = this.#rows
    this.#rows = []
    if (rows.length === 0) return
    const columnData = COLUMNS.map((name) => {
      const data = rows.map((row) => (name === 'time' ? new Date(row.time) : row[name]))
      return { name, data }
    })
    this.#writer.write({ columnData, rowGroupSize: GROUP_ROWS })
  }

  finish(): void {
    this.#flush()
    this.#writer.finish()
  }
}

/** Reads the rows of a file, a group at a time. @throws {RowError} for one that is no such file */
export async function* readParquet(path: string): AsyncGenerator<PlacedRow> {
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file).catch((error: Error) => {
    throw new RowError(`no Parquet file: ${error.message}`)
  })
  const names = new Set(metadata.schema.map(({ name }) => name))
  const missing = COLUMNS.filter((name) => TYPES[name].repetition_type === 'REQUIRED').filter(
    (name) => !names.has(name),
  )
  if (missing.length > 0) throw new RowError(`no column ${missing.join(', ')}`)
  let from = 0
  for (const { num_rows } of metadata.row_groups) {
    const to = from + Number(num_rows)
    const columns = COLUMNS.filter((name) => names.has(name))
    const rows = await parquetReadObjects({ file, metadata, columns, rowStart: from, rowEnd: to })
    for (const [i, each] of rows.entries()) yield { number: from + i + 1, row: () => rowOf(each) }
    from = to
  }
}

function rowOf(each: Readonly<Record<string, unknown>>): Row {
  const text = (name: string): string | undefined => {
    return typeof each[name] === 'string' ? each[name] : undefined
  }
  const number = (name: string): number | undefined => {
    const value = each[name]
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined
  }
  return {
    time: each.time instanceof Date ? each.time.getTime() : Number.NaN,
    ...{ seconds: number('seconds') ?? 1, name: text('name') ?? '' },
    ...{ labels: text('labels') ?? '', kind: text('kind') ?? '' },
    ...{ value: number('value'), count: number('count'), sum: number('sum') },
    ...{ min: number('min'), max: number('max'), detail: text('detail'), about: text('about') },
  }
}
