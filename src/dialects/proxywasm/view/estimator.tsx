/**
 * The estimator: what metrics of filters would take of the slab, before there are any; the hub
 * answers with the figures of `pentameter size`.
 */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { exact, text } from '../../../viewer/format/number.ts'
import { useAnswer } from '../../../web/shell/page.ts'
import { Table } from '../../../web/shell/parts.tsx'
import type { MetricsAnswer, SizeAnswer, SizedKind } from '../http/api.ts'
import { byteWords, leftWords } from './words.ts'

/** Pause after the last key until the hub is asked, ms. */
const ASK_AFTER_MS = 250

/** Fields by the names of the query, in their order. */
const FIELDS = [
  ['counters', 'Counters'],
  ['gauges', 'Gauges'],
  ['histograms', 'Histograms'],
  ['nameLength', 'Bytes of a name'],
  ['workers', 'Threads of a filter'],
  ['slabSize', 'Slab: bytes, 512k, 5m'],
] as const

type Values = Readonly<Record<(typeof FIELDS)[number][0], string>>

const HEADS = [
  'Metrics',
  'Each',
  'Together',
  'In ngx_wasm_module, each',
  'Least slab there',
] as const
const KIND_WORDS = { counter: 'Counters', gauge: 'Gauges', histogram: 'Histograms' } as const

function KindRow({ sized }: { sized: SizedKind }): JSX.Element {
  const { kind, count, bytesEach, bytes, original } = sized
  return (
    <tr>
      <td>
        {KIND_WORDS[kind]} <span class="muted">{exact(count)}</span>
      </td>
      <td class="num">{byteWords(bytesEach)}</td>
      <td class="num">{text(bytes, 'B')}</td>
      <td class="num">
        {byteWords(original.allocatedEach)}{' '}
        <span class="muted">({byteWords(original.documentedEach)} by its document)</span>
      </td>
      <td class="num">{text(original.slabSize, 'B')}</td>
    </tr>
  )
}

function Estimated({ answer }: { answer: SizeAnswer }): JSX.Element {
  const isTooSmall = answer.leftBytes < 0
  return (
    <>
      <p class={isTooSmall ? 'error strong' : 'strong'} role="status">
        {leftWords(answer)}
      </p>
      {answer.kinds.length > 0 && (
        <Table label="Estimate" heads={HEADS} numeric={[1, 2, 3, 4]}>
          {answer.kinds.map((sized) => (
            <KindRow key={sized.kind} sized={sized} />
          ))}
        </Table>
      )}
    </>
  )
}

function Form({ metrics: { settings, slab } }: { metrics: MetricsAnswer }): JSX.Element {
  const [values, setValues] = useState<Values>({
    ...{ counters: '1000', gauges: '0', histograms: '0' },
    nameLength: String(slab.meanNameBytes),
    workers: String(settings.workers),
    slabSize: String(settings.slabSize),
  })
  const [asked, ask] = useState(values)
  useEffect(() => {
    const timer = setTimeout(() => ask(values), ASK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [values])
  const path = `/proxywasm/size?${new URLSearchParams(asked)}`
  const { answer, refusal } = useAnswer<SizeAnswer>(path, { isHeld: true })
  return (
    <>
      <div class="fields">
        {FIELDS.map(([name, words]) => (
          <label key={name}>
            <span class="caption">{words}</span>
            <span class="field">
              <input
                inputMode={name === 'slabSize' ? 'text' : 'numeric'}
                autocomplete="off"
                spellcheck={false}
                value={values[name]}
                onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              />
            </span>
          </label>
        ))}
      </div>
      {refusal !== undefined && (
        <p class="error" role="alert">
          Not estimated: {refusal}
        </p>
      )}
      {refusal === undefined && answer !== undefined && <Estimated answer={answer} />}
    </>
  )
}

/** Shows the estimator once it is opened. */
export function Estimator({ metrics }: { metrics: MetricsAnswer }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="panel estimator" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Estimate the slab for other metrics</summary>
      {isOpen && <Form metrics={metrics} />}
    </details>
  )
}
