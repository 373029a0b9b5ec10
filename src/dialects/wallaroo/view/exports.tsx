/** What is shown, as files: the hub's own answer as JSON, its tables as CSV. */
import type { JSX } from 'preact'
import { addressOf } from '../../../viewer/store/hub-api.ts'
import { fileName, saveText } from '../../../web/chart-file/save.ts'
import { usePage } from '../../../web/shell/page.ts'
import { Section } from '../../../web/shell/parts.tsx'

interface ExportsProps {
  /** Address of the answer, below the API's own. */
  readonly json: string
  /** Name of what is shown, for the names of files. */
  readonly name: string
  readonly tables: readonly (readonly [title: string, csv: () => string])[]
}

export function Exports({ json, name, tables }: ExportsProps): JSX.Element {
  const page = usePage()
  return (
    <Section title="Export" note="what is shown, with all digits; latencies in ns">
      <p class="exports small">
        <a class="link" href={addressOf(json)} download={fileName(name, 'json')}>
          All of it as JSON
        </a>
        {tables.map(([title, csv]) => (
          <button
            key={title}
            type="button"
            class="link"
            onClick={() => {
              const file = fileName(`${name}-${title.toLowerCase()}`, 'csv')
              saveText(file, csv())
              page.announce(`Saved ${file}`)
            }}
          >
            {title} as CSV
          </button>
        ))}
      </p>
    </Section>
  )
}
