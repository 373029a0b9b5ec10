/** One meter per dialect: "is everything arriving?" is answered before anything else. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { DialectStatus, SourcesAnswer } from '../../http/api.ts'
import { SteadyRange } from '../../viewer/chart/scale.ts'
import { allDigits, exact, format } from '../../viewer/format/number.ts'
import { absentPeers, isLimited, unclaimedWords } from '../../viewer/format/status.ts'
import { ageText } from '../../viewer/format/time.ts'
import { meterReading } from '../../viewer/series/meter.ts'
import { STEPS_KEPT } from '../../viewer/store/series-data.ts'
import type { Size } from '../chart/frame.ts'
import { Painter } from '../chart/painter.ts'
import { drawPlot } from '../chart/plot.ts'
import { usePage, usePanel } from '../shell/page.ts'
import { Link, setText, useReading } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import { SOURCES } from '../sources/address.ts'
import { OVERVIEW } from './address.ts'

const LEAST_SECONDS = 60
const SPARK_WIDTH = 1.25

/** Draws the rate of dialects, added up, as a small line over the shown window. */
export function useRateSpark(...dialects: readonly string[]): JSX.Element {
  const page = usePage()
  const { store, cursor } = page
  const steady = useRef(new SteadyRange())
  const draw = (canvas: HTMLCanvasElement, size: Size): void => {
    const end = store.clock.edge()
    const rates = store.cache.rates(...dialects)
    // The hub tells of sixty seconds; a longer window is filled while the page is open.
    const known = Math.max(LEAST_SECONDS, end - (rates.oldest || end))
    const from = end - Math.min(store.clock.window.value, known, STEPS_KEPT)
    const values = new Float64Array(end - from + 1)
    rates.copy(from, values)
    const painter = new Painter(canvas, size, page.theme.palette)
    const drawn = drawPlot(painter, {
      from,
      to: end,
      step: 1,
      lines: [{ values, color: 'trace', width: SPARK_WIDTH }],
      axis: 'zero',
      unit: '/s',
      size: 'spark',
      steady: steady.current,
      cursor: cursor.second.value,
    })
    cursor.setAxis(canvas, drawn.time)
  }
  const canvas = usePanel<HTMLCanvasElement>({
    draw: (size) => {
      if (canvas.current && size.width > 0) draw(canvas.current, size)
    },
  })
  return <canvas ref={canvas} role="img" aria-label="Rate over time" />
}

interface TroubleProps {
  readonly status: DialectStatus
  readonly limited: boolean
  /** A peer of it that the hub was told to read from or send to is not there. */
  readonly hasAbsent: boolean
}

function Trouble({ status, limited, hasAbsent }: TroubleProps): JSX.Element {
  if (limited) return <span class="trouble error">series limit</span>
  if (status.errors > 0) {
    const word = status.errors === 1 ? 'error' : 'errors'
    return (
      <span class="trouble error">
        {exact(status.errors)} {word}
      </span>
    )
  }
  if (hasAbsent) return <span class="trouble warn">◆ no connection</span>
  return <span class="trouble muted">no errors</span>
}

/** Shows a title that may be broken where a word begins within another: `Open·Telemetry`. */
function Title({ text }: { text: string }): JSX.Element {
  const [first, ...others] = text.split(/(?<=\p{Ll})(?=\p{Lu})/u)
  return (
    <span class="name">
      {first}
      {others.map((part) => [<wbr key={part} />, part])}
    </span>
  )
}

/** Tells how a button filters by its dialect. */
function useFilter({ name, title }: DialectStatus) {
  const { navigation } = usePage()
  const isPressed = navigation.state(OVERVIEW).source === name
  return {
    type: 'button',
    'aria-pressed': isPressed,
    title: `Show only series from ${title}`,
    onClick: () => navigation.go(to(OVERVIEW, { source: isPressed ? '' : name })),
  } as const
}

function Meter({ status }: { status: DialectStatus }): JSX.Element {
  const page = usePage()
  const { store, cursor } = page
  const age = useRef<HTMLSpanElement>(null)
  const [rate, write] = useReading('rate')
  const update = (): void => {
    const latest = store.sources.value?.dialects.find(({ name }) => name === status.name) ?? status
    const rates = store.cache.rates(status.name)
    const second = page.readingSecond()
    const now = meterReading(latest, rates, second, store.clock.nowMs())
    const shown = cursor.second.value === null ? now.rate : rates.at(second)
    write({ caption: '', main: format(shown, '/s'), title: allDigits(shown, '/s') })
    setText(age.current, latest.lastDataMs === null ? '' : ageText(now.age))
    age.current?.classList.toggle('warn', now.isSilent)
  }
  // The button draws its words itself: in narrow windows its canvas is not there to do it.
  const button = usePanel<HTMLButtonElement>({ draw: update })
  const spark = useRateSpark(status.name)
  return (
    <button ref={button} class="meter" {...useFilter(status)}>
      <span class="body">
        <Title text={status.title} />
        <Trouble
          status={status}
          limited={isLimited(store.sources.value, status.name)}
          hasAbsent={absentPeers(store.sources.value).some((it) => it.dialect === status.name)}
        />
        {rate}
        {status.lastDataMs !== null && spark}
        <span class="where cut">{status.address}</span>
        <span class="age" ref={age} />
      </span>
    </button>
  )
}

/** Lists the dialects that nothing has come of: they take the room of one. */
function Waiting({ dialects }: { dialects: readonly DialectStatus[] }): JSX.Element {
  return (
    <div class="waiting">
      <span class="tiny muted">Nothing yet from</span>
      <div>
        {dialects.map((status) => (
          <WaitingButton key={status.name} status={status} />
        ))}
      </div>
    </div>
  )
}

function WaitingButton({ status }: { status: DialectStatus }): JSX.Element {
  return <button {...useFilter(status)}>{status.title}</button>
}

/** Says what came to ports that several dialects share and is of none: it is on no meter. */
function Unclaimed(): JSX.Element | null {
  const words = usePage().store.sources.value?.listeners.map(unclaimedWords).filter(Boolean) ?? []
  if (words.length === 0) return null
  return (
    <p class="unclaimed">
      <span class="error">{words.join(' ')}</span>{' '}
      <Link to={to(SOURCES)} class="link">
        Show what they were
      </Link>
    </p>
  )
}

/** Tells whether there is nothing to say of a dialect: no data, no error, no peer is missed. */
function isWaiting(
  sources: SourcesAnswer | undefined,
  { name, ...status }: DialectStatus,
): boolean {
  return (
    status.lastDataMs === null &&
    status.errors === 0 &&
    !isLimited(sources, name) &&
    !absentPeers(sources).some(({ dialect }) => dialect === name)
  )
}

/** @param isEmpty whether there is no series at all */
export function Meters({ isEmpty }: { isEmpty: boolean }): JSX.Element | null {
  const { store } = usePage()
  const sources = store.sources.value
  const dialects = sources?.dialects ?? []
  if (dialects.length === 0) return null
  const waiting = dialects.filter((status) => isWaiting(sources, status))
  // where nothing has come at all, the page says of each how to send
  if (isEmpty && waiting.length === dialects.length) return <Unclaimed />
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: buttons in a group, not fields of a form */}
      <div class="meters" role="group" aria-label="Sources">
        {dialects.map((status) =>
          waiting.includes(status) ? null : <Meter key={status.name} status={status} />,
        )}
        {waiting.length > 0 && <Waiting dialects={waiting} />}
      </div>
      <Unclaimed />
    </>
  )
}
