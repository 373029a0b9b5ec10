/** What is compared with what: a swatch and a word, in the order of up and down. */
import type { JSX } from 'preact'
import { changeText, NO_VALUE, text } from '../../viewer/format/number.ts'
import { Table } from '../shell/parts.tsx'

/** Shows the colour of a side. */
export function Swatch({ side }: { side: 0 | 1 }): JSX.Element {
  return <span class={`swatch c${side + 1}`} aria-hidden="true" />
}

/** Factor from which on a row is slow, as where siblings are compared. */
const FAR = 2

/** One row of numbers of both sides. */
export interface ComparedRow {
  readonly name: string
  readonly unit: string
  /** NaN where it is not known. */
  readonly values: readonly [number, number]
  /** Words that stand for the values, where they are no quantities. */
  readonly words?: readonly [string, string]
}

function ratioOf([first, second]: readonly [number, number]): string {
  if (Number.isNaN(first) || Number.isNaN(second)) return NO_VALUE
  if (first === second) return changeText(1)
  return changeText(first / second)
}

interface ComparedTableProps {
  readonly label: string
  readonly names: readonly [string, string]
  readonly rows: readonly ComparedRow[]
}

/** Shows numbers of both sides, and how many times the second's the first's are. */
export function ComparedTable({ label, names, rows }: ComparedTableProps): JSX.Element {
  return (
    <Table label={label} heads={['Number', ...names, 'Ratio']} numeric={[1, 2, 3]}>
      {rows.map(({ name, unit, values, words }) => {
        const isFar = values[0] > FAR * values[1]
        return (
          <tr key={name}>
            <td>{name}</td>
            <td class="num">{words?.[0] ?? text(values[0], unit)}</td>
            <td class="num">{words?.[1] ?? text(values[1], unit)}</td>
            <td class={isFar ? 'num warn strong' : 'num'}>{ratioOf(values)}</td>
          </tr>
        )
      })}
    </Table>
  )
}
