/** Which worker a place is compared with: one choice, and two while two are compared. */
import type { JSX } from 'preact'
import { shownName } from '../../../../viewer/format/name.ts'
import { Swatch } from '../../../../web/compare/sides.tsx'
import { useAnswer, usePage } from '../../../../web/shell/page.ts'
import { Name, Pick } from '../../../../web/shell/parts.tsx'
import { to } from '../../../../web/shell/route.ts'
import type { Route } from '../../../../web/shell/view.ts'
import type { ViewAnswer } from '../../http/api.ts'
import { WALLAROO, type WallarooState } from '../address.ts'
import { titleOf } from '../place/heading.tsx'
import { categoryOf, measuredWords, siblingsOf } from '../place.ts'
import { viewAddress } from '../requests.ts'

/** Choice that ends a comparison; workers are told by numbers, as their names may be anything. */
const NONE = ''

interface AgainstProps {
  readonly route: Route<WallarooState>
  readonly worker: string
}

/** Gets the workers that have what the place measures. */
function useWorkers({ route, worker }: AgainstProps): readonly string[] {
  const { answer } = useAnswer<ViewAnswer>(viewAddress(siblingsOf(route.state.place), route), {
    isHeld: route.at !== null,
  })
  const rows = answer?.tables.find(({ name }) => name === 'by_worker')?.rows ?? []
  const { against } = route.state
  const known = [...rows.map(({ key }) => key.worker ?? ''), worker, ...(against ?? [])]
  return [...new Set(known)].sort()
}

export function Against(props: AgainstProps): JSX.Element | null {
  const { route, worker } = props
  const { navigation } = usePage()
  const { place, against } = route.state
  const workers = useWorkers(props)
  if (workers.length < 2) return null
  const choicesBut = (other: string | undefined) =>
    workers.flatMap((name, i) => (name === other ? [] : [[String(i), shownName(name)] as const]))
  const numberOf = (name: string): string => String(workers.indexOf(name))
  const second = against?.[0]
  const nothing = [NONE, second === undefined ? 'nothing' : 'nothing more'] as const
  return (
    <div class="compared">
      {second !== undefined && (
        <span>
          <Swatch side={0} />
          <Pick
            caption="Worker"
            value={numberOf(worker)}
            choices={choicesBut(second)}
            choose={(i) =>
              navigation.go(to(WALLAROO, { place: { ...place, worker: workers[Number(i)]! } }))
            }
          />
        </span>
      )}
      <span>
        {second !== undefined && <Swatch side={1} />}
        <Pick
          caption="Compare with"
          value={second === undefined ? NONE : numberOf(second)}
          choices={[nothing, ...choicesBut(worker)]}
          choose={(i) =>
            navigation.go(to(WALLAROO, { against: i === NONE ? null : [workers[Number(i)]!] }))
          }
        />
      </span>
    </div>
  )
}

/** Says what is compared, in place of the numbers of one. */
export function ComparedHead({ route, worker }: AgainstProps): JSX.Element {
  const { place, against } = route.state
  const category = categoryOf(place)
  const other = shownName(against?.[0] ?? '')
  const isWorker = place.name === null && place.pipeline === null
  const title = isWorker
    ? `${shownName(worker)} against ${other}`
    : titleOf({ ...place, worker: null })
  return (
    <div class="head-line">
      <h1>
        <Name text={title} />
      </h1>
      <p class="small soft">
        {`${measuredWords(category)}. Upwards ${shownName(worker)}, downwards ${other}.`}
      </p>
    </div>
  )
}
