/** The slab of the filters' metrics: what is used, what fits, and the same in the original. */
import type { JSX } from 'preact'
import { exact, text } from '../../../viewer/format/number.ts'
import { Section, Table } from '../../../web/shell/parts.tsx'
import type { MetricsAnswer } from '../http/api.ts'
import { amountWords, gaugesOrHistograms } from './words.ts'

const HEADS = ['What', 'Amount', 'Meaning'] as const
const HISTOGRAMS = {
  dense: 'Histograms have 33 bins.',
  expanding: 'Histograms have 5 bins, and grow up to 18.',
} as const

function histogramWords(rule: MetricsAnswer['settings']['histogram']): string {
  if (typeof rule === 'string') return HISTOGRAMS[rule]
  return `Histograms have bins up to ${rule.map(exact).join(', ')}, and one above.`
}

interface RowProps {
  readonly title: string
  readonly amount: JSX.Element | string
  readonly meaning: string
  readonly isFull?: boolean
}

function Row({ title, amount, meaning, isFull = false }: RowProps): JSX.Element {
  return (
    <tr>
      <td class={isFull ? 'error strong' : ''}>{title}</td>
      <td class={isFull ? 'num error' : 'num'}>{amount}</td>
      <td class="soft wrap">{meaning}</td>
    </tr>
  )
}

function Limit({ value, limit }: { value: string; limit: string }): JSX.Element {
  return (
    <>
      {value}
      <span class="muted"> of {limit}</span>
    </>
  )
}

export function Slab({ metrics: { settings, slab } }: { metrics: MetricsAnswer }): JSX.Element {
  const { usedBytes, bytes, metrics, meanNameBytes, fits, original } = slab
  const threads = settings.workers === 1 ? 'One thread' : `${settings.workers} threads`
  const isFull = fits.counter === 0 || fits.histogram === 0
  return (
    <Section title="Metrics of filters" note="the slab that all filters share">
      <Table label="Metrics of filters" heads={HEADS} numeric={[1]}>
        <Row
          title="In use"
          amount={<Limit value={text(usedBytes, 'B')} limit={text(bytes, 'B')} />}
          meaning={`${threads} for each filter. ${histogramWords(settings.histogram)}`}
        />
        <Row
          title="Metrics"
          amount={exact(metrics)}
          meaning={
            `Names have ${exact(meanNameBytes)} bytes on the average, ` +
            `at most ${exact(settings.maxMetricNameLength)}.`
          }
        />
        <Row
          title="Room for"
          amount={exact(fits.counter)}
          isFull={isFull}
          meaning={`further counters, or ${gaugesOrHistograms(fits)}, with such names.`}
        />
        <Row
          title="In ngx_wasm_module"
          amount={text(original.allocatedBytes, 'B')}
          meaning={
            `${text(original.documentedBytes, 'B')} by its document; its allocator rounds up. ` +
            `Such a slab holds ${amountWords(original.fitsEmpty)} there.`
          }
        />
      </Table>
    </Section>
  )
}
