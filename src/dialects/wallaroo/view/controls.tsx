/** What of a Wallaroo view is chosen: whose numbers, which order, what counts as slow. */
import type { JSX } from 'preact'
import { text } from '../../../viewer/format/number.ts'
import { usePage } from '../../../web/shell/page.ts'
import { Pick } from '../../../web/shell/parts.tsx'
import { to } from '../../../web/shell/route.ts'
import { latencyText, MODES, type Mode, type Order, parseLatency, WALLAROO } from './address.ts'
import { SLOW_FACTOR } from './latency.ts'

const ORDER_WORDS: Readonly<Record<Order, string>> = {
  place: 'Name and place',
  slow: 'Slow first',
  p99: 'p99',
  rate: 'Messages',
}
const MODE_WORDS: Readonly<Record<Mode, string>> = { own: 'Exact', compatible: 'Metrics UI' }
const MODE_TITLES: Readonly<Record<Mode, string>> = {
  own: 'exact counts, percentiles interpolated inside a bin',
  compatible: 'the numbers of the original Metrics UI, rounded as it does',
}
const SIBLINGS = 'siblings'
const LIMITS_NS = [1e5, 1e6, 1e7, 1e8, 1e9] as const

function limitChoices(aboveNs: number | null): readonly (readonly [string, string])[] {
  const limits: number[] = [...LIMITS_NS]
  // a link may carry any other one
  if (aboveNs !== null && !limits.includes(aboveNs)) limits.push(aboveNs)
  limits.sort((a, b) => a - b)
  return [
    [SIBLINGS, `${SLOW_FACTOR}× the other workers`],
    ...limits.map((ns) => [latencyText(ns), `p99 above ${text(ns, 'ns')}`] as const),
  ]
}

export function Controls(): JSX.Element {
  const { navigation } = usePage()
  const { mode, order, aboveNs } = navigation.state(WALLAROO)
  return (
    <div class="controls">
      {/* biome-ignore lint/a11y/useSemanticElements: toggle buttons, not fields of a form */}
      <div class="segments" role="group" aria-label="Numbers">
        {MODES.map((each) => (
          <button
            key={each}
            type="button"
            title={MODE_TITLES[each]}
            aria-pressed={mode === each}
            onClick={() => navigation.go(to(WALLAROO, { mode: each }))}
          >
            {MODE_WORDS[each]}
          </button>
        ))}
      </div>
      {mode === 'own' && (
        <>
          <Pick
            caption="Order"
            value={order}
            choices={Object.entries(ORDER_WORDS)}
            choose={(next) => navigation.go(to(WALLAROO, { order: next as Order }))}
          />
          <Pick
            caption="Slow"
            value={aboveNs === null ? SIBLINGS : latencyText(aboveNs)}
            choices={limitChoices(aboveNs)}
            choose={(next) => navigation.go(to(WALLAROO, { aboveNs: parseLatency(next) }))}
          />
        </>
      )}
    </div>
  )
}
