/** An answer of the hub that is read again and again while it is shown. */
import { useEffect, useState } from 'preact/hooks'
import { usePage } from '../shell/page.ts'
import { get, Refusal } from './hub-api.ts'
import { restAfter, restAfterRefusal } from './pace.ts'

interface Answered<T> {
  /** The latest one; kept while the hub does not answer, and while another window is read. */
  readonly answer: T | undefined
  /** The hub's words, where it knows nothing under the address. */
  readonly refusal: string | undefined
}

/**
 * @param address below the API's own; undefined asks for nothing
 * @param isHeld the picture stands still: it is asked for once
 * @param leastMs asked for no more often than this
 */
export function useAnswer<T>(
  address: string | undefined,
  isHeld: boolean,
  leastMs = 0,
): Answered<T> {
  const { frame } = usePage()
  const [state, setState] = useState<Answered<T>>({ answer: undefined, refusal: undefined })
  useEffect(() => {
    if (address === undefined) return
    return readAgain<T>(address, isHeld, leastMs, (next) => {
      setState((last) => ({ answer: next.answer ?? last.answer, refusal: next.refusal }))
      frame.redraw()
    })
  }, [frame, address, isHeld, leastMs])
  return state
}

/** Nothing is asked for while nobody can see it, and nothing twice at a time. */
function readAgain<T>(
  address: string,
  isHeld: boolean,
  leastMs: number,
  show: (answered: Answered<T>) => void,
): () => void {
  const abort = new AbortController()
  const { signal } = abort
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWaiting = false
  const readOnce = async (): Promise<number | undefined> => {
    const startMs = performance.now()
    try {
      const answer = await get<T>(address, signal)
      if (signal.aborted) return undefined
      show({ answer, refusal: undefined })
      // the next turn begins when this answer has been rendered
      await new Promise((resolve) => setTimeout(resolve))
      return isHeld ? undefined : restAfter(performance.now() - startMs)
    } catch (error) {
      if (signal.aborted) return undefined
      // Without a connection the banner says so, and what was known stays.
      if (!(error instanceof Refusal)) return restAfterRefusal(undefined)
      const { reason, retryAfterMs } = error
      // a hub that is busy has not said that there is nothing
      if (retryAfterMs === undefined) show({ answer: undefined, refusal: reason })
      return restAfterRefusal(retryAfterMs)
    }
  }
  const read = async (): Promise<void> => {
    isWaiting = document.hidden
    if (isWaiting) return
    const restMs = await readOnce()
    if (signal.aborted || restMs === undefined) return
    timer = setTimeout(() => void read(), Math.max(leastMs, restMs))
  }
  const onVisible = (): void => {
    if (isWaiting && !document.hidden) void read()
  }
  document.addEventListener('visibilitychange', onVisible)
  void read()
  return () => {
    abort.abort()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onVisible)
  }
}
