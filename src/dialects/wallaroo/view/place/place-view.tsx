/** One place of an application: its latencies and messages, and what it consists of. */
import type { JSX } from 'preact'
import { shownName } from '../../../../viewer/format/name.ts'
import { TablesSwitch } from '../../../../web/chart-file/chart-tools.tsx'
import { useAnswer } from '../../../../web/shell/page.ts'
import { Name, Section } from '../../../../web/shell/parts.tsx'
import type { Route } from '../../../../web/shell/view.ts'
import type { TableJson, ViewAnswer } from '../../http/api.ts'
import type { Place, WallarooState } from '../address.ts'
import { WorkerStates } from '../application/connections.tsx'
import { Against, ComparedHead } from '../compare/against.tsx'
import { CompareView } from '../compare/compare.tsx'
import { Controls } from '../controls.tsx'
import { Exports } from '../exports.tsx'
import { CompatibleView } from '../original/compatible.tsx'
import { INGESTION, placeText, siblingsOf } from '../place.ts'
import { Remarks } from '../remarks.tsx'
import { placeOfKey, viewAddress } from '../requests.ts'
import { binsCsv, rowsCsv, secondsCsv, viewRows } from '../rows/csv.ts'
import { CountsTable, namedRows, RowsTable } from '../rows/rows.tsx'
import { tableTitle, unknownWords } from '../words.ts'
import { Charts } from './charts.tsx'
import { Heading, titleOf } from './heading.tsx'
import { RangesTable } from './ranges-table.tsx'

const LABEL_HEADS = { pipeline: 'Pipeline', worker: 'Worker', name: 'Computation' } as const

interface ConsistsProps {
  readonly view: ViewAnswer
  readonly place: Place
}

/**
 * Gets the tables of a place; of one worker's first the same thing on all of them, which is a table
 * of the place without the worker.
 */
function useTables(
  { view, place }: ConsistsProps,
  route: Route<WallarooState>,
): readonly TableJson[] {
  const address = place.worker === null ? undefined : viewAddress(siblingsOf(place), route)
  const { answer } = useAnswer<ViewAnswer>(address, { isHeld: route.at !== null })
  const { tables = [] } = answer ?? {}
  // of a thing that runs on this worker alone there is nothing beside it
  const beside = tables.filter(({ name, rows }) => name === 'by_worker' && rows.length > 1)
  return [...beside, ...view.tables]
}

/**
 * Shows tables; rows of one thing on several workers are siblings: one of them may be the slow one.
 */
function Consists({
  view,
  place,
  route,
}: ConsistsProps & { route: Route<WallarooState> }): JSX.Element {
  const { application } = view
  const tables = useTables({ view, place }, route)
  const own = placeText(placeOfKey(application, view.key))
  return (
    <>
      {tables.map((table) => {
        const areSiblings = table.name === 'by_worker'
        const pipelines = new Set(table.rows.map(({ key }) => key.pipeline))
        const isMixed = table.label === 'name' && pipelines.size > 1
        const rows = namedRows(application, table.rows, table.label, areSiblings).map((named) => ({
          ...named,
          place: named.place && placeText(named.place) === own ? undefined : named.place,
          remark: isMixed ? (
            <span class="muted">
              {' '}
              <Name text={named.row.key.pipeline ?? ''} />
            </span>
          ) : undefined,
        }))
        const isCounted = table.rows.every(({ key }) => key.category === INGESTION)
        const head = table.name === 'sources' ? 'Source' : LABEL_HEADS[table.label]
        return (
          <Section key={`${table.name} ${table.label}`} title={tableTitle(table, place)}>
            {isCounted ? (
              <CountsTable head={head} rows={rows} />
            ) : (
              <RowsTable head={head} rows={rows} />
            )}
          </Section>
        )
      })}
    </>
  )
}

function OwnView({ view, route }: { view: ViewAnswer; route: Route<WallarooState> }): JSX.Element {
  const { place } = route.state
  const title = titleOf(place)
  return (
    <>
      <Remarks answer={view} workers={view.workers} />
      <Charts view={view} of={shownName(title)} />
      <Consists view={view} place={place} route={route} />
      {view.workers.length > 0 && (
        <Section title="Worker states" note="of the workers that are in it">
          <WorkerStates workers={view.workers} nowMs={view.nowMs} />
        </Section>
      )}
      <RangesTable />
      <TablesSwitch />
      <Exports
        json={viewAddress(place, route)}
        name={title}
        tables={[
          ['Bins', () => binsCsv(view)],
          ['Seconds', () => secondsCsv(view)],
          ['Rows', () => rowsCsv(view.application, viewRows(view))],
        ]}
      />
    </>
  )
}

export function PlaceView({ route }: { route: Route<WallarooState> }): JSX.Element {
  const { place } = route.state
  const isOwn = route.state.mode === 'own'
  const address = viewAddress(place, route)
  const { answer, refusal } = useAnswer<ViewAnswer>(isOwn ? address : undefined, {
    isHeld: route.at !== null,
  })
  const { worker } = place
  const against = route.state.against?.[0]
  if (isOwn && worker !== null && against !== undefined) {
    return (
      <>
        <ComparedHead {...{ route, worker }} />
        <Against {...{ route, worker }} />
        <CompareView route={route} workers={[worker, against]} />
      </>
    )
  }
  return (
    <>
      <Heading place={place} view={isOwn ? answer : undefined} />
      {isOwn && worker !== null && <Against {...{ route, worker }} />}
      {isOwn && refusal !== undefined && (
        <p class={answer ? 'small warn' : 'soft'}>{unknownWords(refusal)}</p>
      )}
      <Controls />
      {answer !== undefined && isOwn && <OwnView view={answer} route={route} />}
      {!isOwn && <CompatibleView route={route} />}
    </>
  )
}
