/**
 * Messages of protobuf as tables: name in JSON, field number and type of each field. What reads and
 * writes messages whole walks them; what is read a million times a second has scans of its own.
 */

/** Messages within each other: those of OTLP, and 16 arrays or maps of attributes. */
export const DEPTH_LIMIT = 58

/** An object as protobuf's JSON has it: integers of 64 bits are decimal texts. */
export type JsonMessage = { [name: string]: unknown }

export type Scalar =
  | 'string'
  | 'bool'
  | 'double'
  | 'fixed64'
  | 'sfixed64'
  | 'int64'
  | 'uint64'
  | 'uint32'
  | 'sint32'
  | 'sint64'
  | 'enum'
  | 'bytes'
  | 'hex'

export interface Field {
  readonly name: string
  readonly number: number
  readonly type: Scalar | (() => Schema)
  readonly isRepeated: boolean
  /** One of several fields, or one whose absence says something: written when it is 0, too. */
  readonly hasPresence: boolean
  /** Names of an enum's values, by number; either is written. */
  readonly names: readonly string[]
}

export interface Schema {
  readonly fields: readonly Field[]
  readonly byNumber: ReadonlyMap<number, Field>
  /** Points may be bad one by one: the others of a request are taken. */
  readonly isPoint: boolean
}

/** Tells whether a value is what an absent field means: proto3 does not write it. */
export function isDefault({ type }: Field, value: unknown): boolean {
  if (type === 'string' || type === 'bytes' || type === 'hex') return value === ''
  return value === 0 || value === '0' || value === false
}

/** Field as a row of a table: `*` is repeated, `?` has presence. */
export type Row = readonly [
  name: string,
  number: number,
  type: Field['type'],
  mark?: '*' | '?' | '',
  names?: readonly string[],
]

/** Makes a message of rows. */
export function message(rows: readonly Row[], isPoint = false): Schema {
  const fields = rows.map(([name, number, type, mark, names = []]): Field => {
    return { name, number, type, isRepeated: mark === '*', hasPresence: mark === '?', names }
  })
  return { fields, byNumber: new Map(fields.map((field) => [field.number, field])), isPoint }
}
