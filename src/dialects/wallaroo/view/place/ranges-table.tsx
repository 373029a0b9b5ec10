/** The ranges of all bins, those without messages too, as the document announces them. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Table } from '../../../../web/shell/parts.tsx'
import { boundsText, RANGES } from '../words.ts'

/** Shows them when they are asked for: they are the same for all that is shown. */
export function RangesTable(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="panel" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Ranges of all bins</summary>
      {isOpen && (
        <Table label="Ranges of all bins" heads={['Bin', 'Range, of all bins']} numeric={[0]}>
          {RANGES.map((each) => (
            <tr key={each.bin}>
              <td class="num">{each.bin}</td>
              <td>{boundsText(each)}</td>
            </tr>
          ))}
        </Table>
      )}
    </details>
  )
}
