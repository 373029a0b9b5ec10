/** What is shown, as files: the hub's own answer as JSON, its tables as CSV. */
import type { JSX } from 'preact'
import { usePage } from '../../../web/shell/page.ts'
import { Section } from '../../../web/shell/parts.tsx'
import { addressOf } from '../../../web/store/hub-api.ts'

/** Time until the browser has begun to save a file, ms. */
const KEPT_MS = 10_000
const FILE_NAME_LENGTH = 80

/** Makes a name that every file system takes. */
function fileName(name: string, ending: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '')
  return `${[...safe].slice(0, FILE_NAME_LENGTH).join('') || 'wallaroo'}.${ending}`
}

function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}

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
              save(file, csv())
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
