/** Semaphore's page: its lamps, and how brightly they burn. */
import type { JSX } from 'preact'
import { text } from '../../../src/viewer/format/number.ts'
import { useAnswer } from '../../../src/web/shell/page.ts'
import { Section, Table } from '../../../src/web/shell/parts.tsx'
import type { Address, Route, View } from '../../../src/web/shell/view.ts'
import './semaphore.css'

interface LampsAnswer {
  readonly lamps: readonly { readonly name: string; readonly voltage: number }[]
}

interface SemaphoreState {
  /** Lamps below it are left out, volts. */
  readonly least: number
}

const STANDARD: SemaphoreState = { least: 0 }

const SEMAPHORE: Address<SemaphoreState> = {
  path: 'semaphore',
  standard: STANDARD,
  parse: (rest, query) => {
    return rest === '' ? { least: Number(query.get('least')) || STANDARD.least } : undefined
  },
  format: ({ least }, query) => {
    if (least !== STANDARD.least) query.set('least', String(least))
    return ''
  },
}

function Lamps({ route }: { route: Route<SemaphoreState> }): JSX.Element {
  const { answer } = useAnswer<LampsAnswer>('/semaphore/lamps')
  const lamps = (answer?.lamps ?? []).filter(({ voltage }) => voltage >= route.state.least)
  return (
    <div class="page">
      <div class="head-line">
        <h1>Semaphore</h1>
      </div>
      <Section title="Lamps" note="as they burn">
        <Table label="Lamps" heads={['Lamp', 'Voltage']} numeric={[1]}>
          {lamps.map(({ name, voltage }) => (
            <tr key={name}>
              <td>{name}</td>
              <td class="num semaphore-lamp">{text(voltage, 'V')}</td>
            </tr>
          ))}
        </Table>
      </Section>
    </div>
  )
}

export const view: View<SemaphoreState> = {
  dialect: 'semaphore',
  screen: {
    address: SEMAPHORE,
    title: () => 'Semaphore',
    tab: 'Semaphore',
    key: 'm',
    component: Lamps,
  },
}
