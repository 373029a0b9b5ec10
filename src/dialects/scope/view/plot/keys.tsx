/** The keys of a plot's lines, then of their averages; of very many, some rows that scroll. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Line } from '../../../../model/board/line/line.ts'
import { Name } from '../../../../web/shell/parts.tsx'
import type { ScopeSession } from '../session/session.ts'
import { isCrowded } from './draw-plot.ts'
import { LineKey } from './line-key.tsx'

interface KeysProps {
  readonly session: ScopeSession
  readonly lines: readonly Line[]
}

export function Keys({ session, lines }: KeysProps): JSX.Element {
  const isMany = isCrowded(session.board, lines)
  const averaged = lines.filter(({ average }) => average !== undefined)
  const box = useRef<HTMLDivElement>(null)
  const below = useSignal(0)
  const count = lines.length + averaged.length
  useLayoutEffect(() => {
    const { current } = box
    if (current === null) return
    const look = (): void => {
      below.value = countBelow(current)
    }
    const observer = new ResizeObserver(look)
    observer.observe(current)
    current.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      observer.disconnect()
      current.removeEventListener('scroll', look)
    }
  }, [below, count])
  return (
    <>
      <div ref={box} class={isMany ? 'keys many' : 'keys'}>
        {lines.map((line) => (
          <LineKey key={line.name} session={session} line={line} isCrowded={isMany} />
        ))}
        {averaged.map(({ name, average }) => (
          <span key={name} class="key dotted cut">
            SMA {lines.length > 1 && <Name text={session.following.captionOf(name)} />}{' '}
            {averageWords(average!.window)}
          </span>
        ))}
      </div>
      {below.value > 0 && (
        <button
          type="button"
          class="more-keys"
          aria-label={`${below.value} more lines`}
          title="Scroll to them"
          onClick={() => box.current?.scrollBy(0, box.current.clientHeight)}
        >
          +{below.value}
        </button>
      )}
    </>
  )
}

/** Counts the keys below those that are in sight; each stands no higher than the one before. */
function countBelow(box: HTMLElement): number {
  const { children } = box
  const end = box.offsetTop + box.scrollTop + box.clientHeight
  let [low, high] = [0, children.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const key = children[middle] as HTMLElement
    if (key.offsetTop + key.offsetHeight / 2 < end) low = middle + 1
    else high = middle
  }
  return children.length - low
}

function averageWords(window: { samples: number } | { seconds: number }): string {
  return 'seconds' in window ? `${window.seconds} s` : `${window.samples} samples`
}
